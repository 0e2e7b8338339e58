package dev.rlm.episodes;

/**
 * Judges what an agent did. Safe for use by several threads. What it calls meanwhile, a judge's model or a test run, is
 * recorded within the reward where it is traced on the calling thread.
 */
@FunctionalInterface
public interface RewardFunction {
    /**
     * The reward, before weighting. NaN or an exception makes the run's reward absent, never 0.
     *
     * @param trajectory all that was done, or, for the reward of a step, all up to and including it
     */
    double reward(Trajectory trajectory) throws Exception;
}
