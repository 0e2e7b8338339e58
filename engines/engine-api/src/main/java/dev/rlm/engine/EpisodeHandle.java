package dev.rlm.engine;

import java.util.concurrent.CompletableFuture;

/** Handle of a group of episodes that an engine runs. */
public interface EpisodeHandle {
    /** Returns the future of the end: no episode goes on; exceptionally where the engine cannot go on. */
    CompletableFuture<Void> over();

    /** Has no more episodes begin, and aborts those that run. One that does not heed it is left to its thread. */
    void cancel();

    /** Returns how many attempts have ended in the record, but not stopped their work. */
    int leftBehind();
}
