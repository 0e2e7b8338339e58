package dev.rlm.sinks.core.lane;

/** Parts of a lane, for those who work in it. */
record LaneParts(
        String name,
        ThrottledLog log,
        LaneQueue queue,
        EventQueue events,
        LaneCounts counts,
        CircuitBreaker breaker,
        LossLog lossLog) {
    /** Says what was lost since the last look. */
    void look() {
        lossLog.look(counts.ledger());
    }
}
