package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One message of a conversation with a model.
 *
 * @param role {@code system}, {@code user}, {@code assistant} or {@code tool}
 * @param content its text; that of its parts, a line each, where it has several and none is given
 * @param toolCalls the calls that the assistant asks for; those among its parts if none are given
 * @param toolCallId which of those calls a {@code tool} message answers; {@code null} in all others
 * @param parts all that it consists of, in order; empty where {@code content} and {@code toolCalls} say it
 */
@RecordBuilder
public record Message(
        @Recorded(required = true) String role,
        Content content,
        List<ToolRequest> toolCalls,
        @Recorded(id = true) @Nullable String toolCallId,
        @Recorded(since = 2) List<MessagePart> parts) {
    /** Role of what a model says. */
    public static final String ASSISTANT = "assistant";

    public Message {
        Checks.notBlank(role, "role");
        parts = Checks.orEmpty(parts);
        content = content == null || content.weight() == 0 ? text(role, parts) : content;
        toolCalls = toolCalls == null || toolCalls.isEmpty() ? toolCalls(parts) : List.copyOf(toolCalls);
        toolCallId = toolCallId == null && !role.equals(ASSISTANT) ? answered(parts) : toolCallId;
        parts = isSimple(parts) ? List.of() : complete(parts, content, toolCalls, toolCallId);
    }

    /** A message of one text, and of calls behind it. */
    public Message(String role, Content content, List<ToolRequest> toolCalls, @Nullable String toolCallId) {
        this(role, content, toolCalls, toolCallId, List.of());
    }

    /** Results within an assistant's message are those of its provider's tools, and no words of it. */
    private static Content text(String role, List<MessagePart> parts) {
        boolean words = role.equals(ASSISTANT);
        List<Content> texts = parts.stream()
                .filter(part -> words ? part.type() == MessagePart.Type.TEXT : part.isText())
                .map(MessagePart::text)
                .toList();
        return texts.isEmpty()
                ? Content.EMPTY
                : texts.size() == 1
                        ? texts.get(0)
                        : Content.redacted(texts.stream().map(Content::text).collect(Collectors.joining("\n")));
    }

    private static List<ToolRequest> toolCalls(List<MessagePart> parts) {
        return of(MessagePart.Type.TOOL_CALL, parts)
                .map(part -> new ToolRequest(Checks.orEmpty(part.id()), Checks.orEmpty(part.tool()), part.text()))
                .toList();
    }

    private static @Nullable String answered(List<MessagePart> parts) {
        return of(MessagePart.Type.TOOL_RESULT, parts)
                .filter(part -> part.id() != null)
                .map(MessagePart::id)
                .findFirst()
                .orElse(null);
    }

    private static Stream<MessagePart> of(MessagePart.Type type, List<MessagePart> parts) {
        return parts.stream().filter(part -> part.type() == type);
    }

    /** The parts with a text before them, and calls behind them, that none of them says. */
    private static List<MessagePart> complete(
            List<MessagePart> parts, Content content, List<ToolRequest> toolCalls, @Nullable String toolCallId) {
        List<MessagePart> all = new ArrayList<>(parts);
        MessagePart.Type words = toolCallId == null ? MessagePart.Type.TEXT : MessagePart.Type.TOOL_RESULT;
        boolean silent = parts.stream().noneMatch(MessagePart::isText);
        if (silent && content.weight() > 0) {
            all.add(0, new MessagePart(words, content, toolCallId, null, null, null, null));
        }
        if (of(MessagePart.Type.TOOL_CALL, parts).findAny().isEmpty()) {
            toolCalls.forEach(call -> all.add(new MessagePart(
                    MessagePart.Type.TOOL_CALL, call.arguments(), call.id(), call.tool(), null, null, null)));
        }
        return List.copyOf(all);
    }

    /** Returns whether they are a text and calls behind it, or one result. */
    private static boolean isSimple(List<MessagePart> parts) {
        boolean result = parts.size() == 1
                && parts.get(0).type() == MessagePart.Type.TOOL_RESULT
                && parts.get(0).id() != null;
        return result
                || parts.stream()
                        .skip(parts.isEmpty() || parts.get(0).type() != MessagePart.Type.TEXT ? 0 : 1)
                        .allMatch(part -> part.type() == MessagePart.Type.TOOL_CALL);
    }

    /** A call that the assistant asks for; the arguments usually are a JSON object. */
    public record ToolRequest(
            @Recorded(id = true, standard = "") String id,
            @Recorded(required = true) String tool,
            Content arguments) {
        public ToolRequest {
            id = Checks.orEmpty(id);
            tool = Checks.orEmpty(tool);
        }
    }
}
