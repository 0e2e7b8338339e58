package dev.rlm.sinks;

import dev.rlm.sinks.event.TraceContext;
import java.util.Optional;

/** The shared handle of all spans that nobody hears of. */
final class NoSpan implements Span {
    static final Span INSTANCE = new NoSpan();

    private NoSpan() {}

    @Override
    public boolean isRecording() {
        return false;
    }

    @Override
    public Span span(String name) {
        return this;
    }

    @Override
    public ToolCall startToolCall(String tool) {
        return NoToolCall.INSTANCE;
    }

    @Override
    public ModelCall startModelCall(String provider, String model) {
        return NoModelCall.INSTANCE;
    }

    @Override
    public Span attribute(String name, Object value) {
        return this;
    }

    @Override
    public void fail(String error) {}

    @Override
    public Optional<TraceContext> traceContext() {
        return Optional.empty();
    }

    @Override
    public Scope makeCurrent() {
        return Scope.NONE;
    }

    @Override
    public void close() {}
}
