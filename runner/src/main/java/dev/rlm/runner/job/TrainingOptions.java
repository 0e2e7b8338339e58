package dev.rlm.runner.job;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.UsageException;
import dev.rlm.sinks.event.CorrelationBuilder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** The options that say for whom, and for which point of which training, episodes are run. They decide nothing in the episodes. */
final class TrainingOptions {
    /** Names the rollout of a process that does one. */
    static final String ROLLOUT_VARIABLE = "EP_ROLLOUT_ID";

    private static final Set<String> NOT_IN_PLANS =
            Set.of("--trainer-run", "--code-version", "--dataset-version", "--rollout-id", "--row");

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

    @Option(names = "--trainer-run", paramLabel = "ID", description = "The trainer's own job id.")
    private @Nullable String trainerRun;

    @Option(names = "--code-version", paramLabel = "NAME", description = "The version of the agent's code.")
    private @Nullable String codeVersion;

    @Option(names = "--dataset-version", paramLabel = "NAME", description = "The version of the data set.")
    private @Nullable String datasetVersion;

    @Option(
            names = "--invocation",
            paramLabel = "ID",
            description = "The caller's id of this job, in the place of a random one.")
    @Nullable
    String invocation;

    @Option(
            names = "--rollout-id",
            paramLabel = "ID",
            description = "The rollout that a job of one rollout is; over " + ROLLOUT_VARIABLE + ".")
    @Nullable
    String rollout;

    @Option(names = "--row", paramLabel = "ID", description = "The data set's row of a job's only sample.")
    private @Nullable String row;

    void check() {
        Bounds.checkRange("--train-step", trainStep == null ? 0 : trainStep, 0, Long.MAX_VALUE);
        Bounds.checkRange("--epoch", epoch == null ? 0 : epoch, 0, Integer.MAX_VALUE);
        names().forEach((option, name) -> {
            if (name.isBlank()) {
                throw new UsageException(option + " is empty: expected a name");
            }
        });
    }

    /** The names given, by the options' own. */
    private Map<String, String> names() {
        Map<String, String> names = new LinkedHashMap<>();
        for (OptionSpec option : CommandSpec.forAnnotatedObject(this).options()) {
            if (option.getValue() instanceof String name) {
                names.put(option.longestName(), name);
            }
        }
        return names;
    }

    /** Checks that what names one rollout, or one sample, is said of one. */
    void checkSize(int rollouts, int samples) {
        if (rollout != null && rollouts != 1) {
            throw new UsageException("--rollout-id is for a job of one rollout, and this one has " + rollouts
                    + ": take one sample (--sample-id, --limit 1) with --rollouts 1");
        }
        if (row != null && samples != 1) {
            throw new UsageException("--row is for a job of one sample, and this one has " + samples
                    + ": take one (--sample-id, --limit 1)");
        }
    }

    /** The row of the job's only sample; the given one where none was named. */
    String row(int known) {
        return row == null ? String.valueOf(known) : row;
    }

    /** Adds what was given of the training. */
    CorrelationBuilder addTo(CorrelationBuilder ids) {
        give(experiment, ids::experiment);
        give(trainStep, ids::trainStep);
        give(epoch, ids::epoch);
        give(split == null ? null : split.name(), ids::split);
        give(policyVersion, ids::policyVersion);
        give(trainerRun, ids::trainerRun);
        give(codeVersion, ids::codeVersion);
        give(datasetVersion, ids::datasetVersion);
        return ids;
    }

    /** By the options' names, those of the given ids that plans do not tell otherwise. */
    Map<String, String> named() {
        Map<String, String> named = names();
        named.keySet().retainAll(NOT_IN_PLANS);
        return named;
    }

    private static <T> void give(@Nullable T value, Consumer<T> to) {
        if (value != null) {
            to.accept(value);
        }
    }

    /** The parts of a data set, as records name them. */
    private enum Split {
        train,
        validation,
        test
    }
}
