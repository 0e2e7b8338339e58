package dev.rlm.recorder;

import org.jspecify.annotations.Nullable;

/**
 * What became of a group of lines.
 *
 * @param synced whether a durable sink has them
 * @param problem why it is not known to have them; {@code null} where it has, and where there is no durable sink
 */
record Commit(boolean synced, @Nullable String problem) {
    static final Commit SYNCED = new Commit(true, null);
    static final Commit NOT_DURABLE = new Commit(false, null);
}
