package dev.rlm.runner.episode;

import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.Outcome;
import java.time.Duration;

/** A run's totals while it runs. The recording handles tell nothing back, so the runner counts for itself. */
final class Tally {
    private final RunSpec spec;
    private final long start = System.nanoTime();
    private double total;
    private double last = Double.NaN;
    private int steps;
    private int toolCalls;

    Tally(RunSpec spec) {
        this.spec = spec;
    }

    void step() {
        steps++;
    }

    void answer(Answer answer) {
        toolCalls += answer.toolCalls();
        Double reward = answer.reward();
        if (reward != null) {
            last = reward;
            total += reward;
        }
    }

    EpisodeResult result(Outcome outcome) {
        double decisive = spec.passOn() == RunSpec.PassOn.LAST ? last : total;
        return new EpisodeResult(
                spec.runId(),
                spec.model(),
                outcome,
                decisive >= spec.passReward(),
                steps,
                toolCalls,
                total,
                Duration.ofNanos(System.nanoTime() - start));
    }
}
