package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.StepStarted;
import io.opentelemetry.api.trace.Span;
import java.time.Instant;

/** A step's span. */
final class OpenStep extends OpenSpan {
    private final StepStarted started;
    private final Span span;

    OpenStep(StepStarted started, Span span) {
        this.started = started;
        this.span = span;
    }

    StepStarted started() {
        return started;
    }

    /** The step's number. */
    int number() {
        return started.step();
    }

    @Override
    Span span() {
        return span;
    }

    @Override
    Instant startedAt() {
        return started.time();
    }
}
