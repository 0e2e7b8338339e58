package dev.rlm.runner.episode;

import dev.rlm.engine.EpisodeResult;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.RewardTotals;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A run's totals while it runs. The recording handles tell nothing back, so the runner counts for itself. */
final class EpisodeTotals {
    private final RunSpec spec;
    private final long start = System.nanoTime();
    private final RewardTotals rewards = new RewardTotals();
    private double ofStep = RewardTotals.NO_REWARD;
    private int steps;
    private int toolCalls;

    EpisodeTotals(RunSpec spec) {
        this.spec = spec;
    }

    void step() {
        steps++;
        ofStep = RewardTotals.NO_REWARD;
    }

    void toolCalls(int count) {
        toolCalls += count;
    }

    /** A reward was given; NaN where it is absent. */
    void reward(double value) {
        rewards.add(value);
        ofStep = RewardTotals.plus(ofStep, value);
    }

    /** The sum of the finite rewards since the last step began; NaN where there were none but others. */
    double stepReward() {
        return ofStep + 0.0;
    }

    /** Returns the result of the run if it ends now; the error is the reason, if there is one. */
    EpisodeResult result(Outcome outcome, @Nullable Throwable error) {
        return new EpisodeResult(
                spec.runId(),
                spec.model(),
                outcome,
                rewards.given() == 0 ? null : (Boolean) rewards.isSolved(spec.passOn(), spec.passReward()),
                steps,
                toolCalls,
                rewards.total(),
                rewards.absent() > 0,
                Duration.ofNanos(System.nanoTime() - start),
                error == null ? null : error.getClass().getName(),
                error == null ? null : message(error));
    }

    @SuppressWarnings("CatchThrowable") // an environment's own exception may even fail to say what it is
    private static String message(Throwable error) {
        String name = error.getClass().getSimpleName();
        try {
            return Objects.requireNonNullElse(error.getMessage(), name);
        } catch (Throwable e) {
            return name;
        }
    }
}
