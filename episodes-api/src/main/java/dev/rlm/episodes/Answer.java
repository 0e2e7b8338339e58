package dev.rlm.episodes;

import org.jspecify.annotations.Nullable;

/**
 * What came of an action.
 *
 * @param output what the environment gave
 * @param error why the action did not work; {@code null} where it did
 * @param reward what it earned: {@code null} where no reward is given for it, NaN where it could not be computed, for the reason that
 *     {@code error} says
 * @param toolCalls how many tools were called
 * @param done whether the episode has ended, the action's code being the final answer
 */
public record Answer(
        String output, @Nullable String error, @Nullable Double reward, int toolCalls, boolean done) {
    /** What the agent sees next. */
    public String observation() {
        return error == null ? output : output.isEmpty() ? error : output + "\n" + error;
    }
}
