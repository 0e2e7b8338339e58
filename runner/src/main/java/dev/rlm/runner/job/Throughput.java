package dev.rlm.runner.job;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Speed of a job, by what has ended in the last minute; if nothing has, since the job's start. For one thread.
 */
final class Throughput {
    private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();
    private static final Duration MOST = Duration.ofDays(365);

    private final LongSupplier nanoTime;
    private final Mark start;
    private final Deque<Mark> marks = new ArrayDeque<>();

    /**
     * The pace of a job that starts now.
     *
     * @param ended how much of it was over before
     */
    Throughput(int ended, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.start = new Mark(nanoTime.getAsLong(), ended);
        marks.add(start);
    }

    /** Returns how many end in a second, now that so many have ended; 0 if none has since the start. */
    double perSecond(int ended) {
        Mark now = new Mark(nanoTime.getAsLong(), ended);
        marks.add(now);
        while (marks.size() > 2 && now.nanos - second().nanos >= WINDOW_NANOS) {
            marks.removeFirst(); // the one before the window stays, so that the whole window counts
        }
        double recent = marks.getFirst().to(now);
        return recent > 0 ? recent : start.to(now);
    }

    private Mark second() {
        return marks.stream().skip(1).findFirst().orElseThrow();
    }

    /** Returns the time that the rest takes at that pace; empty if it is unknown or more than a year. */
    static Optional<Duration> left(int rest, double perSecond) {
        double seconds = rest / perSecond;
        return seconds < MOST.toSeconds() ? Optional.of(Duration.ofMillis((long) (seconds * 1_000))) : Optional.empty();
    }

    private record Mark(long nanos, int ended) {
        private double to(Mark later) {
            return later.nanos == nanos ? 0 : (later.ended - ended) * 1e9 / (later.nanos - nanos);
        }
    }
}
