package dev.rlm.sinks.delivery;

import java.time.Duration;

/**
 * Bounds of batches, and of what waits to be sent.
 *
 * @param maxItems how many items a batch has at most
 * @param maxSize what the items of a batch of more than one take at most, as {@link BatchSender#size} measures them
 * @param linger how long an item waits for company
 * @param inFlight how many requests may be under way at once
 * @param waiting for how many full batches there is room beside those
 * @param longestStall how long {@link Batcher#add} waits for room, in all while nothing arrives
 * @param waitsAtClose whether it still waits when a close has begun
 */
public record BatchLimits(
        int maxItems,
        long maxSize,
        Duration linger,
        int inFlight,
        int waiting,
        Duration longestStall,
        boolean waitsAtClose) {
    /** However long it takes. */
    public static final Duration NO_END = Duration.ofNanos(Long.MAX_VALUE);

    private static final Duration LINGER = Duration.ofMillis(500);

    public BatchLimits {
        if (maxItems < 1 || maxSize < 1 || inFlight < 1 || waiting < 0) {
            throw new IllegalArgumentException("a batch needs room for one item, and one request in flight");
        }
    }

    /**
     * Returns bounds with a request in flight at a time and room for one batch beside it: the lane is the queue, and waits as
     * long as it takes.
     */
    public static BatchLimits of(int maxItems, long maxSize) {
        return new BatchLimits(maxItems, maxSize, LINGER, 1, 1, NO_END, true);
    }

    /** Returns bounds for items whose size is of no matter. */
    public static BatchLimits of(int maxItems) {
        return of(maxItems, maxItems);
    }

    /** Returns the same with items that wait so long for company. */
    public BatchLimits linger(Duration value) {
        return new BatchLimits(maxItems, maxSize, value, inFlight, waiting, longestStall, waitsAtClose);
    }

    /** Returns the same with so many requests under way at once. */
    public BatchLimits inFlight(int value) {
        return new BatchLimits(maxItems, maxSize, linger, value, waiting, longestStall, waitsAtClose);
    }

    /** Returns the same with room for so many batches. */
    public BatchLimits waiting(int value) {
        return new BatchLimits(maxItems, maxSize, linger, inFlight, value, longestStall, waitsAtClose);
    }

    /** Returns the same with a lane that waits so long for room, and at a close only where that is said. */
    public BatchLimits stall(Duration longest, boolean atClose) {
        return new BatchLimits(maxItems, maxSize, linger, inFlight, waiting, longest, atClose);
    }

    /** Returns the least that an item takes of the room: full batches of small items fill it as those of large ones. */
    long leastCost() {
        return maxSize / maxItems;
    }

    /** Returns the room for all that waits or is in flight. */
    long room() {
        return Math.multiplyExact(maxSize, inFlight + waiting);
    }

    long stallNanos() {
        return longestStall.compareTo(NO_END) < 0 ? longestStall.toNanos() : Long.MAX_VALUE;
    }
}
