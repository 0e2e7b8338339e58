package dev.rlm.sinks.otel;

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
 */
record Outlet(
        SpanExporter exporter, String target, Duration timeout, long maxBytes, int buffered, Duration longestStall) {

    /** One for which the lane waits, however long it takes. */
    static Outlet awaited(SpanExporter exporter, String target) {
        return new Outlet(exporter, target, Export.TIMEOUT, Export.MAX_BATCH_BYTES, Export.BUFFERED, SpanExport.NO_END);
    }

    /** One for which the lane, which has other things to do, does not wait longer than that: 16 MiB may wait in its place. */
    static Outlet notAwaited(SpanExporter exporter, String target, Duration longestStall) {
        return new Outlet(exporter, target, Duration.ofMinutes(2), 512 << 10, 32, longestStall);
    }
}
