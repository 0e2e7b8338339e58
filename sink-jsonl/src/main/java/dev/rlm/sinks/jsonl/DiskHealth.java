package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.Sink.Health;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** State of the disk. The writing thread reports it, and any thread may read it. */
final class DiskHealth {
    private static final Duration STALLED_AFTER = Duration.ofSeconds(2);
    private static final long IDLE = 0;

    private final Path directory;
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private volatile long busySince = IDLE;
    private final AtomicLong failures = new AtomicLong();
    private volatile @Nullable IOException lastFailure;
    private volatile boolean failing;

    DiskHealth(JournalSettings settings) {
        directory = settings.directory();
        clock = settings.clock();
        nanoTime = settings.nanoTime();
    }

    /** Notes that the writing thread goes to the disk. */
    void begin() {
        busySince = nanoTime.getAsLong() | 1; // never idle
    }

    /** Notes that the writing thread has come back. */
    void end() {
        busySince = IDLE;
    }

    /** Returns whether the last attempt failed. */
    boolean isFailing() {
        return failing;
    }

    void succeeded() {
        failing = false;
    }

    void failed(IOException e) {
        lastFailure = e;
        failures.incrementAndGet();
        failing = true;
    }

    /** Returns the reason of the last failure; {@link DiskFault#IO_ERROR} if there was none. */
    DiskFault fault() {
        IOException last = lastFailure;
        return last == null ? DiskFault.IO_ERROR : DiskFault.of(last);
    }

    Health health(Map<String, Object> facts) {
        Map<String, Object> all = new LinkedHashMap<>(facts);
        IOException last = lastFailure;
        if (last != null) {
            all.put("failures", failures.get());
            all.put("last_failure", String.valueOf(last.getMessage()));
        }
        long since = busySince;
        Duration busy = since == IDLE ? Duration.ZERO : Duration.ofNanos(nanoTime.getAsLong() - since);
        if (busy.compareTo(STALLED_AFTER) >= 0) {
            return new Health(false, stalled(busy), all);
        } else if (failing && last != null) {
            return new Health(false, "cannot write to " + directory + ": " + fault().label() + ": " + last, all);
        }
        return new Health(true, directory.toString(), all);
    }

    private String stalled(Duration busy) {
        return "writing to " + directory + " has been stalling since "
                + clock.instant().minus(busy).truncatedTo(ChronoUnit.SECONDS) + ", for " + busy.toSeconds() + " s";
    }
}
