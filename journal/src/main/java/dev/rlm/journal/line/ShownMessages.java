package dev.rlm.journal.line;

import dev.rlm.journal.format.EventWriter;
import dev.rlm.journal.format.ToldMessages;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.RecordSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Calls of models of a run, whose messages later lines refer to as {@link ToldMessages} has it. Not thread-safe. */
public final class ShownMessages {
    private static final RecordSchema MESSAGE = RecordSchema.of(Message.class);

    private final boolean whole;
    private final Map<Long, ModelCalled> calls = new HashMap<>();

    /**
     * No call yet.
     *
     * @param whole whether messages that another line tells are wanted, too
     */
    ShownMessages(boolean whole) {
        this.whole = whole;
    }

    /** Takes note of a call that was read. */
    void add(ModelCalled call) {
        calls.put(call.seq(), call);
    }

    /**
     * Returns the messages of a call; one that says so in the place of those of a call that is not there any more.
     *
     * @throws RuntimeException if the line is damaged
     */
    List<Message> messages(Fields line) {
        List<Message> messages = new ArrayList<>();
        for (Fields each : line.objects(EventWriter.MESSAGES)) {
            if (!each.has(ToldMessages.CALL)) {
                messages.add((Message) each.record(MESSAGE));
            } else if (whole) {
                add(
                        each.number(ToldMessages.CALL),
                        each.integer(ToldMessages.FROM),
                        each.integer(ToldMessages.COUNT),
                        messages);
            }
        }
        return messages;
    }

    /** Returns a text that a call was given beside its messages; {@code null} where there is none. */
    @Nullable
    Object text(EventField field, Fields line) {
        if (!line.isObject(field.name())) {
            return line.value(field);
        }
        long seq = line.object(field.name()).number(ToldMessages.CALL);
        ModelCalled call = calls.get(seq);
        return call != null ? field.get(call) : whole ? Content.redacted("[MISSING:that of call " + seq + "]") : null;
    }

    private void add(long seq, int from, int count, List<Message> messages) {
        ModelCalled call = calls.get(seq);
        if (call == null) {
            messages.add(new Message(
                    "unknown", Content.redacted("[MISSING:" + count + " of call " + seq + "]"), List.of(), null));
            return;
        }
        for (int i = from; i < from + count; i++) {
            messages.add(
                    i == call.messages().size() && call.reply() != null
                            ? call.reply()
                            : call.messages().get(i));
        }
    }
}
