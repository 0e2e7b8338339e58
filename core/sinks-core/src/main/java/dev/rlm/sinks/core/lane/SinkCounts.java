package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.Sink.Acknowledged;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts of the events handed to a sink while it is attached to a lane. A sink that was given up and comes back has new ones.
 * Counted by the lane's thread, read by any.
 */
final class SinkCounts {
    private static final Acknowledged NOTHING = new Acknowledged(0, Map.of());

    private final GuardedSink sink;
    private final Acknowledged earlier; // what this sink had acknowledged when this began
    private final long overdue; // events handed over earlier that count as lost, whatever it says of them now
    private final AtomicLong handed = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong delivered = new AtomicLong(); // where the sink does not say
    private volatile @Nullable Acknowledged acknowledged; // by the sink, as far as is known
    private volatile boolean silent; // it did not answer when it was last asked
    private volatile boolean lossesNew; // to who asks
    private boolean over; // what is learnt from now on changes nothing

    SinkCounts(GuardedSink sink) {
        this(sink, null, 0);
    }

    private SinkCounts(GuardedSink sink, @Nullable Acknowledged acknowledged, long overdue) {
        this.sink = sink;
        this.acknowledged = acknowledged;
        this.earlier = acknowledged == null ? NOTHING : acknowledged;
        this.overdue = overdue;
    }

    /** Returns those of the same sink attached again: events that it left without an answer are known to be lost. */
    SinkCounts again(Acknowledged settled) {
        long unanswered = settled.dropped().getOrDefault(Reasons.HUNG, 0L);
        return new SinkCounts(sink, acknowledged, acknowledged == null ? 0 : overdue + unanswered);
    }

    GuardedSink sink() {
        return sink;
    }

    // ---- on the lane's thread

    /** An event is handed to the sink. */
    void handed() {
        handed.lazySet(handed.get() + 1);
    }

    /** The event was not taken. */
    void failed() {
        failed.lazySet(failed.get() + 1);
        lossesNew = true;
    }

    /** All that was handed over and taken is where it belongs, unless the sink itself says what is. */
    void batchTaken() {
        if (isCountedHere()) {
            delivered.lazySet(handed.get() - failed.get());
        }
    }

    /** Counts all events handed over since the last batch as lost, unless the sink itself acknowledges events. */
    void batchFailed() {
        if (isCountedHere()) {
            failed.lazySet(handed.get() - delivered.get());
            lossesNew = true;
        }
    }

    /** Returns whether events are known to be lost since this was last asked. */
    boolean hasNewLosses() {
        boolean found = lossesNew;
        if (found) {
            lossesNew = false; // before they are looked at: what comes meanwhile is new again
        }
        return found;
    }

    private boolean isCountedHere() {
        return acknowledged == null && !silent;
    }

    // ---- on any thread

    /** The sink's answer to what it has acknowledged. */
    synchronized void learn(@Nullable Acknowledged answer) {
        silent = false;
        Acknowledged known = acknowledged;
        if (answer != null && !over && (known == null || total(answer) >= total(known))) {
            acknowledged = answer;
            lossesNew |= !answer.dropped().equals(known == null ? Map.of() : known.dropped());
        }
    }

    /** The sink failed to say what it has acknowledged. */
    void unanswered() {
        silent = true;
    }

    boolean isSilent() {
        return silent;
    }

    /** Returns whether something may still come of events that it was handed. */
    boolean isOwing() {
        return handed.get() > total(outcome());
    }

    /** Returns the counts of events that were delivered and dropped; together never more than were handed over. */
    Acknowledged outcome() {
        Acknowledged known = acknowledged;
        long errors = failed.get();
        if (known == null) {
            return new Acknowledged(delivered.get(), errors == 0 ? Map.of() : Map.of(Reasons.SINK_ERROR, errors));
        }
        return since(known, errors);
    }

    private Acknowledged since(Acknowledged known, long errors) {
        Map<String, Long> dropped = new HashMap<>();
        if (errors > 0) {
            dropped.put(Reasons.SINK_ERROR, errors);
        }
        long room = handed.get() - errors;
        long late = overdue;
        long arrived = Math.max(0, known.delivered() - earlier.delivered());
        long counted = Math.min(room, Math.max(0, arrived - late));
        late -= Math.min(late, arrived);
        room -= counted;
        for (Map.Entry<String, Long> entry : known.dropped().entrySet()) {
            long lost = Math.max(0, entry.getValue() - earlier.dropped().getOrDefault(entry.getKey(), 0L));
            long more = Math.min(room, Math.max(0, lost - late));
            late -= Math.min(late, lost);
            room -= more;
            if (more > 0) {
                dropped.merge(entry.getKey(), more, Long::sum);
            }
        }
        return new Acknowledged(counted, dropped);
    }

    /** The outcome where what nothing has come of is lost for that reason: for good, whatever the sink says later. */
    synchronized Acknowledged settle(String reason) {
        over = true;
        Acknowledged outcome = outcome();
        long open = handed.get() - total(outcome);
        return open == 0 ? outcome : plus(outcome, new Acknowledged(0, Map.of(reason, open)));
    }

    private static long total(Acknowledged counts) {
        return counts.dropped().values().stream().mapToLong(Long::longValue).sum() + counts.delivered();
    }

    static Acknowledged plus(Acknowledged one, Acknowledged other) {
        Map<String, Long> dropped = new HashMap<>(one.dropped());
        other.dropped().forEach((reason, count) -> dropped.merge(reason, count, Long::sum));
        return new Acknowledged(one.delivered() + other.delivered(), dropped);
    }
}
