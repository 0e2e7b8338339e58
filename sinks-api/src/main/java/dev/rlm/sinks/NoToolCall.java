package dev.rlm.sinks;

import dev.rlm.sinks.event.TraceContext;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The shared handle of all tool calls that nobody hears of. */
final class NoToolCall implements ToolCall {
    static final ToolCall INSTANCE = new NoToolCall();

    private NoToolCall() {}

    @Override
    public ToolCall arguments(String arguments) {
        return this;
    }

    @Override
    public ToolCall provider(String provider) {
        return this;
    }

    @Override
    public ToolCall callId(@Nullable String id) {
        return this;
    }

    @Override
    public ToolCall retries(int count) {
        return this;
    }

    @Override
    public ToolCall attribute(String name, Object value) {
        return this;
    }

    @Override
    public Optional<TraceContext> traceContext() {
        return Optional.empty();
    }

    @Override
    public void result(String result) {}

    @Override
    public void fail(int code, String error) {}

    @Override
    public void close() {}
}
