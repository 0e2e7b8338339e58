package dev.rlm.sinks.core.lane;

import org.jspecify.annotations.Nullable;

/**
 * A lane's place in the runs that it serves. They hold this and not the lane, since they are known for long after their end:
 * a lane that was taken out can then be let go of. Read by any thread.
 */
final class Seat {
    private volatile @Nullable Lane lane;
    private volatile Intake intake;

    Seat(Lane lane, Intake intake) {
        this.lane = lane;
        this.intake = intake;
    }

    /** The lane, unless it was let go of. */
    @Nullable
    Lane lane() {
        return lane;
    }

    /** Where events are offered, or at least counted. */
    Intake intake() {
        return intake;
    }

    boolean isEmpty() {
        return lane == null;
    }

    /** Lets go of the lane; what still comes for it is counted there. */
    void vacate(Intake closed) {
        intake = closed;
        lane = null;
    }
}
