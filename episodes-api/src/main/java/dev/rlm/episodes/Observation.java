package dev.rlm.episodes;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What an agent sees before it acts.
 *
 * @param text all of it as one text
 * @param done what it did last and what came of each action, in their order; empty before its first turn
 */
public record Observation(String text, List<Done> done) {
    public Observation {
        done = List.copyOf(done);
    }

    /** What is seen at first. */
    public static Observation first(String text) {
        return new Observation(text, List.of());
    }

    /** What is seen after a turn. */
    public static Observation after(List<Done> done) {
        return new Observation(
                done.stream().map(one -> one.answer().observation()).collect(Collectors.joining("\n")), done);
    }

    /** An action and what came of it. */
    public record Done(Action action, Answer answer) {}
}
