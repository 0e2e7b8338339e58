package dev.rlm.episodes;

import org.jspecify.annotations.Nullable;

/**
 * One thing that an agent does: it acts on its environment, or calls a tool.
 *
 * @param type one of the kinds that the environment knows, such as {@code submit}, or a tool's name
 * @param code the action itself; of a tool with arguments of its own, these as JSON
 * @param callId the id of the model's request for it; {@code null} where no model asked
 * @param fault reason why it cannot be done as it was asked for, such as malformed arguments; {@code null} if it can
 */
public record Action(
        String type,
        String code,
        @Nullable String callId,
        @Nullable String fault) {
    /** An action that no model asked for. */
    public Action(String type, String code) {
        this(type, code, null, null);
    }

    /** An action that a model asked for. */
    public Action(String type, String code, @Nullable String callId) {
        this(type, code, callId, null);
    }
}
