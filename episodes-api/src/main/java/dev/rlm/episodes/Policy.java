package dev.rlm.episodes;

import dev.rlm.sinks.Step;

/** What acts during one run. Used by one thread, for one run. */
@FunctionalInterface
public interface Policy {
    /**
     * Chooses what to do next. An exception fails the run; an {@link InterruptedException} aborts it.
     *
     * @param seen what the environment showed last
     * @param step the running step, to record the calls of models in
     */
    Turn act(Observation seen, Step step) throws Exception;
}
