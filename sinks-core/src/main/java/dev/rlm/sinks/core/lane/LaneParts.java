package dev.rlm.sinks.core.lane;

/** Parts of a lane, for those who work in it. */
record LaneParts(
        String name,
        ThrottledLog log,
        LaneQueue queue,
        EventQueue events,
        Account account,
        CircuitBreaker breaker,
        Requests requests,
        Losses losses) {}
