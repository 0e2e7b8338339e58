package dev.rlm.runner.episode;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** How long a run may take. It interrupts the thread of one that takes longer. */
final class TimeLimit implements AutoCloseable {
    private final @Nullable Duration limit;
    private final @Nullable ScheduledExecutorService timer;

    /** A limit; {@code null} for none. */
    TimeLimit(@Nullable Duration limit) {
        this.limit = limit;
        this.timer = limit == null ? null : timer();
    }

    private static ScheduledExecutorService timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "rlm-time-limit");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    /** Watches over the calling thread until the watch is closed. */
    Watch watch() {
        return new Watch(Thread.currentThread());
    }

    @Override
    public void close() {
        if (timer != null) {
            timer.shutdownNow();
        }
    }

    /** The time of one run. */
    final class Watch implements AutoCloseable {
        private final Thread watched;
        private boolean closed;
        private boolean expired;

        private Watch(Thread watched) {
            this.watched = watched;
            if (timer != null && limit != null) {
                var unused = timer.schedule(this::expire, limit.toNanos(), TimeUnit.NANOSECONDS);
            }
        }

        private synchronized void expire() {
            if (!closed) {
                expired = true;
                watched.interrupt();
            }
        }

        /** Whether the run has taken too long. */
        synchronized boolean expired() {
            return expired;
        }

        String limit() {
            return limit == null ? "" : limit.toMillis() / 1000.0 + " s";
        }

        /** Ends the watch, so that a late interrupt cannot hit what the thread does next. */
        @Override
        public synchronized void close() {
            closed = true;
            if (expired) {
                Thread.interrupted();
            }
        }
    }
}
