package dev.rlm.runner.episode;

import org.jspecify.annotations.Nullable;

/**
 * What an agent does in one step.
 *
 * @param type one of the kinds that the environment knows, such as {@code submit}
 * @param code the action itself
 * @param callId the id of the model's request for a tool; {@code null} where no model asked
 */
public record Action(String type, String code, @Nullable String callId) {
    /** An action that no model asked for. */
    public Action(String type, String code) {
        this(type, code, null);
    }
}
