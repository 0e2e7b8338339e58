package dev.rlm.cli;

import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.Verdict;
import dev.rlm.journal.index.EventRow;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that choose runs: those that fit every option given. */
public class RunSelection extends Period {
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

    @Option(
            names = "--invocation",
            paramLabel = "ID",
            description = "Runs of the job with this id, or with one that begins so, as rlm jobs tells it.")
    private @Nullable String invocation;

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
            description = "Runs that failed by an error of this class, with or without its package, such as"
                    + " TimeoutException.")
    private @Nullable String failure;

    @Option(names = "--tag", paramLabel = "NAME=VALUE", description = "Runs with this tag; may be given again.")
    private Map<String, String> tags = new LinkedHashMap<>();

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

    @Option(names = "--tool", paramLabel = "NAME", description = "Runs that called this tool.")
    private @Nullable String tool;

    @Option(
            names = "--total-tokens",
            paramLabel = "RANGE",
            converter = Range.OfCounts.class,
            description = "Runs whose model calls tell so many tokens, input and output, such as 10000..")
    private @Nullable Range<Long> totalTokens;

    @Option(
            names = "--cost",
            paramLabel = "RANGE",
            converter = Range.OfNumbers.class,
            description = "Runs whose model calls tell that they cost so much, in whichever currency, such as 0.5..")
    private @Nullable Range<Double> cost;

    @Option(
            names = "--label",
            paramLabel = "NAME[=RANGE]",
            converter = ScoreFilter.OfLabels.class,
            description =
                    "Runs with this label of rlm label, or score of rlm rescore, such as label=1 or judge@2=0.5..;"
                            + " may be given again.")
    private List<ScoreFilter> labels = new ArrayList<>();

    @Option(
            names = "--finding",
            paramLabel = "RULE",
            converter = ScoreFilter.OfFindings.class,
            description = "Runs in which rlm scan --keep has found something by this rule; may be given again.")
    private List<ScoreFilter> findings = new ArrayList<>();

    @Option(
            names = "--solved",
            negatable = true,
            description = "Runs that are solved, or are not; undecided ones and those without a reward are neither.")
    private @Nullable Boolean solved;

    @Option(
            names = "--undecided",
            description = "Runs that have ended and are neither, such as those without a reward.")
    private boolean undecided;

    /** Returns whether a run fits. What no option asks for is not looked at: to read it takes time. */
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
                && (!undecided || (run.row().end() != null && !run.verdict().isDecided()))
                && (invocation == null
                        || Objects.requireNonNullElse(ids(run).invocation(), "").startsWith(invocation))
                && (isWhole() || contains(run.startedAt()))
                && lies(steps, run::steps)
                && (duration == null || (run.duration() != null && duration.contains(run.duration())))
                && Stream.concat(labels.stream(), findings.stream()).allMatch(score -> score.fits(run.eventRows()))
                && fitsCalls(run);
    }

    /** Of calls that do not tell their tokens, or their cost, nothing counts; where none does, no range fits. */
    private boolean fitsCalls(RunSummary run) {
        if (tool == null && totalTokens == null && cost == null) {
            return true;
        }
        Set<String> tools = new HashSet<>();
        Long tokens = null;
        BigDecimal costs = null;
        for (EventRow row : run.eventRows()) {
            if (row instanceof EventRow.ToolCall call) {
                tools.add(call.tool());
            } else if (row instanceof EventRow.ModelCall call) {
                for (Long part :
                        Arrays.asList(call.usage().inputTokens(), call.usage().outputTokens())) {
                    tokens = part == null ? tokens : (Long) (part + (tokens == null ? 0 : tokens));
                }
                Double amount = call.costAmount();
                if (amount != null && Double.isFinite(amount)) {
                    costs = BigDecimal.valueOf(amount).add(costs == null ? BigDecimal.ZERO : costs);
                }
            }
        }
        return (tool == null || tools.contains(tool))
                && (totalTokens == null || (tokens != null && totalTokens.contains(tokens)))
                && (cost == null || (costs != null && cost.contains(costs.doubleValue())));
    }

    private static RunInfo info(RunSummary run) {
        return run.row().run();
    }

    private static Correlation ids(RunSummary run) {
        return info(run).correlation();
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
                && (value.equals(failure) || value.endsWith("." + failure) || value.endsWith("$" + failure));
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
