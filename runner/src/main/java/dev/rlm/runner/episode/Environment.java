package dev.rlm.runner.episode;

import dev.rlm.sinks.Step;

/** What answers an agent's actions during one run. Used by one thread, for one run. */
public interface Environment extends AutoCloseable {
    /** What the agent sees before its first action. */
    String start() throws Exception;

    /**
     * Carries out an action. An action that does not work is an {@link Answer} with an error; an exception fails the run.
     *
     * @param step the running step, to record the calls of tools in
     */
    Answer step(Action action, Step step) throws Exception;

    /** Frees what it holds. Throws nothing: the run has ended by then. */
    @Override
    default void close() {}
}
