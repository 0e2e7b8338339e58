package dev.rlm.sinks.otel;

import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** A wall clock and a stopwatch that a test moves, both by the same. */
public final class FakeClock {
    public static final Instant START = Instant.parse("2026-01-02T03:04:05.123456789Z");
    static final long START_NANOS = START.getEpochSecond() * 1_000_000_000L + START.getNano();

    private final AtomicLong nanos = new AtomicLong();

    void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    public void advanceMillis(long millis) {
        advance(Duration.ofMillis(millis));
    }

    public Sinks.Builder of(Sinks.Builder hub) {
        return hub.clocks(() -> START.plusNanos(nanos.get()), nanos::get);
    }

    /** Nanoseconds since 1970, so many milliseconds after the start. */
    public static long at(long millis) {
        return START_NANOS + millis * 1_000_000;
    }
}
