package dev.rlm.sinks;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.ToolCalled;
import org.jspecify.annotations.Nullable;

/** Collects a tool call and emits it when it is closed. */
final class LiveToolCall implements ToolCall {
    private final LiveRun run;
    private final int step;
    private final long parentSeq;
    private final String tool;
    private final long startNanos;
    private String provider = ToolCalled.FUNCTION;
    private @Nullable String callId;
    private Content arguments = Content.EMPTY;
    private Content result = Content.EMPTY;
    private int code = RunStatus.OK;
    private int retries;
    private @Nullable Content error;
    private boolean closed;

    LiveToolCall(LiveRun run, int step, long parentSeq, String tool) {
        this.run = run;
        this.step = step;
        this.parentSeq = parentSeq;
        this.tool = run.redact(tool); // a model may have made it up
        this.startNanos = run.nanos();
    }

    @Override
    public ToolCall arguments(String value) {
        arguments = run.content(value);
        return this;
    }

    @Override
    public ToolCall provider(String value) {
        provider = value;
        return this;
    }

    @Override
    public ToolCall callId(String value) {
        callId = value;
        return this;
    }

    @Override
    public ToolCall retries(int count) {
        retries = count;
        return this;
    }

    @Override
    public void result(String value) {
        result = run.content(value);
    }

    @Override
    public void fail(int status, String message) {
        code = status;
        error = run.content(message);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            run.emit((seq, nanos) -> new ToolCalled(
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
                    error));
        }
    }
}
