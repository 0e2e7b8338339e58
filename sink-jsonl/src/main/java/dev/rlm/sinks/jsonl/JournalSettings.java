package dev.rlm.sinks.jsonl;

import dev.rlm.journal.format.segment.Disk;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Settings of the writing of a journal.
 *
 * @param rotateSize size in bytes from which a segment is closed; 0 for never
 * @param rotateAge age from which a segment is closed; zero for never
 * @param compress whether closed segments are compressed
 * @param keepAge time for which closed segments are kept; zero for ever
 * @param keepSize bytes that the journal may take before the oldest closed segments are deleted; 0 for no bound
 * @param clock source of the times that are written down
 * @param nanoTime source of elapsed time, in nanoseconds
 * @param background executor that compresses and deletes closed segments
 */
record JournalSettings(
        Path directory,
        Fsync fsync,
        long rotateSize,
        Duration rotateAge,
        boolean compress,
        Duration keepAge,
        long keepSize,
        Disk disk,
        InstantSource clock,
        LongSupplier nanoTime,
        Executor background) {
    /** Returns whether anything is ever deleted. */
    boolean isRetentionOn() {
        return !keepAge.isZero() || keepSize > 0;
    }
}
