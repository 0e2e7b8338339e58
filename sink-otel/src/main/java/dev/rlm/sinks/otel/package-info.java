/**
 * Runs as OpenTelemetry spans, instruments and log records: {@link dev.rlm.sinks.otel.OtelSink}, its builder and its providers. Here are:
 *
 * <ul>
 *   <li>starts and ends of spans, as events come: {@code RunTracer}, on what has started, {@code OpenSpans}; spans that scopes make current:
 *       {@code SpanScope};
 *   <li>the sink's own SDK, {@code OwnSdk} with {@code OwnRun}, and another's: {@code Injected}, {@code InjectedRun};
 *   <li>log records: {@code RunLogs};
 *   <li>baggage on spans: {@code BaggageAttributes}.
 * </ul>
 *
 * <p>The packages below have the rest, each a part of the way of an event: {@link dev.rlm.sinks.otel.mapping} to attributes,
 * {@link dev.rlm.sinks.otel.spans} with ids and parents, {@link dev.rlm.sinks.otel.metrics}, {@link dev.rlm.sinks.otel.settings} of the sending,
 * {@link dev.rlm.sinks.otel.export} in batches, with {@link dev.rlm.sinks.delivery}, over the wire by {@link dev.rlm.sinks.otel.otlp} or to
 * {@link dev.rlm.sinks.otel.files}.
 */
@NullMarked
package dev.rlm.sinks.otel;

import org.jspecify.annotations.NullMarked;
