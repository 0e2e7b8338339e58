package dev.rlm.sinks.otel;

/**
 * A span to be sent.
 *
 * @param content its bytes of OTLP, or the span itself for an exporter that takes {@link
 *     io.opentelemetry.sdk.trace.data.SpanData}
 * @param events how many events it stands for
 * @param bytes how many bytes it takes in a request of OTLP
 */
record EndedSpan(Object content, int events, long bytes) {}
