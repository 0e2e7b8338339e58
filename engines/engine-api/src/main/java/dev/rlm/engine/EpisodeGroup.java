package dev.rlm.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Episodes that belong together, as those of a job, and what hears how they go. An engine calls it from several threads at once.
 *
 * @param <E> the kind of episode
 */
public interface EpisodeGroup<E extends EpisodeRequest> {
    /** Returns all episodes in their order, where they are known before the first one begins; otherwise none. */
    List<E> known();

    /**
     * Returns the next episode once there is one, each once; {@code null} where there will be none any more. For an engine that
     * asks when it has room.
     *
     * @throws InterruptedException if the group is cancelled meanwhile
     */
    @Nullable
    E next() throws InterruptedException;

    /** Hears that an attempt begins. */
    void begun(E episode);

    /**
     * Hears what an attempt came to, once each. The episode's {@linkplain EpisodeRequest#history history} has it afterwards.
     *
     * @param attempt its number, from 1
     */
    void ended(E episode, int attempt, EpisodeResult result);
}
