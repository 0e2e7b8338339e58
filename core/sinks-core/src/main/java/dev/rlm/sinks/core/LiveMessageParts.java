package dev.rlm.sinks.core;

import dev.rlm.sinks.MessageParts;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.MessagePartBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Parts of a message, whose texts are redacted as all others of its run are. */
final class LiveMessageParts implements MessageParts {
    private final RunContext run;
    private final ToldTexts told;
    private final boolean ofAssistant;
    private final List<MessagePart> parts = new ArrayList<>();
    private final StringJoiner texts = new StringJoiner("\n");

    LiveMessageParts(RunRecorder run, String role) {
        this.run = run.context();
        this.told = run.texts();
        this.ofAssistant = role.equals(Message.ASSISTANT);
    }

    @Override
    public MessageParts text(String text) {
        texts.add(text == null ? "" : text);
        return add(of(MessagePart.Type.TEXT).content(told.content(text)));
    }

    @Override
    public MessageParts reasoning(String text) {
        return add(of(MessagePart.Type.REASONING).content(told.content(text)));
    }

    @Override
    public MessageParts toolCall(String id, String tool, String arguments) {
        return add(of(MessagePart.Type.TOOL_CALL)
                .id(run.redactOptional(id))
                .tool(run.redact(tool))
                .content(told.content(arguments)));
    }

    @Override
    public MessageParts toolResult(String id, String text) {
        if (!ofAssistant) {
            texts.add(text == null ? "" : text);
        }
        return add(of(MessagePart.Type.TOOL_RESULT).id(run.redactOptional(id)).content(told.content(text)));
    }

    @Override
    public MessageParts image(String uri, @Nullable String mediaType, @Nullable String sha256) {
        return media(MessagePart.Type.IMAGE, uri, mediaType, sha256);
    }

    @Override
    public MessageParts audio(String uri, @Nullable String mediaType, @Nullable String sha256) {
        return media(MessagePart.Type.AUDIO, uri, mediaType, sha256);
    }

    @Override
    public MessageParts file(String uri, @Nullable String mediaType, @Nullable String sha256) {
        return media(MessagePart.Type.FILE, uri, mediaType, sha256);
    }

    private MessageParts media(MessagePart.Type type, String uri, @Nullable String mediaType, @Nullable String sha256) {
        return add(of(type).uri(run.redact(uri))
                .mediaType(run.redactOptional(mediaType))
                .sha256(run.redactOptional(sha256)));
    }

    private static MessagePartBuilder of(MessagePart.Type type) {
        return MessagePartBuilder.builder().type(type);
    }

    private MessageParts add(MessagePartBuilder part) {
        parts.add(part.build());
        return this;
    }

    /** The text of all parts, to be redacted on a sink's thread. */
    Content content() {
        return told.content(texts.toString());
    }

    /** The parts, and behind them those calls. */
    List<MessagePart> with(List<Message.ToolRequest> calls) {
        List<MessagePart> all = new ArrayList<>(parts);
        calls.forEach(call -> all.add(of(MessagePart.Type.TOOL_CALL)
                .id(call.id())
                .tool(call.tool())
                .content(call.arguments())
                .build()));
        return all;
    }
}
