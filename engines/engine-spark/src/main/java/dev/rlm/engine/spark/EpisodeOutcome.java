package dev.rlm.engine.spark;

import dev.rlm.engine.EpisodeResult;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of a task.
 *
 * @param lastAttempt the number of the last attempt that it made
 * @param results of its attempts, in their order; none where the job was cancelled before
 * @param executor where it ran
 * @param fault why no episode can run there; {@code null} where they can
 */
record EpisodeOutcome(
        int lastAttempt,
        List<EpisodeResult> results,
        String executor,
        @Nullable String fault) implements Serializable {
    static EpisodeOutcome fault(String executor, String why) {
        return new EpisodeOutcome(0, List.of(), executor, why);
    }
}
