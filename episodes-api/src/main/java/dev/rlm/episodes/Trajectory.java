package dev.rlm.episodes;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an agent has done so far.
 *
 * @param steps in order, each with its actions and what came of them
 * @param maxSteps after how many steps the run is cut off
 * @param finalAnswer {@code null} where none was given, or not yet
 */
public record Trajectory(
        Sample sample,
        List<List<Observation.Done>> steps,
        int maxSteps,
        @Nullable String finalAnswer) {
    public Trajectory {
        steps = List.copyOf(steps);
    }

    /** What was done in the last step. */
    public Optional<List<Observation.Done>> lastStep() {
        return steps.isEmpty() ? Optional.empty() : Optional.of(steps.get(steps.size() - 1));
    }
}
