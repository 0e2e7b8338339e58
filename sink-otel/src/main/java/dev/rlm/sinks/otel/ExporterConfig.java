package dev.rlm.sinks.otel;

import dev.rlm.sinks.delivery.BatchLimits;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;

/**
 * Where the sink's spans go, and how many may wait for that.
 *
 * @param target where that is, for people
 * @param timeout how long a batch may take unless it is configured, with all attempts
 * @param maxBytes how many bytes a request of more than one span has at most
 * @param buffered for how many full requests there is room
 * @param longestStall how long the lane waits in all for room while nothing arrives
 * @param waitsAtClose whether it still waits for room when a close has begun
 */
record ExporterConfig(
        SpanExporter exporter,
        String target,
        Duration timeout,
        long maxBytes,
        int buffered,
        Duration longestStall,
        boolean waitsAtClose) {

    /** One for which the lane waits, however long it takes. */
    static ExporterConfig awaited(SpanExporter exporter, String target) {
        return new ExporterConfig(
                exporter, target, OtlpPipeline.TIMEOUT, OtlpPipeline.MAX_BATCH_BYTES, 1, BatchLimits.NO_END, true);
    }

    /**
     * One for which the lane, which has other things to do, does not wait longer than that, and not at all at a close: 16 MiB
     * may wait in its place, which is more than such a back end takes by the end.
     */
    static ExporterConfig notAwaited(SpanExporter exporter, String target, Duration longestStall) {
        return new ExporterConfig(exporter, target, Duration.ofMinutes(2), 512 << 10, 32, longestStall, false);
    }
}
