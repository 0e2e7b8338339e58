package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Attempts at one sample by one policy. On the lane only. */
final class FigureGroup {
    private Size size = new Size(0, 0);

    /** One more attempt, or with -1 one less, in the sums that it is part of. */
    void count(int sign, boolean solved, List<FigureSums> sums) {
        Size before = size;
        size = new Size(before.attempts + sign, before.solved + (solved ? sign : 0));
        sums.forEach(each -> each.resized(before, size));
    }

    /** How many attempts there are, and how many of them are solved. */
    record Size(int attempts, int solved) {}

    /** Name of a group. Runs without a sample are groups of their own. */
    record Key(
            String environment,
            String model,
            String sampleOrRun,
            boolean hasSample,
            @Nullable String split,
            @Nullable String policyVersion,
            @Nullable String experiment,
            @Nullable String trainerRun,
            @Nullable Integer epoch,
            @Nullable Long trainStep) {
        static Key of(RunInfo run) {
            Correlation ids = run.correlation();
            String sample = ids.sample();
            return new Key(
                    run.environment(),
                    run.model(),
                    sample == null ? run.runId() : sample,
                    sample != null,
                    ids.split(),
                    ids.policyVersion(),
                    ids.experiment(),
                    ids.trainerRun(),
                    ids.epoch(),
                    ids.trainStep());
        }
    }
}
