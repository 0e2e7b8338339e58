package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
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
@RecordBuilder
public record Message(
        @Recorded(required = true) String role,
        Content content,
        List<ToolRequest> toolCalls,
        @Recorded(id = true) @Nullable String toolCallId) {
    public Message {
        content = Checks.orEmpty(content);
        Checks.notBlank(role, "role");
        toolCalls = Checks.orEmpty(toolCalls);
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
