/**
 * Runs as OpenTelemetry spans, instruments and log records: {@link dev.rlm.sinks.otel.OtelSink}. Where to look:
 *
 * <ul>
 *   <li>When spans start and end, and which events each stands for: {@code RunTracer}, {@code SpanEnds}; what has started:
 *       {@code OpenSpans}, {@code OpenRun}, {@code OpenStep}, {@code OpenWork}; ids and parents: {@code Ids}, {@code OwnRun},
 *       {@code InjectedRun}, {@code Part}.
 *   <li>What is on a span: {@code RunMapping}, {@code CallMapping}, {@code RewardMapping}, {@code MlflowColumns}; the names:
 *       {@code Names}, {@code GenAi}; within which limits: {@code SpanAttributes}, {@code ContentCapture}, {@code Messages}.
 *   <li>What is measured: {@code Instruments}, {@code GenAiInstruments}, {@code Distribution}, {@code RewardHistogram} and {@code RewardSums},
 *       {@code TrainingGauges}.
 *   <li>What is logged: {@code RunLogs}.
 *   <li>The SDK and its settings: {@code OwnSdk}, {@code SdkProperties}, {@code OtelSinkProvider}; another's: {@code Injected}.
 *   <li>Which runs keep all spans: {@code TailSamplingPolicy}, {@code HeldSpans}.
 *   <li>Sending, and what arrived: {@code OtlpPipeline}, {@code ExporterConfig}, {@code SpanExport}, {@code LogExport},
 *       {@code MetricExport}, {@code SignalState}, {@code Refusals}; in batches, with {@link dev.rlm.sinks.delivery}; over the wire, and what
 *       came of it: {@link dev.rlm.sinks.otel.otlp}; to files: {@code JsonLinesExporter}, {@code OtlpFileSinkProvider},
 *       {@code FileSpanExporter}, {@code SharedLinesFile}.
 * </ul>
 */
@NullMarked
package dev.rlm.sinks.otel;

import org.jspecify.annotations.NullMarked;
