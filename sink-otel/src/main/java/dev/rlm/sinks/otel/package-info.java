/**
 * Runs as OpenTelemetry spans and instruments: {@link dev.rlm.sinks.otel.OtelSink}.
 *
 * <p>{@code RunMapping} says which event becomes what; {@code OpenSpans} keeps the spans that have started;
 * {@code SpanExport} and {@code MetricExport} send, and know what arrived.
 */
@NullMarked
package dev.rlm.sinks.otel;

import org.jspecify.annotations.NullMarked;
