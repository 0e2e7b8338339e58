package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
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

    final RunInfo run;
    Outcome outcome = Outcome.COMPLETED;
    int absentRewards;

    @Nullable
    String runPath;

    private final double reward;

    Episode(String id, @Nullable String invocation, int second, double reward) {
        this(id, second, reward, "scripted", ids -> invocation == null ? ids : ids.invocation(invocation));
    }

    /** One of the job {@code inv} by that model. */
    Episode(String id, int second, double reward, String model, UnaryOperator<Correlation.Builder> ids) {
        this.reward = reward;
        run = new RunInfo(
                id,
                START.plusSeconds(second),
                Content.redacted("2 + 2"),
                "calc",
                model,
                8,
                42L,
                Map.of("agent", Map.of("temperature", 0.5), "tools", List.of("a", "b")),
                Map.of(),
                ids.apply(Correlation.builder().codeVersion("c1")).build(),
                null);
    }

    Episode outcome(Outcome value) {
        outcome = value;
        return this;
    }

    RunStarted start() {
        return new RunStarted(run, 1);
    }

    RunEnded end() {
        return new RunEnded(
                run,
                5,
                3 * SECOND / 2,
                outcome,
                RunStatus.of(RunStatus.FINISHED, ""),
                reward >= 1,
                runPath,
                null,
                false,
                1,
                reward,
                absentRewards,
                null,
                Map.of(),
                null,
                null);
    }

    StepEnded step() {
        StepStarted started = new StepStarted(run, 2, 0, 1, 0, Content.EMPTY);
        return new StepEnded(
                started,
                4,
                SECOND,
                "",
                Content.EMPTY,
                Content.EMPTY,
                true,
                null,
                null,
                reward,
                reward,
                null,
                null,
                Map.of());
    }

    ModelCalled call() {
        return new ModelCalled(
                run,
                3,
                SECOND,
                1,
                0,
                0,
                null,
                "p",
                "m",
                Map.of(),
                List.of(),
                null,
                new Usage(100L, 20L, null, null),
                null,
                null,
                0,
                null);
    }

    RewardGiven given(long seq, double value) {
        return new RewardGiven(run, seq, 2 * SECOND, RunEvent.NO_STEP, "judge", value, null, List.of(), 2 * SECOND);
    }

    /** The events with a reward before the end. */
    List<Event> rewarded() {
        return List.of(start(), call(), given(4, reward), step(), end());
    }

    List<Event> events() {
        return List.of(start(), call(), step(), end());
    }
}
