package dev.rlm.recorder;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Abandons runs of which nothing is heard, until it is closed: over HTTP nobody tells that a client has died. */
final class IdleWatch implements AutoCloseable {
    private static final long MAX_CHECK_MILLIS = 10_000;
    private static final int CHECKS = 4; // in the time that a run may be silent

    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(task -> RecorderThreads.daemon(task, "rlm-record-idle"));

    IdleWatch(RecordedRuns runs, Duration limit) {
        long period = Math.max(1, Math.min(MAX_CHECK_MILLIS, limit.toMillis() / CHECKS));
        var unused = timer.scheduleWithFixedDelay(
                RecorderThreads.repeated(() -> runs.abandonSilent(limit)), period, period, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
