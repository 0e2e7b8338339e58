package dev.rlm.sinks.core.lane;

import org.jspecify.annotations.Nullable;

/**
 * Reference of the runs to a lane that serves them. They hold this and not the lane, since they are known for long after their end:
 * a lane that was taken out can then be let go of. Read by any thread.
 */
final class LaneRef {
    private volatile @Nullable Lane lane;
    private volatile EventQueue events;

    LaneRef(Lane lane, EventQueue events) {
        this.lane = lane;
        this.events = events;
    }

    /** The lane, unless it was let go of. */
    @Nullable
    Lane lane() {
        return lane;
    }

    /** Returns the queue where events are offered, or at least counted. */
    EventQueue events() {
        return events;
    }

    boolean isEmpty() {
        return lane == null;
    }

    /** Lets go of the lane; what still comes for it is counted there. */
    void vacate(EventQueue closed) {
        events = closed;
        lane = null;
    }
}
