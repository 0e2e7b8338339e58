package dev.rlm.sinks.otel.export;

import dev.rlm.sinks.delivery.BatchLimits;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;

/**
 * Exporter of all the sink's spans, with the limits of sending by it.
 *
 * @param target the destination, for people
 * @param timeout the limit for a batch with all attempts, unless it is configured
 * @param maxBytes the limit of a request of more than one span
 * @param buffered the number of full requests that may wait
 * @param longestStall the limit of the lane's waits for room, in all, while nothing arrives
 * @param waitsAtClose whether the lane still waits for room when a close has begun
 */
public record ExporterConfig(
        SpanExporter exporter,
        String target,
        Duration timeout,
        long maxBytes,
        int buffered,
        Duration longestStall,
        boolean waitsAtClose) {

    /** Returns the configuration of an exporter for which the lane waits without a limit. */
    public static ExporterConfig awaited(SpanExporter exporter, String target) {
        return new ExporterConfig(
                exporter, target, OtlpPipeline.TIMEOUT, OtlpPipeline.MAX_BATCH_BYTES, 1, BatchLimits.NO_END, true);
    }

    /**
     * Returns the configuration of an exporter for which the lane, which has other things to do, waits for no longer
     * than {@code longestStall}, and not at all at a close. Instead up to 16 MiB may wait.
     */
    public static ExporterConfig notAwaited(SpanExporter exporter, String target, Duration longestStall) {
        return new ExporterConfig(exporter, target, Duration.ofMinutes(2), 512 << 10, 32, longestStall, false);
    }
}
