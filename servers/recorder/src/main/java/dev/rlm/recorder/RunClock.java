package dev.rlm.recorder;

import dev.rlm.sinks.event.RunInfo;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Tells when things happened in a run: as the line says, else now. */
final class RunClock {
    private static final Instant FIRST = Instant.parse("1970-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("2200-01-01T00:00:00Z"); // nanoseconds since 1970 end in 2262
    private static final long CLOSE_ENOUGH = 1_000_000;

    private final RunInfo run;
    private final long origin;

    /** Of a run whose start has just come, and may have been a while ago. */
    RunClock(RunInfo run) {
        this.run = run;
        this.origin = System.nanoTime() - Math.max(0, run.nanosTo(Instant.now()));
    }

    /** Returns the time of a line that is in no run yet: as it says, else now. */
    static Instant time(Line line) {
        Instant time = line.get("time", Instant.class);
        return time == null ? Instant.now() : checked("time", time);
    }

    private static Instant checked(String name, Instant time) {
        if (time.isBefore(FIRST) || time.isAfter(LAST)) {
            throw new LineRefusedException(name + " must lie between 1970 and 2200, not at " + time);
        }
        return time;
    }

    /** Returns when it happened; what has no time of its own happens now, and not before what is known. */
    long nanos(Line line, long known) {
        Long said = said(line, "nanos", "time");
        return said != null ? said : now(known);
    }

    /** Returns this moment, or what is known where that is later. */
    long now(long known) {
        return Math.max(known, System.nanoTime() - origin);
    }

    /** Returns when it started; at the given moment unless it says. */
    long startNanos(Line line, long unlessSaid, long end) {
        Long said = said(line, "start_nanos", "start_time");
        long start = said == null ? unlessSaid : said;
        if (start > end) {
            throw new LineRefusedException("it would end " + Duration.ofNanos(start - end)
                    + " before it started: see time, nanos, start_time, start_nanos");
        }
        return start;
    }

    private @Nullable Long said(Line line, String nanosName, String timeName) {
        Long nanos = line.get(nanosName, Long.class);
        Instant time = line.get(timeName, Instant.class);
        if (time != null) {
            long byTime = run.nanosTo(checked(timeName, time));
            if (nanos != null && Math.abs(nanos - byTime) > CLOSE_ENOUGH) {
                throw new LineRefusedException(nanosName + " and " + timeName + " tell two different times");
            }
            nanos = nanos == null ? Long.valueOf(byTime) : nanos;
        }
        if (nanos != null && nanos < 0) {
            throw new LineRefusedException((time == null ? nanosName : timeName) + " lies before the run's start");
        }
        if (nanos != null && nanos > Duration.between(run.startedAt(), LAST).toNanos()) {
            throw new LineRefusedException(nanosName + " lies after 2200");
        }
        return nanos;
    }
}
