package dev.rlm.sinks.otel;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.event.RunEnded;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Ends spans, and accounts for the events that each stands for by what becomes of it. Has those of a run that may be left
 * out held until its end. On the lane only.
 */
final class SpanEnds {
    /** Jaeger warns of a span that ends when it starts, and counts in microseconds, as other back ends do. */
    static final Duration SHORTEST = Duration.ofNanos(1_000);

    private final DeliveryCounts counts;
    private final @Nullable SpanExport export;
    private final KeepRule rule;
    private final boolean holding; // whether spans may have to be held

    /** With the sink's own export, or none where an injected OpenTelemetry sends: then every run is kept. */
    SpanEnds(DeliveryCounts counts, @Nullable SpanExport export, KeepRule rule) {
        this.counts = counts;
        this.export = export;
        this.rule = rule;
        holding = export != null && rule.isPartial();
    }

    /** Before the first span of a run ends that it may lose. */
    void begin(OpenRun run) {
        SpanContext span = run.span().getSpanContext();
        if (export != null && span.isSampled() && !rule.keepsFromStart(run.info(), span.getTraceId())) {
            export.hold(run.info().runId());
        }
    }

    /** The span, or its run's where that one alone is sure to be sent: an example to lead to. */
    Span example(OpenRun run, Span span) {
        return isHeld(run) ? run.current() : span;
    }

    private boolean isHeld(OpenRun run) {
        return export != null && holding && export.isHeld(run.info().runId());
    }

    /** Sends what is held of a run that ends so, or leaves it out and says so on the run's span. */
    void settle(OpenRun run, RunEnded end) {
        if (rule.keeps(end)) {
            keep(run);
        } else if (export != null && isHeld(run)) {
            export.leaveOut(run.info().runId());
            run.span().setAttribute(Names.DETAIL, "dropped");
        }
    }

    /** Sends what is held of a run. */
    void keep(OpenRun run) {
        if (export != null && isHeld(run)) {
            export.release(run.info().runId());
        }
    }

    /** Sends what is held of runs that stay open. */
    void keepAll() {
        if (export != null) {
            export.releaseAll();
        }
    }

    /** Ends a run, whose own span is always sent. */
    void end(OpenRun run, Instant time) {
        end(run.span(), run.events(), null, run.startedAt(), time);
    }

    /** Ends a step of the run. */
    void end(OpenRun run, OpenStep step, Instant time) {
        end(step.span(), step.events(), run, step.startedAt(), time);
    }

    /**
     * Ends a span that stands for so many events.
     *
     * @param keptWith the run that it is kept with; {@code null} where it is always sent
     */
    void end(Span span, int events, @Nullable OpenRun keptWith, Instant start, Instant end) {
        boolean sent =
                span.getSpanContext().isSampled() && span.isRecording(); // without export there is only the parent's
        if (!sent) {
            counts.dropped(Ledger.NOT_SAMPLED, events);
        } else if (export == null) {
            counts.delivered(events);
        }
        Instant least = start.plus(SHORTEST);
        span.end(end.isBefore(least) ? least : end);
        if (sent && export != null && span instanceof OwnSpan own) {
            export.add(
                    own,
                    events,
                    keptWith == null || !holding ? null : keptWith.info().runId());
        }
    }

    /** Marks a span whose own end never came. */
    static void abort(Span span, String errorType) {
        span.setAttribute(Names.ERROR_TYPE, errorType);
        span.setStatus(StatusCode.ERROR, "not ended by the run itself");
    }
}
