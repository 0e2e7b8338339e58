package dev.rlm.episodes;

import org.jspecify.annotations.Nullable;

/**
 * Result of an action.
 *
 * @param output text that the environment gave
 * @param error reason why the action did not work; {@code null} if it did
 * @param reward reward of the action: {@code null} if none is given for it, NaN if it could not be computed, for the
 *     reason that {@code error} says
 * @param toolCalls number of tools that were called
 * @param done whether the episode has ended, the action's code being the final answer
 */
public record Answer(
        String output, @Nullable String error, @Nullable Double reward, int toolCalls, boolean done) {
    /** Returns what the agent sees next: the output, followed by the error on lines of its own. */
    public String observation() {
        return error == null ? output : output.isEmpty() ? error : output + "\n" + error;
    }
}
