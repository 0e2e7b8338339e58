/**
 * How the sink sends by OTLP and what it makes of the answers. Public for the sink's own use only: it may change with any
 * version.
 */
@NullMarked
package dev.rlm.sinks.otel.otlp;

import org.jspecify.annotations.NullMarked;
