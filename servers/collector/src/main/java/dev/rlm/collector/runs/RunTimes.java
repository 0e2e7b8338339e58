package dev.rlm.collector.runs;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Times of a run that was made, to whose end rewards alone are added.
 *
 * @param start in nanoseconds since 1970
 * @param end in nanoseconds since 1970
 */
public record RunTimes(long start, long end) {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Returns those of the run with that id that ends among the events; {@code before} where none does. */
    public static @Nullable RunTimes of(String runId, List<RunEvent> events, @Nullable RunTimes before) {
        RunTimes times = before;
        for (RunEvent event : events) {
            if (event instanceof RunEnded && event.run().runId().equals(runId)) {
                long start = epochNanos(event.run().startedAt());
                times = new RunTimes(start, start + event.nanos());
            }
        }
        return times;
    }

    static Instant instant(long epochNanos) {
        return Instant.ofEpochSecond(Math.floorDiv(epochNanos, SECOND), Math.floorMod(epochNanos, SECOND));
    }

    static long epochNanos(Instant time) {
        return time.getEpochSecond() * SECOND + time.getNano();
    }
}
