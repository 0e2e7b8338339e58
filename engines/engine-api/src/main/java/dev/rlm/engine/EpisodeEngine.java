package dev.rlm.engine;

/**
 * Engine that runs episodes: in this process, or on many machines. Policies, environments and sinks of an episode are
 * made in the process that runs it. Each episode is accepted once, whatever dies meanwhile: an attempt that was lost
 * with its process is followed by another one.
 *
 * @param <E> the kind of episode that it can run
 */
public interface EpisodeEngine<E extends EpisodeRequest> extends AutoCloseable {
    /** Starts to run the episodes of a group that are not over, and returns at once. The group hears how they go. */
    EpisodeHandle submit(EpisodeGroup<? extends E> group);

    /** Ends it and frees what it has. */
    @Override
    void close();
}
