package dev.rlm.sinks.core;

import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.core.content.ErrorText;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.ToolCalledBuilder;
import dev.rlm.sinks.event.TraceContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Collects a tool call and emits it when it is closed. */
final class LiveToolCall extends LiveCall implements ToolCall {
    private final LivePlace place;
    private final ToolCalledBuilder told = ToolCalledBuilder.builder();
    private boolean failed;
    private final List<RetrievedDocument> documents = new ArrayList<>(0);
    private final Map<String, @Nullable Object> attributes = new LinkedHashMap<>();

    LiveToolCall(RunRecorder run, LivePlace place, int step, long parentSeq, String tool) {
        super(run, step, parentSeq);
        this.place = place;
        told.run(run.info()).step(step).parentSeq(parentSeq).provider(ToolCalled.FUNCTION);
        told.tool(run.context().redact(tool)); // a model may have made it up
    }

    @Override
    public ToolCall arguments(String value) {
        Content content = run.texts().content(value);
        set(() -> told.arguments(content));
        return this;
    }

    @Override
    public ToolCall provider(String value) {
        String clean = run.context().redact(value);
        set(() -> told.provider(clean));
        return this;
    }

    @Override
    public ToolCall callId(@Nullable String value) {
        String clean = run.context().redactOptional(value);
        set(() -> told.callId(clean));
        return this;
    }

    @Override
    public ToolCall retries(int count) {
        set(() -> told.retries(count));
        return this;
    }

    @Override
    public ToolCall attribute(String name, Object value) {
        Object redacted = run.context().redact(String.valueOf(name), value);
        String called = run.context().redact(String.valueOf(name));
        set(() -> attributes.put(called, redacted));
        return this;
    }

    @Override
    public ToolCall document(String id, @Nullable Double score, @Nullable String sha256) {
        String clean = run.context().redact(id);
        String cleanHash = run.context().redactOptional(sha256);
        set(() -> documents.add(new RetrievedDocument(clean, score, cleanHash)));
        return this;
    }

    @Override
    public Optional<TraceContext> traceContext() {
        return place.traceContext();
    }

    @Override
    public void result(String value) {
        Content content = run.texts().content(value);
        set(() -> told.result(content));
    }

    @Override
    public void fail(int status, String message) {
        Content content = run.context().content(message);
        setFailed(() -> {
            told.statusCode(status).error(content);
            failed = true;
        });
    }

    @Override
    public void fail(Throwable thrown) {
        fail(RunStatus.codeOf(thrown), ErrorText.of(RunStatus.causeOf(thrown)));
    }

    @Override
    void leave(String reason) {
        if (!failed) {
            told.statusCode(RunStatus.CANCELLED).error(run.context().content(reason));
        }
    }

    @Override
    ToolCalled event(long seq, long nanos) {
        return told.seq(seq)
                .nanos(nanos)
                .startNanos(startNanos)
                .attributes(attributes)
                .documents(documents)
                .build();
    }
}
