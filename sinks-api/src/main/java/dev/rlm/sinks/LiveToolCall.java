package dev.rlm.sinks;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.ToolCalled;
import org.jspecify.annotations.Nullable;

/** Collects a tool call and emits it when it is closed. */
final class LiveToolCall extends LiveCall implements ToolCall {
    private final String tool;
    private String provider = ToolCalled.FUNCTION;
    private @Nullable String callId;
    private Content arguments = Content.EMPTY;
    private Content result = Content.EMPTY;
    private int code = RunStatus.OK;
    private int retries;
    private @Nullable Content error;

    LiveToolCall(LiveRun run, int step, long parentSeq, String tool) {
        super(run, step, parentSeq);
        this.tool = run.redact(tool); // a model may have made it up
    }

    @Override
    public ToolCall arguments(String value) {
        Content content = run.content(value);
        set(() -> arguments = content);
        return this;
    }

    @Override
    public ToolCall provider(String value) {
        String clean = run.redact(value);
        set(() -> provider = clean);
        return this;
    }

    @Override
    public ToolCall callId(String value) {
        String clean = run.redactOptional(value);
        set(() -> callId = clean);
        return this;
    }

    @Override
    public ToolCall retries(int count) {
        set(() -> retries = count);
        return this;
    }

    @Override
    public void result(String value) {
        Content content = run.content(value);
        set(() -> result = content);
    }

    @Override
    public void fail(int status, String message) {
        Content content = run.content(message);
        set(() -> {
            code = status;
            error = content;
        });
    }

    @Override
    ToolCalled event(long seq, long nanos) {
        return new ToolCalled(
                run.info(),
                seq,
                nanos,
                step,
                startNanos,
                parentSeq,
                tool,
                provider,
                callId,
                arguments,
                result,
                code,
                retries,
                error);
    }
}
