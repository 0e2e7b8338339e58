package dev.rlm.episodes;

import dev.rlm.sinks.Step;
import java.util.Map;

/** The part of an agent that chooses its actions during one run. Used by one thread, for one run. */
@FunctionalInterface
public interface Policy extends AutoCloseable {
    /**
     * Chooses what to do next. An exception fails the run; an {@link InterruptedException} aborts it.
     *
     * @param seen the environment's last observation
     * @param step the running step, to record the calls of models in
     */
    Turn act(Observation seen, Step step) throws Exception;

    /**
     * Returns numbers of the run by name, for its end's record. Asked once, when nothing more is done in it, on the
     * run's thread; not asked where the run was ended from outside. An exception is logged and costs these numbers
     * alone.
     */
    default Map<String, Double> metrics() {
        return Map.of();
    }

    /** Frees what it holds. Throws nothing: the run has ended by then. Called on the run's thread. */
    @Override
    default void close() {}
}
