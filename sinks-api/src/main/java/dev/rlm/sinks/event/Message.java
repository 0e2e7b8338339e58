package dev.rlm.sinks.event;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One message of a conversation with a model.
 *
 * @param role {@code system}, {@code user}, {@code assistant} or {@code tool}
 * @param content its text
 * @param toolCalls what the assistant asks for
 * @param toolCallId which of those calls a {@code tool} message answers; {@code null} in all others
 */
public record Message(
        String role,
        Content content,
        List<ToolRequest> toolCalls,
        @Nullable String toolCallId) {
    public Message {
        Checks.notBlank(role, "role");
        toolCalls = List.copyOf(toolCalls);
    }

    /** A call that the assistant asks for; the arguments usually are a JSON object. */
    public record ToolRequest(String id, String tool, Content arguments) {
        public ToolRequest {
            id = Checks.orEmpty(id);
            tool = Checks.orEmpty(tool);
        }
    }
}
