package dev.rlm.engine;

/**
 * Provider of an engine, which programs find by {@link java.util.ServiceLoader}. The caller that opens an engine closes
 * it.
 */
public interface EngineProvider {
    /** Returns the name by which the engine is chosen. */
    String name();

    /**
     * Opens the engine for one job.
     *
     * @throws IllegalArgumentException if something in the context is not valid; the message tells users what is allowed
     */
    EpisodeEngine<EpisodeRequest> open(EngineContext context);
}
