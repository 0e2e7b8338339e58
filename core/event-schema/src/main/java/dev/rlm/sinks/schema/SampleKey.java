package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import java.util.Objects;

/**
 * Name of a task that runs have in common: the same sample of the same environment and split. A run without a sample is a
 * task of its own.
 *
 * @param split empty where the run has none
 * @param sample empty where the run has none
 * @param lonelyRun the run that has no sample; empty for all others
 */
public record SampleKey(String environment, String split, String sample, String lonelyRun) {
    /** Returns the run's. */
    public static SampleKey of(RunInfo run) {
        Correlation ids = run.correlation();
        String sample = Objects.requireNonNullElse(ids.sample(), "");
        return new SampleKey(
                run.environment(),
                Objects.requireNonNullElse(ids.split(), ""),
                sample,
                sample.isEmpty() ? run.runId() : "");
    }

    /** Returns whether other runs can have the same. */
    public boolean isKnown() {
        return lonelyRun.isEmpty();
    }
}
