package dev.rlm.journal;

import dev.rlm.journal.index.EventRow;
import dev.rlm.journal.index.IndexedLine;
import dev.rlm.journal.line.EventReader;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.LineBlock;
import dev.rlm.journal.line.LineHead;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.schema.RecordSchema;
import dev.rlm.sinks.schema.RewardVersion;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads of a line what figures need of its event, and no more: an event may be large. */
final class EventRowReader {
    private static final int REASON_LENGTH = 120;
    private static final List<String> MORE_OF_A_REWARD = List.of("absence", "components", "min", "max");

    private EventRowReader() {}

    /** Returns the row of an event; {@code null} where there is nothing to tell. */
    static @Nullable EventRow read(LineBlock.Line line) {
        EventType type = EventType.of(line.head().type());
        try {
            return type == EventType.MODEL_CALLED
                    ? modelCall(line.head(), line.read())
                    : type == EventType.TOOL_CALLED
                            ? toolCall(line.head(), line.read())
                            : type == EventType.REWARD_GIVEN ? reward(line.read()) : null;
        } catch (RuntimeException e) {
            return new EventRow.Unreadable(line.head().seq());
        }
    }

    private static EventRow modelCall(LineHead head, Fields line) {
        return new EventRow.ModelCall(
                head.seq(),
                line.text("request_model"),
                head.nanos() - line.number("start_nanos"),
                line.has("error"),
                line.has("usage") ? (Usage) line.object("usage").record(RecordSchema.of(Usage.class)) : Usage.UNKNOWN,
                line.has("cost_amount") ? (Double) line.decimal("cost_amount") : null,
                line.has("cost_currency") ? line.text("cost_currency") : null);
    }

    private static EventRow toolCall(LineHead head, Fields line) {
        return new EventRow.ToolCall(
                head.seq(),
                line.text("tool"),
                head.nanos() - line.number("start_nanos"),
                line.has("error") || line.integer("status_code") != 0);
    }

    /** Most rewards tell no more than their values, which are in the run's row; those of second opinions are not. */
    private static @Nullable EventRow reward(Fields line) {
        boolean plain = line.has("value")
                && Double.isFinite(line.decimal("value"))
                && MORE_OF_A_REWARD.stream().noneMatch(line::has);
        boolean opinion = line.has("source") && RewardVersion.of(line.text("source")) != null;
        if (plain && !opinion) {
            return null;
        }
        RewardGiven reward = (RewardGiven) Objects.requireNonNull(new EventReader(IndexedLine.RUN).read(line));
        String absence = reward.absence();
        return new EventRow.Reward(
                reward.seq(),
                reward.value(),
                reward.isOutOfRange(),
                absence == null || absence.length() <= REASON_LENGTH
                        ? absence
                        : absence.substring(0, REASON_LENGTH) + "…",
                reward.components(),
                reward.source(),
                reward.kind(),
                reward.solved());
    }
}
