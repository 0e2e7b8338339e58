package dev.rlm.runner.episode;

import dev.rlm.episodes.Observation;
import dev.rlm.runner.reward.Judge;
import dev.rlm.runner.reward.Judgement;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Step;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rewards of one run besides its environment's. Used by the run's thread, which holds no lock meanwhile: so the run may be
 * ended from outside while one is computed.
 */
final class Judging {
    private static final String RUN = "reward";
    private static final String STEP = "step_reward";

    private final Judge judge;
    private final Attempt attempt;
    private final int maxSteps;
    private final List<List<Observation.Done>> steps = new ArrayList<>();

    Judging(Judge judge, Attempt attempt, int maxSteps) {
        this.judge = judge;
        this.attempt = attempt;
        this.maxSteps = maxSteps;
    }

    /** Whether what the environment gives for the final answer is replaced. */
    boolean replacesFinal() {
        return judge.judgesRuns();
    }

    /** Rewards a step that is about to end. */
    void ofStep(Step step, Observation after, @Nullable String finalAnswer) throws InterruptedException {
        if (judge.judgesRuns() || judge.judgesSteps()) {
            steps.add(after.done());
        }
        if (judge.judgesSteps()) {
            if (judge.takesTimeForSteps()) {
                evaluate(step, STEP, () -> judge.ofStep(steps, maxSteps, finalAnswer));
            } else {
                attempt.rewarded(step, STEP, judge.ofStep(steps, maxSteps, finalAnswer));
            }
        }
    }

    /** Rewards the run, which is about to end. */
    void ofRun(@Nullable String finalAnswer) throws InterruptedException {
        if (judge.judgesRuns()) {
            evaluate(null, RUN, () -> judge.ofRun(steps, maxSteps, finalAnswer));
        }
    }

    private void evaluate(@Nullable Step step, String source, Computation computation) throws InterruptedException {
        Evaluation evaluation = attempt.startEvaluation(step, source);
        Judgement judgement;
        try (Scope ignored = evaluation.makeCurrent()) {
            judgement = computation.run();
        }
        attempt.evaluated(evaluation, judgement);
    }

    @FunctionalInterface
    private interface Computation {
        Judgement run() throws InterruptedException;
    }
}
