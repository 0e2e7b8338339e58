package dev.rlm.episodes;

import dev.rlm.sinks.event.TokenTrace;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The course of a run so far.
 *
 * @param steps in order, each with its actions and their answers
 * @param maxSteps number of steps after which the run is cut off
 * @param finalAnswer {@code null} where none was given, or not yet
 * @param tokens of the agent's model calls in their order, where a recorded run is judged by a function that
 *     {@linkplain RewardNeed#TOKENS needs} them; else empty
 */
public record Trajectory(
        Sample sample,
        List<List<Observation.Done>> steps,
        int maxSteps,
        @Nullable String finalAnswer,
        List<TokenTrace> tokens) {
    public Trajectory {
        steps = List.copyOf(steps);
        tokens = List.copyOf(tokens);
    }

    /** A trajectory without tokens. */
    public Trajectory(Sample sample, List<List<Observation.Done>> steps, int maxSteps, @Nullable String finalAnswer) {
        this(sample, steps, maxSteps, finalAnswer, List.of());
    }

    /** Returns what was done in the last step; empty if there was none. */
    public Optional<List<Observation.Done>> lastStep() {
        return steps.isEmpty() ? Optional.empty() : Optional.of(steps.get(steps.size() - 1));
    }
}
