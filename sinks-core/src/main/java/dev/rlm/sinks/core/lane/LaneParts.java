package dev.rlm.sinks.core.lane;

/** Parts of a lane, for those who work in it. */
record LaneParts(
        String name,
        QuietLog log,
        LaneQueue queue,
        Intake intake,
        Account account,
        Quarantine quarantine,
        Flushes flushes,
        Losses losses,
        Closing closing) {
    /** Says what was lost since the last look. */
    void look() {
        losses.look(account.ledger());
    }
}
