package dev.rlm.episodes;

import java.util.List;
import java.util.stream.Collectors;

/**
 * View of an agent before it acts.
 *
 * @param text all of it as one text
 * @param done its last actions and the answer to each, in their order; empty before its first turn
 */
public record Observation(String text, List<Done> done) {
    public Observation {
        done = List.copyOf(done);
    }

    /** Returns the view before the first turn. */
    public static Observation first(String text) {
        return new Observation(text, List.of());
    }

    /** Returns the view after a turn: what each answer shows, joined by line feeds. */
    public static Observation after(List<Done> done) {
        return new Observation(
                done.stream().map(one -> one.answer().observation()).collect(Collectors.joining("\n")), done);
    }

    /** An action and its answer. */
    public record Done(Action action, Answer answer) {}
}
