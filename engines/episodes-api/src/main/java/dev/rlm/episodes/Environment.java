package dev.rlm.episodes;

import dev.rlm.sinks.Step;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Counterpart of an agent, which answers its actions during one run. Used by one thread, for one run. */
public interface Environment extends AutoCloseable {
    /** Returns what the agent sees before its first action. */
    String start() throws Exception;

    /** Returns what a model is told of how to act here, before it sees the task; empty unless overridden. */
    default String instructions() {
        return "";
    }

    /** Returns the actions that a model may ask for by name. */
    default List<ToolSpec> tools() {
        return List.of();
    }

    /** Returns the action that the words of a model mean that asked for no tool; the final answer unless overridden. */
    default Action understand(String words) {
        return new Action("submit", words);
    }

    /**
     * Carries out an action. An action that does not work is an {@link Answer} with an error; an exception fails the run.
     *
     * @param step the running step, to record the calls of tools in
     */
    Answer step(Action action, Step step) throws Exception;

    /**
     * Ends an episode whose steps are used up. Called after the last action, unless that was the end; the run is cut off all the same.
     *
     * @param last result of that action
     * @return the answer that takes its place, such as the same with the reward of the state that is left; its
     *     {@code done} says whether that is the environment's last word, as for a final answer
     */
    default Answer cutOff(Answer last, Step step) throws Exception {
        return last;
    }

    /**
     * Returns a short digest of its present state, such as a hash, for the record: equal where the state is; {@code null} where
     * it has none to tell. Asked after {@link #start} and after the actions of each step, on the run's thread and within the
     * step's time. After an exception, which costs no more than these digests, it is not asked again.
     */
    default @Nullable String state() {
        return null;
    }

    /**
     * Returns numbers of the run by name, for its end's record. They take the place of its policy's of the same name.
     * Asked once, when nothing more is done in it, on the run's thread; not asked where the run was ended from outside.
     * An exception is logged and costs these numbers alone.
     */
    default Map<String, Double> metrics() {
        return Map.of();
    }

    /** Frees what it holds. Throws nothing: the run has ended by then. Called on the run's thread. */
    @Override
    default void close() {}
}
