package dev.rlm.journal;

import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.jsonl.RunState;
import dev.rlm.sinks.jsonl.RunSummary;
import dev.rlm.sinks.jsonl.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which runs to show: those that fit every option given. */
public final class RunFilter implements Cloneable {
    @Option(
            names = {"--environment", "--env"},
            paramLabel = "NAME",
            description = "Runs in this environment.")
    private @Nullable String environment;

    @Option(names = "--model", paramLabel = "NAME", description = "Runs of this model.")
    private @Nullable String model;

    @Option(
            names = "--outcome",
            paramLabel = "OUTCOME",
            description = "Runs that are ${COMPLETION-CANDIDATES}; abandoned are also those without an end"
                    + " whose process has died.")
    private @Nullable Wanted outcome;

    @Option(
            names = {"--sample", "--sample-id"},
            paramLabel = "ID",
            description = "Runs of this sample.")
    private @Nullable String sample;

    @Option(names = "--rollout", paramLabel = "ID", description = "Attempts at this rollout.")
    private @Nullable String rollout;

    @Option(names = "--split", paramLabel = "NAME", description = "Runs of this split: train, validation or test.")
    private @Nullable String split;

    @Option(names = "--experiment", paramLabel = "NAME", description = "Runs of this experiment.")
    private @Nullable String experiment;

    @Option(
            names = "--epoch",
            paramLabel = "RANGE",
            converter = Range.OfCounts.class,
            description = "Runs of this epoch of training, such as 3 or 2..")
    private @Nullable Range<Long> epoch;

    @Option(
            names = "--train-step",
            paramLabel = "RANGE",
            converter = Range.OfCounts.class,
            description = "Runs of this step of training, such as 120 or 100..200")
    private @Nullable Range<Long> trainStep;

    @Option(names = "--policy-version", paramLabel = "NAME", description = "Runs of this version of the policy.")
    private @Nullable String policyVersion;

    @Option(
            names = "--trajectory-index",
            paramLabel = "RANGE",
            converter = Range.OfCounts.class,
            description = "Runs at this place among those of their sample, from 0.")
    private @Nullable Range<Long> trajectoryIndex;

    @Option(
            names = "--failure",
            paramLabel = "CLASS",
            description = "Runs that failed by an error of this class, with or without its package.")
    private @Nullable String failure;

    @Option(names = "--tag", paramLabel = "NAME=VALUE", description = "Runs with this tag; may be given again.")
    private Map<String, String> tags = new LinkedHashMap<>();

    @Option(
            names = "--reward",
            paramLabel = "RANGE",
            converter = Range.OfNumbers.class,
            description = "Runs with a total reward in this range, such as -1..0.5, 0.5.. or ..0.")
    private @Nullable Range<Double> reward;

    @Option(
            names = "--duration",
            paramLabel = "RANGE",
            converter = Range.OfDurations.class,
            description = "Runs that took so long, such as 200ms..4s or 2m..")
    private @Nullable Range<Duration> duration;

    @Option(
            names = "--steps",
            paramLabel = "RANGE",
            converter = Range.OfCounts.class,
            description = "Runs of so many steps, such as 2..5 or 10..")
    private @Nullable Range<Long> steps;

    @Option(
            names = "--solved",
            negatable = true,
            description = "Runs that are solved, or are not; undecided ones are neither.")
    private @Nullable Boolean solved;

    @Option(names = "--undecided", description = "Runs that got their first reward after their end.")
    private boolean undecided;

    /** Whether a run fits. What no option asks for is not looked at: to read it takes time. */
    public boolean accepts(RunSummary run) {
        return fits(environment, () -> info(run).environment())
                && fits(model, () -> info(run).model())
                && fits(sample, () -> ids(run).sample())
                && fits(rollout, () -> ids(run).rollout())
                && fits(split, () -> ids(run).split())
                && fits(experiment, () -> ids(run).experiment())
                && fits(policyVersion, () -> ids(run).policyVersion())
                && lies(epoch, () -> ids(run).epoch())
                && lies(trainStep, () -> ids(run).trainStep())
                && lies(trajectoryIndex, () -> ids(run).trajectoryIndex())
                && (failure == null || fitsFailure(run.failure()))
                && (tags.isEmpty() || info(run).tags().entrySet().containsAll(tags.entrySet()))
                && (outcome == null || outcome.fits(run.state()))
                && (solved == null || run.verdict() == (solved ? Verdict.SOLVED : Verdict.UNSOLVED))
                && (!undecided || run.verdict() == Verdict.UNDECIDED)
                && lies(steps, run::steps)
                && (duration == null || (run.duration() != null && duration.contains(run.duration())))
                && (reward == null || (run.rewards().isUsable() && reward.contains(run.totalReward())));
    }

    private static RunInfo info(RunSummary run) {
        return run.row().run();
    }

    private static Correlation ids(RunSummary run) {
        return info(run).correlation();
    }

    /**
     * The same filter for the other side of a comparison.
     *
     * @param otherModel in the place of the model that was asked for; {@code null} leaves that
     * @param otherTags added to those that were asked for; of the same name they take their place
     */
    public RunFilter against(@Nullable String otherModel, Map<String, String> otherTags) {
        RunFilter other = copy();
        other.model = otherModel == null ? model : otherModel;
        other.tags = new LinkedHashMap<>(tags);
        other.tags.putAll(otherTags);
        return other;
    }

    private RunFilter copy() {
        try {
            return (RunFilter) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** The model and the tags that were asked for, to tell two sides of a comparison apart; empty where none were. */
    public String label() {
        List<String> parts = new ArrayList<>();
        if (model != null) {
            parts.add(model);
        }
        tags.forEach((name, value) -> parts.add(name + "=" + value));
        return String.join(", ", parts);
    }

    private static boolean fits(@Nullable String wanted, Supplier<@Nullable String> value) {
        return wanted == null || wanted.equals(value.get());
    }

    private static boolean lies(@Nullable Range<Long> wanted, Supplier<? extends @Nullable Number> value) {
        if (wanted == null) {
            return true;
        }
        Number number = value.get();
        return number != null && wanted.contains(number.longValue());
    }

    private boolean fitsFailure(@Nullable String value) {
        return value != null
                && (value.equals(failure) || Shown.simpleName(value).equals(failure));
    }

    /** The states to choose from. */
    private enum Wanted {
        completed(RunState.COMPLETED),
        failed(RunState.FAILED),
        aborted(RunState.ABORTED),
        abandoned(RunState.ABANDONED),
        running(RunState.RUNNING);

        private final RunState state;

        Wanted(RunState state) {
            this.state = state;
        }

        boolean fits(RunState actual) {
            return actual == state || (this == abandoned && actual == RunState.UNFINISHED);
        }
    }
}
