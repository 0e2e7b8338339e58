/**
 * Back ends to test against, for other modules too: {@link dev.rlm.sinks.otel.backend.OtlpReceiver}, which shows all that
 * it is sent by OTLP, and real ones: {@link dev.rlm.sinks.otel.backend.JaegerServer},
 * {@link dev.rlm.sinks.otel.backend.TempoServer}, {@link dev.rlm.sinks.otel.backend.PrometheusServer},
 * {@link dev.rlm.sinks.otel.backend.MlflowServer} and {@link dev.rlm.sinks.otel.backend.CollectorServer}.
 */
package dev.rlm.sinks.otel.backend;
