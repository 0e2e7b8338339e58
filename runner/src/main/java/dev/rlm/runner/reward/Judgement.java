package dev.rlm.runner.reward;

import dev.rlm.sinks.Reward;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Result of the computation of a reward.
 *
 * @param value may be negative or infinite; NaN where it is absent
 * @param absence the reason why there is no value; {@code null} if there is one
 * @param components what was added up
 * @param kind the nature of what gave it; {@code null} where that is not known
 */
public record Judgement(
        double value, @Nullable String absence, List<RewardComponent> components, RewardGiven.@Nullable Kind kind) {
    public Judgement {
        components = List.copyOf(components);
    }

    /** As the recording handles take it. */
    public Reward reward() {
        return Reward.of(value).components(components).kind(kind).build();
    }

    static Judgement absent(String reason) {
        return new Judgement(Double.NaN, reason, List.of(), null);
    }
}
