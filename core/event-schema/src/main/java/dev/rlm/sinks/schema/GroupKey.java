package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import org.jspecify.annotations.Nullable;

/** Name of a group: attempts at one sample by the same model and version of it, at the same point of the same training. */
public record GroupKey(
        SampleKey sample,
        String model,
        @Nullable String policyVersion,
        @Nullable String experiment,
        @Nullable String trainerRun,
        @Nullable Integer epoch,
        @Nullable Long trainStep) {
    /** Returns the run's. */
    public static GroupKey of(RunInfo run) {
        Correlation ids = run.correlation();
        return new GroupKey(
                SampleKey.of(run),
                run.model(),
                ids.policyVersion(),
                ids.experiment(),
                ids.trainerRun(),
                ids.epoch(),
                ids.trainStep());
    }
}
