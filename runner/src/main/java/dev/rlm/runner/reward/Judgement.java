package dev.rlm.runner.reward;

import dev.rlm.sinks.event.RewardComponent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a computation of a reward came to.
 *
 * @param value may be negative or infinite; NaN where it is absent
 * @param absence why there is no value; {@code null} where there is one
 * @param components what was added up
 */
public record Judgement(double value, @Nullable String absence, List<RewardComponent> components) {
    public Judgement {
        components = List.copyOf(components);
    }

    static Judgement absent(String reason) {
        return new Judgement(Double.NaN, reason, List.of());
    }
}
