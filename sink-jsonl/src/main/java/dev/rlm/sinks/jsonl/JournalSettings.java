package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.jsonl.segment.Disk;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * How a journal is written.
 *
 * @param rotateSize from which size on a segment is closed, in bytes; 0 for never
 * @param rotateAge from which age on; zero for never
 * @param compress whether closed segments are compressed
 * @param keepAge how long closed segments are kept; zero for ever
 * @param keepSize how many bytes the journal may take before the oldest closed segments are deleted; 0 for no bound
 * @param clock tells times that are written down
 * @param nanoTime tells how much time passes
 * @param background where closed segments are compressed and deleted
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
    /** Whether anything is ever deleted. */
    boolean isRetentionOn() {
        return !keepAge.isZero() || keepSize > 0;
    }
}
