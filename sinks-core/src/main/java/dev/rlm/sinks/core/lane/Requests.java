package dev.rlm.sinks.core.lane;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** Requests to a lane's thread beside events: flushes that somebody waits for, and in the end its close. On any thread. */
final class Requests {
    private static final Duration MAX_RESERVE = Duration.ofMillis(250);

    private final Queue<Flush> flushes = new ConcurrentLinkedQueue<>();
    private boolean closeClaimed; // guarded by this
    private volatile @Nullable Long closeBy; // nanoTime; set once

    /** Returns whether nothing is asked for. */
    boolean isEmpty() {
        return flushes.isEmpty() && closeBy == null;
    }

    /** Asks for a flush that is over by that time. */
    CompletableFuture<Boolean> flush(long by) {
        Flush flush = new Flush(by, new CompletableFuture<>());
        flushes.add(flush);
        return flush.answer();
    }

    @Nullable
    Flush pollFlush() {
        return flushes.poll();
    }

    /** Nobody will flush any more. */
    void refuseFlushes() {
        for (Flush flush = flushes.poll(); flush != null; flush = flushes.poll()) {
            flush.answer().complete(false);
        }
    }

    /** Returns whether who asks is the first, and so the one to begin the close. */
    synchronized boolean claimClose() {
        boolean first = !closeClaimed;
        closeClaimed = true;
        return first;
    }

    /** Returns the part of a close's time that its sink gets: it has to be over a little before who waits for it goes on. */
    static Duration share(Duration timeout) {
        Duration reserve = timeout.dividedBy(10);
        return timeout.minus(reserve.compareTo(MAX_RESERVE) < 0 ? reserve : MAX_RESERVE);
    }

    void close(Duration timeout) {
        closeBy = System.nanoTime() + timeout.toNanos();
    }

    boolean isClosing() {
        return closeBy != null;
    }

    /** Returns the time left for the close. */
    Duration closeTime() {
        Long by = closeBy;
        return by == null ? Duration.ZERO : until(by);
    }

    /** Returns the time until that nanoTime; never less than nothing. */
    static Duration until(long end) {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /**
     * A flush to be done.
     *
     * @param by until when, as {@link System#nanoTime} tells
     */
    record Flush(long by, CompletableFuture<Boolean> answer) {}
}
