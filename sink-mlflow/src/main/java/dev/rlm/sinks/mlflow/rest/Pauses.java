package dev.rlm.sinks.mlflow.rest;

import java.time.Duration;

/** How long to wait before each further attempt: a quarter of a second, then twice as long each time, up to five seconds. */
public final class Pauses {
    private static final Duration FIRST = Duration.ofMillis(250);
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private Duration next = FIRST;

    /** The next one. */
    public Duration next() {
        Duration now = next;
        Duration twice = now.multipliedBy(2);
        next = twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
        return now;
    }
}
