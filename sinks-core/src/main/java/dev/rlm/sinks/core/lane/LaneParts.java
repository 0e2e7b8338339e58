package dev.rlm.sinks.core.lane;

/** Parts of a lane, for those who work in it. */
record LaneParts(
        String name,
        ThrottledLog log,
        LaneQueue queue,
        EventQueue events,
        Account account,
        CircuitBreaker breaker,
        Losses losses) {
    /** Says what was lost since the last look. */
    void look() {
        losses.look(account.ledger());
    }
}
