package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.event.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The events of one episode: a start, a step with a model call, an end a second and a half after the start. */
final class Episode {
    static final Instant START = Instant.parse("2026-01-02T03:04:05Z");
    private static final long SECOND = 1_000_000_000L;

    RunInfo run;
    Outcome outcome = Outcome.COMPLETED;
    int absentRewards;
    Map<String, Double> metrics = Map.of();
    List<RewardComponent> components = List.of();

    @Nullable
    String runPath;

    private @Nullable Integer rewards;

    private final double reward;

    Episode(String id, @Nullable String invocation, int second, double reward) {
        this(id, second, reward, "scripted", ids -> invocation == null ? ids : ids.invocation(invocation));
    }

    /** One of the job {@code inv} by that model. */
    Episode(String id, int second, double reward, String model, UnaryOperator<CorrelationBuilder> ids) {
        this.reward = reward;
        run = RunInfoBuilder.builder()
                .runId(id)
                .startedAt(START.plusSeconds(second))
                .task(Content.redacted("2 + 2"))
                .environment("calc")
                .model(model)
                .maxSteps(8)
                .seed(42L)
                .passReward(1.0)
                .params(Map.of("agent", Map.of("temperature", 0.5), "tools", List.of("a", "b")))
                .correlation(ids.apply(Correlation.builder().codeVersion("c1")).build())
                .build();
    }

    /** The calls of that run, as a gateway records them. */
    Episode callsOf(String caller) {
        String rollout = "r-" + run.runId();
        run = RunInfoBuilder.builder(run)
                .environment("gateway")
                .parent(TraceContext.NONE.withRun(caller, rollout))
                .correlation(Correlation.builder()
                        .invocation(run.correlation().invocation())
                        .rollout(rollout)
                        .parentRun(caller)
                        .build())
                .build();
        return this;
    }

    Episode outcome(Outcome value) {
        outcome = value;
        return this;
    }

    RunStarted start() {
        return new RunStarted(run, 1);
    }

    RunEnded end() {
        return RunEndedBuilder.builder()
                .run(run)
                .seq(5)
                .nanos(3 * SECOND / 2)
                .outcome(outcome)
                .status(RunStatus.of(RunStatus.FINISHED, ""))
                .solved(reward >= 1)
                .runPath(runPath)
                .steps(1)
                .totalReward(reward)
                .absentRewards(absentRewards)
                .rewards(rewards)
                .metrics(metrics)
                .build();
    }

    StepEnded step() {
        StepStarted started = new StepStarted(run, 2, 0, 1, 0, Content.EMPTY);
        return StepEndedBuilder.builder()
                .started(started)
                .seq(4)
                .nanos(SECOND)
                .actionType("")
                .success(true)
                .reward(reward)
                .cumulativeReward(reward)
                .build();
    }

    ModelCalled call() {
        return ModelCalledBuilder.builder()
                .run(run)
                .seq(3)
                .nanos(SECOND)
                .step(1)
                .provider("p")
                .model("m")
                .usage(new Usage(100L, 20L, null, null))
                .build();
    }

    RewardGiven given(long seq, double value) {
        return RewardGivenBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(2 * SECOND)
                .step(RunEvent.NO_STEP)
                .source("judge")
                .components(components)
                .value(value)
                .startNanos(2 * SECOND)
                .build();
    }

    /** The events with a reward before the end. */
    List<Event> rewarded() {
        return List.of(start(), call(), given(4, reward), step(), end());
    }

    /** The events without one. */
    List<Event> unrewarded() {
        rewards = 0;
        return events();
    }

    List<Event> events() {
        return List.of(start(), call(), step(), end());
    }
}
