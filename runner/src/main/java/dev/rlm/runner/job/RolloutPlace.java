package dev.rlm.runner.job;

import dev.rlm.sinks.event.Correlation;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Place of a run's rollout in its job, told by numbers, since ids may have been redacted.
 *
 * @param row the sample's row in its data set
 * @param index its place among those of the sample
 */
record RolloutPlace(String row, int index) {
    static @Nullable RolloutPlace of(Correlation ids) {
        return ids.row() == null || ids.trajectoryIndex() == null
                ? null
                : new RolloutPlace(Objects.requireNonNull(ids.row()), Objects.requireNonNull(ids.trajectoryIndex()));
    }
}
