package dev.rlm.sinks.core.lane;

/** State of a lane's thread in which it takes no events from the queue. */
enum ConsumerState {
    /** Its thread sleeps for long, since nothing came for a while. */
    ASLEEP(""),

    /** Its thread has ended. */
    CLOSED(Reasons.CLOSED),

    /** Its sink hangs and was given up. */
    HUNG(Reasons.HUNG),

    /** Its sink was given up for its errors. */
    DEAD(Reasons.SINK_DEAD);

    private final String reason;

    ConsumerState(String reason) {
        this.reason = reason;
    }

    /** Returns the reason for which events are dropped meanwhile. */
    String reason() {
        return reason;
    }

    /** Returns whether events that are queued would not be taken out by the lane's thread. */
    boolean isLasting() {
        return this != ASLEEP;
    }
}
