package dev.rlm.runner.job;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.cli.UsageException;
import dev.rlm.engine.JobLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that limit what a job may take, wherever its rollouts come from. */
public final class LimitOptions {
    private static final int MAX_CONCURRENCY = 10_000;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            description = "How many runs at a time (8; serve and worker: 32).")
    private int concurrency;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a run may take, such as 30s (no limit; serve: 10m; worker: what the rollout says);"
                    + " it fails then, whatever its thread does.")
    private @Nullable Duration timeout;

    @Option(
            names = "--step-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a step may take (no limit); it fails then, and its run with it.")
    private @Nullable Duration stepTimeout;

    @Option(
            names = "--max-failures",
            paramLabel = "N",
            description = "Stop the job, with exit code 1, once N runs have failed and are not tried again.")
    private @Nullable Integer maxFailures;

    @Option(names = "--fail-fast", description = "The same as --max-failures 1.")
    private boolean failFast;

    private LimitOptions(int concurrency, @Nullable Duration timeout) {
        this.concurrency = concurrency;
        this.timeout = timeout;
    }

    /** Returns those of a job that is planned. */
    static LimitOptions planned() {
        return new LimitOptions(8, null);
    }

    /** Returns those of a job whose rollouts others ask for. */
    public static LimitOptions asked() {
        return new LimitOptions(32, Duration.ofMinutes(10));
    }

    /** Returns those of a job whose rollouts say themselves how long they may take. */
    public static LimitOptions claimed() {
        return new LimitOptions(32, null);
    }

    /** Sets how many runs at a time. */
    public void concurrency(int value) {
        concurrency = value;
    }

    /**
     * Checks them, and returns what they say.
     *
     * @param retries how often a rollout is tried again
     */
    public JobLimits limits(int retries) {
        Bounds.checkRange("--concurrency", concurrency, 1, MAX_CONCURRENCY);
        Bounds.checkAboveZero("--timeout", timeout);
        Bounds.checkAboveZero("--step-timeout", stepTimeout);
        Bounds.checkRange("--max-failures", maxFailures == null ? 1 : maxFailures, 1, Integer.MAX_VALUE);
        if (failFast && maxFailures != null && maxFailures != 1) {
            throw new UsageException("--fail-fast is --max-failures 1: give one of them");
        }
        return new JobLimits(
                concurrency, timeout, stepTimeout, retries, failFast ? 1 : maxFailures == null ? 0 : maxFailures);
    }
}
