package dev.rlm.episodes;

import java.util.Optional;

/** One task of a data set. Immutable. */
public interface Sample {
    /** Returns the task's id, which is the same in every job. */
    String id();

    /** Returns its line in the data set, or its place among the generated ones; from 1. */
    int row();

    /** Returns what the agent is asked to do. */
    String task();

    /** Returns the right answer, if there is one that can be written down. */
    default Optional<String> truth() {
        return Optional.empty();
    }
}
