package dev.rlm.sinks.otel.metrics;

import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.otel.mapping.GenAiVersions;
import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.mapping.RewardMapping;
import dev.rlm.sinks.otel.mapping.TextLimits;
import dev.rlm.sinks.otel.spans.OpenRun;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.LongUpDownCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The instruments, and what is measured with them. Measured in the span's context, so that exemplars lead to the run. */
public final class Instruments {
    private static final AttributeKey<String> TOOL = AttributeKey.stringKey("tool");
    private static final AttributeKey<String> REASON = AttributeKey.stringKey("reason");
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("outcome");
    private static final AttributeKey<Boolean> COMPLETED = AttributeKey.booleanKey("completed");
    private static final AttributeKey<Boolean> SOLVED = AttributeKey.booleanKey("solved");
    private static final String OTHER = "(other)";
    private static final List<Double> SECONDS = List.of(
            0.001, 0.01, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0, 3_600.0);

    private final LongCounter runs;
    private final LongUpDownCounter activeRuns;
    private final LongCounter steps;
    private final LongCounter excludedRewards;
    private final LongCounter outOfRangeRewards;
    private final DoubleHistogram runDuration;
    private final DoubleHistogram stepDuration;
    private final DoubleHistogram toolDuration;
    private final GenAiInstruments genAi;
    private final Rewards rewards;
    private final Rewards runRewards;
    private final Rewards rewardComponents;
    private final Rewards runMetrics;
    private final NameLabels componentNames = new NameLabels();
    private final NameLabels metricNames = new NameLabels();
    private final int labelledRuns;
    private final Set<String> labelled = new HashSet<>();
    private final UnaryOperator<String> runIdLabel = this::label;

    public Instruments(
            Meter meter, GenAiInstruments genAi, Function<Distribution, Rewards> distributions, int labelledRuns) {
        rewards = distributions.apply(Distribution.REWARD);
        runRewards = distributions.apply(Distribution.RUN_REWARD);
        rewardComponents = distributions.apply(Distribution.REWARD_COMPONENT);
        runMetrics = distributions.apply(Distribution.RUN_METRIC);
        this.labelledRuns = labelledRuns;
        this.genAi = genAi;
        runs = counter(meter, "rlm.runs", "Runs started");
        steps = counter(meter, "rlm.steps", "Steps ended");
        excludedRewards = counter(meter, "rlm.reward.excluded", "Rewards that are no finite number");
        outOfRangeRewards =
                counter(meter, "rlm.reward.out_of_range", "Rewards outside the range that their source promises");
        activeRuns = meter.upDownCounterBuilder("rlm.runs.active")
                .setUnit("1")
                .setDescription("Runs that have started and not ended")
                .build();
        runDuration = seconds(meter, "rlm.run_duration", "From a run's start to its end", SECONDS);
        stepDuration = seconds(meter, "rlm.step_duration", "From a step's start to its end", SECONDS);
        toolDuration = seconds(meter, "rlm.tool_duration", "From a tool's call to its result", SECONDS);
    }

    /** Ones that measure nothing. */
    public static Instruments none(GenAiVersions versions) {
        Meter meter = MeterProvider.noop().get(Names.SCOPE);
        return new Instruments(meter, new GenAiInstruments(meter, versions), any -> (value, labels, span) -> {}, 0);
    }

    private static LongCounter counter(Meter meter, String name, String description) {
        return meter.counterBuilder(name)
                .setUnit("1")
                .setDescription(description)
                .build();
    }

    static DoubleHistogram seconds(Meter meter, String name, String description, List<Double> boundaries) {
        return meter.histogramBuilder(name)
                .setUnit("s")
                .setDescription(description)
                .setExplicitBucketBoundariesAdvice(boundaries)
                .build();
    }

    public void runStarted(OpenRun run) {
        Context context = context(run.span());
        runs.add(1, run.environment(), context);
        activeRuns.add(1, run.environment(), context);
    }

    /** A run is no longer open, whether its end is known or not. */
    public void runGone(OpenRun run) {
        activeRuns.add(-1, run.environment(), Context.root());
    }

    public void stepEnded(StepEnded step, OpenRun run, Span span) {
        Context context = context(span);
        steps.add(1, run.runIdLabels(runIdLabel), context);
        stepDuration.record(seconds(step.duration()), run.labels(step.success()), context);
    }

    /** The first runs of the process go by their id, so that the number of series stays bounded; none does if none is to. */
    private String label(String runId) {
        if (labelledRuns == 0) {
            return "";
        } else if (labelled.contains(runId)) {
            return runId;
        } else if (labelled.size() < labelledRuns) {
            labelled.add(runId);
            return runId;
        }
        return OTHER;
    }

    public void modelCalled(ModelCalled call, Span span) {
        genAi.modelCalled(call, context(span));
    }

    public void toolCalled(ToolCalled call, Span span) {
        Attributes labels = Attributes.of(
                OpenRun.ENVIRONMENT,
                TextLimits.name(call.run().environment()),
                TOOL,
                TextLimits.name(call.tool()),
                OpenRun.SUCCESS,
                !call.failed());
        toolDuration.record(seconds(call.duration()), labels, context(span));
        if (!call.isRetrieval()) {
            genAi.toolCalled(call, context(span));
        }
    }

    /** Measures a reward that is a finite number; others enter no distribution and are counted. */
    public void rewardGiven(RewardGiven reward, OpenRun run, Span span) {
        if (Double.isFinite(reward.value())) {
            rewards.record(reward.value(), run.labels(), span.getSpanContext());
        } else {
            Attributes why = run.labels().toBuilder()
                    .put(REASON, RewardMapping.kind(reward))
                    .build();
            excludedRewards.add(1, why, context(span));
        }
        if (reward.isOutOfRange()) {
            outOfRangeRewards.add(1, run.labels(), context(span));
        }
        for (RewardComponent part : reward.components()) {
            if (Double.isFinite(part.value())) {
                Attributes labels = componentNames.of(run.labels(), reward.source(), part.name());
                rewardComponents.record(part.value(), labels, span.getSpanContext());
            }
        }
    }

    public void runEnded(RunEnded end, OpenRun run) {
        AttributesBuilder how = run.labels().toBuilder()
                .put(COMPLETED, end.outcome() == Outcome.COMPLETED)
                .put(OUTCOME, end.outcome().label());
        Boolean solved = end.isSolved(null);
        if (solved != null) {
            how.put(SOLVED, solved);
        }
        runDuration.record(seconds(end.duration()), how.build(), context(run.span()));
        genAi.agentInvoked(end, run.modelCalls(), run.toolCalls(), context(run.span()));
        if (end.hasUsableReward() && Double.isFinite(end.totalReward())) {
            runRewards.record(end.totalReward(), run.labels(), run.span().getSpanContext());
        }
        if (end.outcome().isOwnEnd()) {
            end.metrics().forEach((name, value) -> runMetric(name, value, run));
        }
    }

    private void runMetric(String name, double value, OpenRun run) {
        if (Double.isFinite(value)) {
            Attributes labels = metricNames.of(run.labels(), "", name);
            runMetrics.record(value, labels, run.span().getSpanContext());
        }
    }

    public static double seconds(Duration duration) {
        return (double) duration.toNanos() / TimeUnit.SECONDS.toNanos(1);
    }

    private static Context context(Span span) {
        return Context.root().with(Span.wrap(span.getSpanContext())); // see OwnRun.wrapped
    }

    /** Receiver of rewards, or of other numbers that may be negative. */
    @FunctionalInterface
    public interface Rewards {
        void record(double reward, Attributes labels, SpanContext span);
    }
}
