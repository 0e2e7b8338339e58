package dev.rlm.runner.cli;

import dev.rlm.runner.terminal.Bounds;
import dev.rlm.sinks.event.Correlation;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say for which point of which training episodes are run. They decide nothing in the episodes. */
final class TrainingOptions {
    @Option(names = "--experiment", paramLabel = "NAME", description = "The experiment that the runs belong to.")
    private @Nullable String experiment;

    @Option(names = "--train-step", paramLabel = "N", description = "The trainer's optimisation step, from 0.")
    private @Nullable Long trainStep;

    @Option(names = "--epoch", paramLabel = "N", description = "The trainer's epoch, from 0.")
    private @Nullable Integer epoch;

    @Option(names = "--split", paramLabel = "NAME", description = "train, validation or test.")
    private @Nullable Split split;

    @Option(names = "--policy-version", paramLabel = "NAME", description = "The version of the weights that act.")
    private @Nullable String policyVersion;

    void check() {
        Bounds.checkRange("--train-step", trainStep == null ? 0 : trainStep, 0, Long.MAX_VALUE);
        Bounds.checkRange("--epoch", epoch == null ? 0 : epoch, 0, Integer.MAX_VALUE);
        checkNotBlank("--experiment", experiment);
        checkNotBlank("--policy-version", policyVersion);
    }

    private static void checkNotBlank(String option, @Nullable String value) {
        if (value != null && value.isBlank()) {
            throw new UsageException(option + " is empty: expected a name");
        }
    }

    /** Adds what was given. */
    Correlation.Builder addTo(Correlation.Builder ids) {
        if (experiment != null) {
            ids.experiment(experiment);
        }
        if (trainStep != null) {
            ids.trainStep(trainStep);
        }
        if (epoch != null) {
            ids.epoch(epoch);
        }
        if (split != null) {
            ids.split(split.name());
        }
        if (policyVersion != null) {
            ids.policyVersion(policyVersion);
        }
        return ids;
    }

    /** The parts of a data set, as records name them. */
    private enum Split {
        train,
        validation,
        test
    }
}
