package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.DoubleUpDownCounter;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The instruments, and what is measured with them. Measured in the span's context, so that exemplars lead to the run. */
final class Instruments {
    static final String REWARD = "rlm.reward";
    static final String REWARD_DESCRIPTION = "Rewards given";

    private static final AttributeKey<String> ENVIRONMENT = AttributeKey.stringKey("environment");
    private static final AttributeKey<String> MODEL = AttributeKey.stringKey("model");
    private static final AttributeKey<String> RUN_ID = AttributeKey.stringKey("run_id");
    private static final AttributeKey<Boolean> COMPLETED = AttributeKey.booleanKey("completed");
    private static final AttributeKey<Boolean> SOLVED = AttributeKey.booleanKey("solved");
    private static final String OTHER = "(other)";
    private static final List<Double> SECONDS = List.of(
            0.001, 0.01, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_800.0, 3_600.0);

    private final LongCounter runs;
    private final LongCounter steps;
    private final DoubleHistogram duration;
    private final Rewards rewards;
    private final int labelledRuns;
    private final Set<String> labelled = new HashSet<>();

    Instruments(Meter meter, Rewards rewards, int labelledRuns) {
        this.rewards = rewards;
        this.labelledRuns = labelledRuns;
        runs = meter.counterBuilder("rlm.runs")
                .setUnit("1")
                .setDescription("Runs started")
                .build();
        steps = meter.counterBuilder("rlm.steps")
                .setUnit("1")
                .setDescription("Steps ended")
                .build();
        duration = meter.histogramBuilder("rlm.run_duration")
                .setUnit("s")
                .setDescription("From a run's start to its end")
                .setExplicitBucketBoundariesAdvice(SECONDS)
                .build();
    }

    void runStarted(RunInfo run, Span span) {
        runs.add(1, Attributes.of(ENVIRONMENT, run.environment()), context(span));
    }

    void stepEnded(RunInfo run, Span span) {
        Attributes labels = labelledRuns == 0
                ? Attributes.of(ENVIRONMENT, run.environment())
                : Attributes.of(ENVIRONMENT, run.environment(), RUN_ID, label(run.runId()));
        steps.add(1, labels, context(span));
    }

    /** The first runs of the process go by their id, so that the number of series stays bounded. */
    private String label(String runId) {
        if (labelled.contains(runId)) {
            return runId;
        } else if (labelled.size() < labelledRuns) {
            labelled.add(runId);
            return runId;
        }
        return OTHER;
    }

    /** Measures a reward that is a finite number; others enter no distribution. */
    void rewardGiven(RewardGiven reward, Span span) {
        if (Double.isFinite(reward.value())) {
            rewards.record(reward.value(), environmentAndModel(reward.run()), span.getSpanContext());
        }
    }

    void runEnded(RunEnded end, Span span) {
        Attributes labels = environmentAndModel(end.run()).toBuilder()
                .put(COMPLETED, end.outcome() == Outcome.COMPLETED)
                .put(SOLVED, end.solved())
                .build();
        duration.record((double) end.nanos() / TimeUnit.SECONDS.toNanos(1), labels, context(span));
    }

    private static Attributes environmentAndModel(RunInfo run) {
        return Attributes.of(ENVIRONMENT, run.environment(), MODEL, run.model());
    }

    private static Context context(Span span) {
        return Context.root().with(span);
    }

    /** Where rewards are measured. */
    @FunctionalInterface
    interface Rewards {
        void record(double reward, Attributes labels, SpanContext span);

        /**
         * The best that the OpenTelemetry API has for numbers that may be negative: their sum and their number. They are
         * named as a histogram's are in Prometheus, so that the same queries give the mean.
         */
        static Rewards sumAndCount(Meter meter) {
            DoubleUpDownCounter sum = meter.upDownCounterBuilder(REWARD + ".sum")
                    .ofDoubles()
                    .setUnit("1")
                    .setDescription("Sum of the rewards given")
                    .build();
            LongCounter count = meter.counterBuilder(REWARD + ".count")
                    .setUnit("1")
                    .setDescription(REWARD_DESCRIPTION)
                    .build();
            return (reward, labels, span) -> {
                Context context = context(Span.wrap(span));
                sum.add(reward, labels, context);
                count.add(1, labels, context);
            };
        }
    }
}
