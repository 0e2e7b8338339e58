package dev.rlm.sinks.otel;

import dev.rlm.sinks.Ledger;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Ends spans, and accounts for the events that each stands for by what becomes of it. On the lane only. */
final class SpanEnds {
    /** Jaeger warns of a span that ends when it starts, and counts in microseconds, as other back ends do. */
    static final Duration SHORTEST = Duration.ofNanos(1_000);

    private final Acknowledgements acknowledgements;
    private final @Nullable SpanExport export;

    /** With the sink's own export, or none where an injected OpenTelemetry sends. */
    SpanEnds(Acknowledgements acknowledgements, @Nullable SpanExport export) {
        this.acknowledgements = acknowledgements;
        this.export = export;
    }

    void end(OpenSpan open, Instant time) {
        end(open.span(), open.events(), open.startedAt(), time);
    }

    void end(Span span, int events, Instant start, Instant end) {
        if (!span.getSpanContext().isSampled() || !span.isRecording()) { // a tracer without export hands its parent on
            acknowledgements.dropped(Ledger.NOT_SAMPLED, events);
        } else if (export == null) {
            acknowledgements.delivered(events);
        } else {
            export.covering(events);
        }
        Instant least = start.plus(SHORTEST);
        span.end(end.isBefore(least) ? least : end);
    }

    /** Marks a span whose own end never came. */
    static void abort(Span span, String errorType) {
        span.setAttribute(Names.ERROR_TYPE, errorType);
        span.setStatus(StatusCode.ERROR, "not ended by the run itself");
    }
}
