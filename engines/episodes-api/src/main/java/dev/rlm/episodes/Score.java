package dev.rlm.episodes;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A value that a {@link RewardFunction} computed, with its parts. Immutable.
 *
 * @param value before weighting; NaN makes the reward absent
 * @param parts what explains the value, by name and in order; they add nothing to it
 */
public record Score(double value, Map<String, Double> parts) {
    public Score {
        parts = Collections.unmodifiableMap(new LinkedHashMap<>(parts));
        parts.forEach((name, part) -> Objects.requireNonNull(part, name));
    }

    /** A value that needs no explanation. */
    public static Score of(double value) {
        return new Score(value, Map.of());
    }
}
