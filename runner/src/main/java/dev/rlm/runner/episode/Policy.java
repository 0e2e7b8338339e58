package dev.rlm.runner.episode;

import dev.rlm.sinks.Step;

/** What acts during one run. Used by one thread, for one run. */
@FunctionalInterface
public interface Policy {
    /**
     * Chooses the next action. An exception fails the run.
     *
     * @param observation what the environment showed last
     * @param step the running step, to record the calls of models in
     */
    Action act(String observation, Step step) throws Exception;
}
