package dev.rlm.runner.episode;

import dev.rlm.engine.EpisodeResult;
import dev.rlm.episodes.Observation;

/** Hears how an attempt at an episode goes, on the thread of its run. */
public interface EpisodeListener {
    /** Hears nothing. */
    EpisodeListener NONE = new EpisodeListener() {};

    /** Is told what the environment showed at first. */
    default void starts(String observation) {}

    /**
     * Is told that a step has ended by itself.
     *
     * @param after what was done, and what came of it
     * @param reward the sum of its finite rewards; NaN where it got none but others
     */
    default void stepped(Observation after, double reward) {}

    /** Is told what the attempt came to. */
    default void ended(EpisodeResult result) {}
}
