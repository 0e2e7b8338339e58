package dev.rlm.sinks.core;

import dev.rlm.sinks.MessageParts;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.core.content.ErrorText;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.TokenTraceBuilder;
import dev.rlm.sinks.event.Usage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Collects a model call and emits it when it is closed. */
final class LiveModelCall extends LiveCall implements ModelCall {
    private final ModelCalledBuilder told = ModelCalledBuilder.builder();
    private final Map<String, @Nullable Object> parameters = new LinkedHashMap<>();
    private final List<Supplier<Message>> messages = new ArrayList<>(); // made, and so checked, with the event
    private final List<Message.ToolRequest> toolRequests = new ArrayList<>();
    private List<Message.ToolRequest> shownRequests = new ArrayList<>(); // of the message given last
    private @Nullable Content reply;
    private @Nullable LiveMessageParts replyParts; // what it is made of, if that is told
    private boolean failed;

    LiveModelCall(RunRecorder run, int step, long parentSeq, String provider, String model) {
        super(run, step, parentSeq);
        told.run(run.info()).step(step).parentSeq(parentSeq);
        told.provider(run.context().redact(provider)).model(run.context().redact(model));
    }

    @Override
    public ModelCall server(String address, int port) {
        String clean = orNone(address);
        set(() -> told.serverAddress(clean).serverPort(Math.max(0, port)));
        return this;
    }

    @Override
    public ModelCall parameter(String name, Object value) {
        Object redacted = run.context().redact(String.valueOf(name), value);
        String called = run.context().redact(String.valueOf(name));
        set(() -> parameters.put(called, redacted));
        return this;
    }

    @Override
    public ModelCall systemInstructions(String text) {
        Content content = run.texts().content(text);
        set(() -> told.systemInstructions(content));
        return this;
    }

    @Override
    public ModelCall toolDefinitions(String json) {
        Content content = run.texts().content(json);
        set(() -> told.toolDefinitions(content));
        return this;
    }

    @Override
    public ModelCall message(String role, String text) {
        Content content = run.texts().content(text);
        String clean = role(role);
        List<Message.ToolRequest> asked = new ArrayList<>();
        set(() -> {
            shownRequests = asked;
            messages.add(() -> new Message(clean, content, asked, null));
        });
        return this;
    }

    @Override
    public ModelCall messageParts(String role, Consumer<MessageParts> parts) {
        String clean = role(role);
        LiveMessageParts all = parts(clean, parts);
        Content content = all.content();
        List<Message.ToolRequest> asked = new ArrayList<>();
        set(() -> {
            shownRequests = asked;
            messages.add(() -> new Message(clean, content, List.of(), null, all.with(asked)));
        });
        return this;
    }

    /** A call is not lost where a role is missing. */
    private String role(String given) {
        String clean = run.context().redact(given);
        return clean.isBlank() ? "unknown" : clean;
    }

    private LiveMessageParts parts(String role, Consumer<MessageParts> parts) {
        LiveMessageParts all = new LiveMessageParts(run, role);
        parts.accept(all);
        return all;
    }

    @Override
    public ModelCall shownToolRequest(String id, String tool, String arguments) {
        Message.ToolRequest request = request(id, tool, arguments);
        set(() -> shownRequests.add(request));
        return this;
    }

    @Override
    public ModelCall toolMessage(String toolCallId, String text) {
        Content content = run.texts().content(text);
        String id = run.context().redactOptional(toolCallId);
        set(() -> messages.add(() -> new Message("tool", content, List.of(), id)));
        return this;
    }

    @Override
    public void firstToken() {
        long now = run.nanos();
        set(() -> told.firstTokenNanos(now));
    }

    @Override
    public ModelCall reply(String text) {
        Content content = run.texts().content(text);
        set(() -> {
            reply = content;
            replyParts = null;
        });
        return this;
    }

    @Override
    public ModelCall replyParts(Consumer<MessageParts> parts) {
        LiveMessageParts all = parts(Message.ASSISTANT, parts);
        Content content = all.content();
        set(() -> {
            reply = content;
            replyParts = all;
        });
        return this;
    }

    @Override
    public ModelCall toolRequest(String id, String tool, String arguments) {
        Message.ToolRequest request = request(id, tool, arguments);
        set(() -> toolRequests.add(request));
        return this;
    }

    private Message.ToolRequest request(String id, String tool, String arguments) {
        return new Message.ToolRequest(
                run.context().redact(id),
                run.context().redact(tool),
                run.texts().content(arguments));
    }

    @Override
    public ModelCall response(@Nullable String id, @Nullable String model) {
        String cleanId = orNone(id);
        String cleanModel = orNone(model);
        set(() -> told.responseId(cleanId).responseModel(cleanModel));
        return this;
    }

    private @Nullable String orNone(@Nullable String text) {
        return text == null || text.isBlank() ? null : run.context().redact(text);
    }

    @Override
    public ModelCall usage(Usage value) {
        set(() -> told.usage(value));
        return this;
    }

    @Override
    public ModelCall cost(double amount, String currency) {
        String clean = run.context().redact(currency);
        set(() -> told.costAmount(amount).costCurrency(clean));
        return this;
    }

    @Override
    public ModelCall tokens(TokenTrace value) {
        TokenTrace clean = value == null ? null : run.context().records().clean(value);
        set(() -> told.tokens(clean));
        return this;
    }

    @Override
    public ModelCall tokens(TokenTrace value, List<String> responseTexts) {
        if (value == null || responseTexts == null || responseTexts.isEmpty()) {
            return tokens(value);
        }
        List<String> texts = responseTexts.stream().map(String::valueOf).toList();
        return tokens(TokenTraceBuilder.builder(value)
                .responseText(run.context().content(String.join("", texts)))
                .responseLengths(texts.stream().map(String::length).toList())
                .build());
    }

    @Override
    public ModelCall finishReason(String reason) {
        String clean = run.context().redactOptional(reason);
        set(() -> told.finishReason(clean));
        return this;
    }

    @Override
    public ModelCall retries(int count) {
        set(() -> told.retries(count));
        return this;
    }

    @Override
    public void fail(String message) {
        Content content = run.context().content(message);
        setFailed(() -> {
            told.error(content);
            failed = true;
        });
    }

    @Override
    public void fail(Throwable thrown) {
        fail(ErrorText.of(thrown));
    }

    @Override
    void leave(String reason) {
        if (!failed) {
            told.error(run.context().content(reason));
        }
    }

    @Override
    ModelCalled event(long seq, long nanos) {
        return run.context()
                .prices()
                .priced(told.seq(seq)
                        .nanos(nanos)
                        .startNanos(startNanos)
                        .parameters(parameters)
                        .messages(messages.stream().map(Supplier::get).toList())
                        .reply(answer())
                        .build());
    }

    private @Nullable Message answer() {
        if (reply == null && toolRequests.isEmpty()) {
            return null;
        }
        Content said = reply == null ? Content.EMPTY : reply;
        return replyParts == null
                ? new Message(Message.ASSISTANT, said, toolRequests, null)
                : new Message(Message.ASSISTANT, said, List.of(), null, replyParts.with(toolRequests));
    }
}
