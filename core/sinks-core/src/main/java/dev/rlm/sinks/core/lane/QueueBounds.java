package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.SinkConfig;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Bounds of the queue of each lane.
 *
 * @param events how many events it holds at most
 * @param bytes what these refer to, at most
 * @param openRuns for how many open runs room is reserved beside, for their ends
 * @param waits whether those who offer wait for room, for as long as it takes, rather than have an event dropped
 */
public record QueueBounds(int events, long bytes, int openRuns, boolean waits) {
    /** Bounds where producers wait: a small queue is enough, because a slow sink loses no events. */
    public static final QueueBounds WAITING = new QueueBounds(1 << 12, 8L << 20, 0, true);

    /** Bounds of a queue without a consumer, which is there to count. */
    static final QueueBounds NONE = new QueueBounds(2, 64L << 20, 0, false);

    private static final String EVENTS = "RLM_QUEUE_EVENTS";
    private static final String BYTES = "RLM_QUEUE_BYTES";
    private static final int MAX_EVENTS = 1 << 22;
    private static final long LEAST_BYTES = 1L << 20;

    /** Returns the bounds that variables give; 65,536 events and 64 MiB where they give none. */
    public static QueueBounds of(@Nullable SinkConfig given) {
        SinkConfig config = given == null ? SinkConfig.of(Map.of()) : given.shared();
        long bytes = config.bytes(BYTES, 64L << 20);
        if (bytes < LEAST_BYTES) {
            throw config.invalid(BYTES, "at least 1MiB");
        }
        return new QueueBounds(config.integer(EVENTS, 1 << 16, 1 << 8, MAX_EVENTS), bytes, 1 << 16, false);
    }
}
