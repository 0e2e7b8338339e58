package dev.rlm.sinks;

import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A reward with what its source says of it, made by {@link #of}.
 *
 * <pre>{@code
 * run.reward("judge", Reward.of(0.7).label("good").explanation(verdict).kind(MODEL).min(0.0).max(1.0).build());
 * }</pre>
 *
 * @param value NaN counts as absent
 * @param components what explains the value; they add nothing to it
 * @param label the value in a word, such as {@code pass}
 * @param explanation the source's reasons; may hold secrets, which are taken out
 * @param kind the nature of its source
 * @param min the smallest value that the source promises; a smaller one is kept, marked and counted
 * @param max the largest such value
 */
@RecordBuilder
public record Reward(
        double value,
        List<RewardComponent> components,
        @Nullable String label,
        @Nullable String explanation,
        RewardGiven.@Nullable Kind kind,
        @Nullable Double min,
        @Nullable Double max) {
    /** A reward that could not be computed, of which no more is known. */
    public static final Reward ABSENT = of(Double.NaN).build();

    public Reward {
        components = components == null ? List.of() : List.copyOf(components);
    }

    /** A reward of that value, of which more may be said. */
    public static RewardBuilder of(double value) {
        return RewardBuilder.builder().value(value);
    }
}
