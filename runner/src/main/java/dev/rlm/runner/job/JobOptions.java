package dev.rlm.runner.job;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.cli.UsageException;
import dev.rlm.runner.episode.JobLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how episodes are run, and what to do about those that fail. */
final class JobOptions {
    private static final int MAX_CONCURRENCY = 10_000;
    private static final int MAX_RETRIES = 1_000;

    @Option(names = "--concurrency", paramLabel = "N", description = "How many runs at a time (8).")
    private int concurrency = 8;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a run may take, such as 30s; no limit otherwise.")
    private @Nullable Duration timeout;

    @Option(
            names = "--step-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a step may take; then it fails, and its run with it. No limit otherwise.")
    private @Nullable Duration stepTimeout;

    @Option(
            names = "--retries",
            paramLabel = "N",
            description = "How often a run that has failed is tried again, as a run of its own (0).")
    private int retries;

    @Option(
            names = "--max-failures",
            paramLabel = "N",
            description = "Stop the job, with exit code 1, once N runs have failed and are not tried again.")
    private @Nullable Integer maxFailures;

    @Option(names = "--fail-fast", description = "The same as --max-failures 1.")
    private boolean failFast;

    @Option(
            names = "--resume",
            paramLabel = "ID",
            arity = "0..1",
            fallbackValue = "",
            description = "Go on with the latest job with the same options that was interrupted, or with that of this"
                    + " invocation id. What has ended is not run again.")
    @Nullable
    String resume;

    @Option(
            names = "--drain-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long to wait at the end for sinks at which events still arrive (1m).")
    Duration drainTimeout = Duration.ofMinutes(1);

    @Option(names = "--quiet", description = "Show the result and errors alone: neither progress nor hints.")
    boolean quiet;

    /** Checks them. */
    JobLimits limits() {
        Bounds.checkRange("--concurrency", concurrency, 1, MAX_CONCURRENCY);
        Bounds.checkAboveZero("--timeout", timeout);
        Bounds.checkAboveZero("--step-timeout", stepTimeout);
        Bounds.checkAboveZero("--drain-timeout", drainTimeout);
        Bounds.checkRange("--retries", retries, 0, MAX_RETRIES);
        Bounds.checkRange("--max-failures", maxFailures == null ? 1 : maxFailures, 1, Integer.MAX_VALUE);
        if (failFast && maxFailures != null && maxFailures != 1) {
            throw new UsageException("--fail-fast is --max-failures 1: give one of them");
        }
        return new JobLimits(
                concurrency, timeout, stepTimeout, retries, failFast ? 1 : maxFailures == null ? 0 : maxFailures);
    }
}
