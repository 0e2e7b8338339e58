package dev.rlm.journal.report;

import dev.rlm.sinks.event.RunInfo;
import java.util.Comparator;

/**
 * A task that runs have in common: the same sample of the same environment and split. A run without a sample is a task of
 * its own.
 *
 * @param sample empty where the run has none
 * @param lonelyRun the run that has no sample; empty for all others
 */
record SampleKey(String environment, String split, String sample, String lonelyRun) implements Comparable<SampleKey> {
    private static final Comparator<SampleKey> ORDER = Comparator.comparing(SampleKey::environment)
            .thenComparing(SampleKey::split)
            .thenComparing(SampleKey::sample, NaturalOrder.INSTANCE)
            .thenComparing(SampleKey::lonelyRun);

    static SampleKey of(RunInfo run) {
        String sample = Dimension.SAMPLE.of(run);
        return new SampleKey(run.environment(), Dimension.SPLIT.of(run), sample, sample.isEmpty() ? run.runId() : "");
    }

    /** Whether other runs can have the same. */
    boolean isKnown() {
        return lonelyRun.isEmpty();
    }

    @Override
    public int compareTo(SampleKey other) {
        return ORDER.compare(this, other);
    }
}
