package dev.rlm.episodes;

import java.util.Set;

/**
 * Judges what an agent did. Safe for use by several threads. Calls that it makes meanwhile, of a judge's model or a
 * test run, are recorded within the reward if they are traced on the calling thread. A computation that takes too long
 * is interrupted, and given up where it does not heed that.
 */
@FunctionalInterface
public interface RewardFunction {
    /**
     * The reward, before weighting. NaN or an exception makes the reward of the run or step absent, never 0.
     *
     * @param trajectory all that was done, or, for the reward of a step, all up to and including it
     */
    double reward(Trajectory trajectory) throws Exception;

    /**
     * The same with its parts, such as a judge's scores for style and for content: they are recorded as the reward's
     * components {@code name/part} with the weight 0. This is what is called, once a reward.
     */
    default Score score(Trajectory trajectory) throws Exception {
        return Score.of(reward(trajectory));
    }

    /**
     * Returns what it looks at: a recorded run that lacks some of it is not judged, and none is by a function that needs the
     * {@linkplain RewardNeed#ENVIRONMENT environment}. Answer and steps unless told.
     */
    default Set<RewardNeed> needs() {
        return Set.of(RewardNeed.ANSWER, RewardNeed.STEPS);
    }
}
