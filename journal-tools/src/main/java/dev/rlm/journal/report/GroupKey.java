package dev.rlm.journal.report;

import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Attempts at one sample by one policy: the same model and version of it, at the same point of the same training. */
record GroupKey(
        SampleKey sample,
        String model,
        @Nullable String policyVersion,
        @Nullable String experiment,
        @Nullable String trainerRun,
        @Nullable Integer epoch,
        @Nullable Long trainStep) {
    static final Comparator<GroupKey> ORDER = Comparator.comparing(GroupKey::sample)
            .thenComparing(GroupKey::model)
            .thenComparing(GroupKey::trainStep, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(GroupKey::epoch, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(GroupKey::policyVersion, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(GroupKey::experiment, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(GroupKey::trainerRun, Comparator.nullsFirst(Comparator.naturalOrder()));

    static GroupKey of(RunInfo run, SampleKey sample) {
        Correlation ids = run.correlation();
        return new GroupKey(
                sample,
                run.model(),
                ids.policyVersion(),
                ids.experiment(),
                ids.trainerRun(),
                ids.epoch(),
                ids.trainStep());
    }
}
