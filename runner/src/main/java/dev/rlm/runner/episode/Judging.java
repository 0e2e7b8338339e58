package dev.rlm.runner.episode;

import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.Trajectory;
import dev.rlm.runner.reward.Judgement;
import dev.rlm.runner.reward.RewardSum;
import dev.rlm.runner.reward.Rewards;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rewards of one run besides its environment's. Used by the run's thread, which holds no lock meanwhile: so the run may be
 * ended from outside while one is computed.
 */
final class Judging {
    private final Rewards rewards;
    private final @Nullable Sample sample;
    private final int maxSteps;
    private final Attempt attempt;
    private final List<List<Observation.Done>> steps = new ArrayList<>();

    Judging(Episode episode, Attempt attempt) {
        this.rewards = episode.rewards();
        this.sample = episode.sample();
        this.maxSteps = episode.spec().maxSteps();
        this.attempt = attempt;
    }

    /** Whether what the environment gives for the final answer is replaced. */
    boolean replacesFinal() {
        return !rewards.ofRuns().isEmpty();
    }

    /** Rewards a step that is about to end. */
    void ofStep(Step step, Observation after, @Nullable String finalAnswer) throws InterruptedException {
        RewardSum reward = rewards.ofSteps();
        if (replacesFinal() || !reward.isEmpty()) {
            steps.add(after.done());
        }
        if (!reward.isEmpty() && reward.isInstant()) {
            attempt.rewarded(step, "step_reward", reward.judge(trajectory(finalAnswer)));
        } else if (!reward.isEmpty()) {
            evaluate(step, "step_reward", reward, finalAnswer);
        }
    }

    /** Rewards the run, which is about to end. */
    void ofRun(@Nullable String finalAnswer) throws InterruptedException {
        if (replacesFinal()) {
            evaluate(null, "reward", rewards.ofRuns(), finalAnswer);
        }
    }

    private void evaluate(@Nullable Step step, String source, RewardSum reward, @Nullable String finalAnswer)
            throws InterruptedException {
        Evaluation evaluation = attempt.startEvaluation(step, source);
        Judgement judgement;
        try (Scope ignored = evaluation.makeCurrent()) {
            judgement = reward.judge(trajectory(finalAnswer));
        }
        attempt.evaluated(evaluation, judgement);
    }

    private Trajectory trajectory(@Nullable String finalAnswer) {
        return new Trajectory(Objects.requireNonNull(sample), steps, maxSteps, finalAnswer);
    }
}
