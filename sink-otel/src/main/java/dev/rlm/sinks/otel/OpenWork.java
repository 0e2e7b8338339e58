package dev.rlm.sinks.otel;

import io.opentelemetry.api.trace.Span;

/** The span of work that goes on, which was started because somebody made it current. */
record OpenWork(Part part, Span span) {}
