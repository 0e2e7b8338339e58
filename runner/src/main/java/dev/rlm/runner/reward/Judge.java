package dev.rlm.runner.reward;

import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.Trajectory;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Rewards the runs of one sample, and their steps, besides their environment. Safe for use by several threads. */
public final class Judge {
    /** Leaves all rewards to the environment. */
    public static final Judge NONE = new Judge(RewardSum.NONE, RewardSum.NONE, null);

    private final RewardSum ofRuns;
    private final RewardSum ofSteps;
    private final @Nullable Sample sample;

    Judge(RewardSum ofRuns, RewardSum ofSteps, @Nullable Sample sample) {
        this.ofRuns = ofRuns;
        this.ofSteps = ofSteps;
        this.sample = sample;
    }

    /** Whether it rewards runs, in the place of what the environment gives for the final answer. */
    public boolean judgesRuns() {
        return !ofRuns.isEmpty();
    }

    /** Whether it rewards steps, besides what the environment gives for them. */
    public boolean judgesSteps() {
        return !ofSteps.isEmpty();
    }

    /** Whether rewards of steps may take a time that is worth a record. */
    public boolean takesTimeForSteps() {
        return !ofSteps.isInstant();
    }

    /**
     * Computes the reward of a run.
     *
     * @param steps all of them
     * @param finalAnswer {@code null} where there is none
     * @throws InterruptedException if this thread is interrupted
     */
    public Judgement ofRun(List<List<Observation.Done>> steps, int maxSteps, @Nullable String finalAnswer)
            throws InterruptedException {
        return ofRuns.judge(trajectory(steps, maxSteps, finalAnswer));
    }

    /** Likewise that of the last of those steps. */
    public Judgement ofStep(List<List<Observation.Done>> steps, int maxSteps, @Nullable String finalAnswer)
            throws InterruptedException {
        return ofSteps.judge(trajectory(steps, maxSteps, finalAnswer));
    }

    private Trajectory trajectory(List<List<Observation.Done>> steps, int maxSteps, @Nullable String finalAnswer) {
        return new Trajectory(Objects.requireNonNull(sample), steps, maxSteps, finalAnswer);
    }
}
