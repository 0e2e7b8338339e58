package dev.rlm.runner.job;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.engine.JobLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say how episodes are run, and what to do about those that fail. */
final class JobOptions {
    private static final int MAX_RETRIES = 1_000;

    @Mixin
    private LimitOptions limits = LimitOptions.planned();

    @Option(
            names = "--retries",
            paramLabel = "N",
            description = "How often a run that has failed is tried again, as a new attempt at its rollout (0).")
    private int retries;

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

    /** Checks them. */
    JobLimits limits() {
        Bounds.checkAboveZero("--drain-timeout", drainTimeout);
        Bounds.checkRange("--retries", retries, 0, MAX_RETRIES);
        return limits.limits(retries);
    }
}
