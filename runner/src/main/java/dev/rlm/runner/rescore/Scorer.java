package dev.rlm.runner.rescore;

import dev.rlm.episodes.RewardNeed;
import dev.rlm.sinks.Reward;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** Judge of recorded runs: a sum of reward functions, or a model. Safe for use by several threads. */
interface Scorer {
    /** Returns what it looks at. */
    Set<RewardNeed> needs();

    /**
     * Judges a run.
     *
     * @throws ScoreException if it comes to no value
     * @throws InterruptedException if this thread is interrupted
     */
    Reward score(JudgedRun run) throws ScoreException, InterruptedException;

    /** Returns whether it asks a server: where that is gone, there is no sense in asking for every run. */
    default boolean asksServer() {
        return false;
    }

    /** Returns the scorer's secret values. */
    default Collection<String> secrets() {
        return List.of();
    }

    /** A run could not be judged. The message says why. */
    final class ScoreException extends Exception {
        private static final long serialVersionUID = 1;

        ScoreException(String message) {
            super(message);
        }
    }
}
