package dev.rlm.engine;

import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits of a job.
 *
 * @param concurrency number of runs at a time; 0 where the engine decides
 * @param timeout time that a run may take; {@code null} for no limit
 * @param stepTimeout time that a step may take before it and its run fail; {@code null} for no limit
 * @param retries number of further attempts at a rollout whose attempts fail
 * @param maxFailures number of rollouts failed for good at which the job is stopped; 0 for no limit
 */
public record JobLimits(
        int concurrency,
        @Nullable Duration timeout,
        @Nullable Duration stepTimeout,
        int retries,
        int maxFailures) implements Serializable {}
