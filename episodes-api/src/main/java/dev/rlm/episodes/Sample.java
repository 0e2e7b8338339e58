package dev.rlm.episodes;

import java.util.Optional;

/** One task of a data set. Immutable. */
public interface Sample {
    /** Stable: the same task has the same id in every job. */
    String id();

    /** Its line in the data set, or its place among the generated ones; from 1. */
    int row();

    /** What the agent is asked to do. */
    String task();

    /** The right answer, where there is one that can be written down. */
    default Optional<String> truth() {
        return Optional.empty();
    }
}
