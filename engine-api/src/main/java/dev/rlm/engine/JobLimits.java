package dev.rlm.engine;

import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits of a job.
 *
 * @param concurrency how many runs at a time
 * @param timeout how long a run may take; {@code null} for no limit
 * @param stepTimeout how long a step may take before it and its run fail; {@code null} for no limit
 * @param retries how often a rollout is tried again whose attempt has failed
 * @param maxFailures how many rollouts may have failed for good for the job to be stopped; 0 for no limit
 */
public record JobLimits(
        int concurrency,
        @Nullable Duration timeout,
        @Nullable Duration stepTimeout,
        int retries,
        int maxFailures) implements Serializable {}
