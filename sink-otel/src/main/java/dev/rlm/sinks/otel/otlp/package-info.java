/**
 * Sending by OTLP and reading the answers. Public for the sink's own use only, and so that exporters that are
 * {@linkplain dev.rlm.sinks.otel.OtelSink#spansTo given to it} can say why they failed: it may change with any version.
 */
@NullMarked
package dev.rlm.sinks.otel.otlp;

import org.jspecify.annotations.NullMarked;
