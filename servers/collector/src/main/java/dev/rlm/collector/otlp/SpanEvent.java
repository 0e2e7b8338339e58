package dev.rlm.collector.otlp;

/**
 * Event of a span.
 *
 * @param time in nanoseconds since 1970
 */
public record SpanEvent(String name, long time, Attributes attributes) {}
