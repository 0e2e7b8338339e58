/**
 * Back ends to test against, for other modules too: {@link dev.rlm.sinks.otel.backend.OtlpReceiver}, which shows all that
 * it is sent by OTLP, and {@link dev.rlm.sinks.otel.backend.JaegerServer}, a real Jaeger.
 */
package dev.rlm.sinks.otel.backend;
