package dev.rlm.journal.index;

import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.schema.RewardVersion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An event in short: what figures need of it beside its run's {@link RunRow}. */
public sealed interface EventRow {
    /** Returns the event's number in its run. */
    long seq();

    /**
     * A call of a model.
     *
     * @param model that was asked
     * @param nanos duration in nanoseconds
     * @param costAmount {@code null} if the event does not tell
     * @param costCurrency {@code null} if the event does not tell
     */
    record ModelCall(
            long seq,
            String model,
            long nanos,
            boolean failed,
            Usage usage,
            @Nullable Double costAmount,
            @Nullable String costCurrency)
            implements EventRow {}

    /**
     * A call of a tool.
     *
     * @param nanos duration in nanoseconds
     */
    record ToolCall(long seq, String tool, long nanos, boolean failed) implements EventRow {}

    /**
     * A reward of which more is to be told than its value.
     *
     * @param value NaN where it is absent
     * @param outOfRange whether it lies outside the range that its source promises
     * @param absence reason why there is no value, in 120 characters at most; {@code null} if there is one
     * @param components parts that explain the value
     * @param source name of its source
     * @param kind the nature of that source; {@code null} where that is not known
     * @param solved what it decides of its run; {@code null} where it decides nothing
     */
    record Reward(
            long seq,
            double value,
            boolean outOfRange,
            @Nullable String absence,
            List<RewardComponent> components,
            String source,
            RewardGiven.@Nullable Kind kind,
            @Nullable Boolean solved)
            implements EventRow {
        /** Returns whether it is a second opinion, which is in no total. */
        public boolean isOpinion() {
            return RewardVersion.isOpinion(source, solved != null);
        }
    }

    /** One of these kinds that cannot be read, though its line is whole. */
    record Unreadable(long seq) implements EventRow {}
}
