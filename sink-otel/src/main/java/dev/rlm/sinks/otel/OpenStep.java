package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.StepStarted;
import io.opentelemetry.api.trace.Span;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A step's span. */
final class OpenStep extends OpenSpan {
    private final StepStarted started;
    private final Span span;
    private @Nullable String tool;

    OpenStep(StepStarted started, Span span) {
        this.started = started;
        this.span = span;
    }

    StepStarted started() {
        return started;
    }

    int number() {
        return started.step();
    }

    /** Notes that a tool is called in it. */
    void called(String name) {
        tool = tool == null ? name : tool;
    }

    /** The first tool that was called in it. */
    @Nullable
    String tool() {
        return tool;
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
