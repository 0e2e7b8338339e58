/**
 * The mapping of events to attributes and events of spans: their names, their limits, and the amount of text that leaves. No
 * promise of compatibility is made of these types, but of {@link dev.rlm.sinks.otel.mapping.ContentCapture ContentCapture} and
 * {@link dev.rlm.sinks.otel.mapping.SpanNames SpanNames}, which users choose.
 */
@NullMarked
package dev.rlm.sinks.otel.mapping;

import org.jspecify.annotations.NullMarked;
