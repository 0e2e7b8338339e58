package dev.rlm.journal.format;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages that a run's calls of models were shown and gave, so that a line tells only those that no line before it tells.
 * {@code ShownMessages} is the inverse. Not thread-safe.
 *
 * <p>A call usually goes on from another: its messages are that one's, its reply, and what is new. Each conversation of a run goes on
 * from its own last call, and messages in the middle may have gone or have changed.
 */
public final class ToldMessages {
    /** Number of the call's event whose messages are meant. */
    public static final String CALL = "call";

    /** Place of the first that is meant among them, from 0 on; the reply's is behind the last. */
    public static final String FROM = "from";

    /** Number of those that are meant. */
    public static final String COUNT = "count";

    private static final int CONVERSATIONS = 16; // that may go on
    private static final int LEAST = 64; // characters of a text that is worth it

    private final List<Call> last = new ArrayList<>(); // of each conversation, the one heard of last at the end
    private final Map<Message, Range> first = new HashMap<>(); // where each was told
    private final Map<Map.Entry<String, Content>, Long> texts = new HashMap<>(); // by field: calls that told them first
    private long weight;

    /** Returns what a line tells of the call's messages, as values of JSON: each as it is, or where earlier ones are. */
    List<Object> told(ModelCalled call) {
        Call before = continued(call.messages());
        List<Object> told = new ArrayList<>();
        List<Message> all = new ArrayList<>(call.messages().size() + 1);
        Range range = null;
        for (Message message : call.messages()) {
            Range known = place(before, message, range);
            if (range != null && (known == null || !range.isBefore(known))) {
                told.add(range.fields());
                range = null;
            }
            if (known == null) {
                told.add(EventWriter.plain(message));
                remember(message, call.seq(), all.size());
            } else {
                range = range == null ? known : range.and(known);
            }
            all.add(message);
        }
        if (range != null) {
            told.add(range.fields());
        }
        if (call.reply() != null) {
            remember(call.reply(), call.seq(), all.size());
            all.add(call.reply());
        }
        last.add(new Call(call.seq(), all));
        if (last.size() > CONVERSATIONS) {
            last.remove(0);
        }
        return told;
    }

    /** Returns what a line tells of a text that a call was given beside its messages, as a value of JSON: itself, or which call has the same. */
    @Nullable
    Object told(String field, @Nullable Content text, ModelCalled call) {
        if (text == null || text.weight() < LEAST) {
            return text;
        }
        Long earlier = texts.putIfAbsent(Map.entry(field, text), call.seq());
        weight += earlier == null ? text.weight() : 0;
        return earlier == null || earlier == call.seq() ? text : Map.of(CALL, earlier);
    }

    /** Returns the call with most of the first messages, {@code null} where there is none with any; forgets those that go on in them. */
    private @Nullable Call continued(List<Message> messages) {
        Call found = null;
        int most = 0;
        for (int i = last.size() - 1; i >= 0; i--) {
            Call call = last.get(i);
            int common = call.common(messages);
            if (common > most) {
                most = common;
                found = call;
            }
            if (common == call.all.size()) {
                last.remove(i);
            }
        }
        return found;
    }

    /** Returns where a message is: behind those before it, further on in the same call, or where it was told first. */
    private @Nullable Range place(@Nullable Call before, Message message, @Nullable Range range) {
        if (before == null) {
            return first.get(message);
        }
        int next = range == null ? 0 : range.from + range.count;
        boolean same = range == null || range.call == before.seq;
        if (same && before.has(next, message)) {
            return new Range(before.seq, next, 1);
        }
        Range known = first.get(message);
        if (known != null) {
            for (int i = same ? next + 1 : 0; i < before.all.size(); i++) {
                if (before.has(i, message)) {
                    return new Range(before.seq, i, 1);
                }
            }
        }
        return known;
    }

    private void remember(Message message, long call, int place) {
        if (first.putIfAbsent(message, new Range(call, place, 1)) == null) {
            weight += message.content().weight();
        }
    }

    /** Returns the length of all messages, in characters. */
    public long weight() {
        return weight;
    }

    /** Messages of a call. */
    private record Range(long call, int from, int count) {
        boolean isBefore(Range next) {
            return call == next.call && from + count == next.from;
        }

        Range and(Range next) {
            return new Range(call, from, count + next.count);
        }

        Map<String, Object> fields() {
            return Map.of(CALL, call, FROM, from, COUNT, count);
        }
    }

    /** A call with all that was said until its end. */
    private record Call(long seq, List<Message> all) {
        boolean has(int place, Message message) {
            return place < all.size() && all.get(place).equals(message);
        }

        /** Returns how many messages from the first on both have. */
        int common(List<Message> others) {
            int count = 0;
            while (count < others.size() && has(count, others.get(count))) {
                count++;
            }
            return count;
        }
    }
}
