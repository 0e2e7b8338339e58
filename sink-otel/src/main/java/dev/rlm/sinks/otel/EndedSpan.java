package dev.rlm.sinks.otel;

import io.opentelemetry.sdk.trace.data.SpanData;
import org.jspecify.annotations.Nullable;

/**
 * A span to be sent: as its bytes of OTLP, or as what it is, for an exporter that takes {@link SpanData}.
 *
 * @param encoded its bytes; none for such an exporter
 * @param span for such an exporter alone: the bytes take less while they wait
 * @param events how many events it stands for
 * @param bytes how many bytes it takes in a request of OTLP
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares it
record EndedSpan(byte[] encoded, @Nullable SpanData span, int events, long bytes) {}
