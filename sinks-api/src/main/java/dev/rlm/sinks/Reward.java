package dev.rlm.sinks;

import dev.rlm.sinks.event.RewardComponent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reward as it was given: what its event tells, but for its run, its step and its time.
 *
 * @param value NaN where it is absent
 * @param absence why there is no value; {@code null} where there is one
 */
record Reward(String source, double value, @Nullable String absence, List<RewardComponent> components) {
    static Reward of(String source, double value, List<RewardComponent> components) {
        return new Reward(source, value, null, components);
    }

    static Reward absent(String source, String reason) {
        return new Reward(source, Double.NaN, reason == null ? "" : reason, List.of());
    }
}
