package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Sink.Acknowledged;
import dev.rlm.sinks.event.LedgerReported;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts of all events that were meant for a lane, whichever sink was attached to it. Read by any thread. */
final class LaneCounts {
    private final LaneQueue queue;
    private final ReasonCounts dropped = new ReasonCounts();
    private volatile Books books = new Books(new Acknowledged(0, Map.of()), null);

    LaneCounts(LaneQueue queue) {
        this.queue = queue;
    }

    /** Counts an event that was taken out of the queue and not handed to a sink. */
    void drop(String reason) {
        dropped.add(reason);
    }

    /** Returns the counts of the sink that is attached; {@code null} if none is. */
    @Nullable
    SinkCounts current() {
        return books.current();
    }

    synchronized void begin(SinkCounts attached) {
        books = new Books(books.past(), attached);
    }

    /** Detaches the sink: events of unknown outcome are lost for that reason. Returns what came of its events, if there was one. */
    synchronized Acknowledged settle(String reason) {
        SinkCounts ended = books.current();
        if (ended == null) {
            return new Acknowledged(0, Map.of());
        }
        Acknowledged settled = ended.settle(reason);
        books = new Books(SinkCounts.plus(books.past(), settled), null);
        return settled;
    }

    /** Returns the ledger as far as it is known without asking the sink. */
    Ledger ledger() {
        // What came of events is read before how many there were: so no more came of them than there were.
        Acknowledged outcome = books.outcome();
        Map<String, Long> all = new HashMap<>(dropped.counts());
        outcome.dropped().forEach((reason, count) -> all.merge(reason, count, Long::sum));
        Map<String, Long> refused = queue.refused();
        refused.forEach((reason, count) -> all.merge(reason, count, Long::sum));
        long refusals = refused.values().stream().mapToLong(Long::longValue).sum();
        return Ledger.of(queue.accepted() + refusals, outcome.delivered(), all);
    }

    /** Returns the ledger as the record tells it. */
    static LedgerReported.SinkLedger reported(Ledger ledger) {
        return new LedgerReported.SinkLedger(ledger.offered(), ledger.delivered(), ledger.dropped(), ledger.queued());
    }

    static LedgerReported.SinkLedger sum(LedgerReported.SinkLedger one, LedgerReported.SinkLedger other) {
        TreeMap<String, Long> dropped = new TreeMap<>(one.dropped());
        other.dropped().forEach((reason, count) -> dropped.merge(reason, count, Long::sum));
        return new LedgerReported.SinkLedger(
                one.offered() + other.offered(),
                one.delivered() + other.delivered(),
                dropped,
                one.queued() + other.queued());
    }

    /** Replaced as a whole: an event is in one of the two at any time. */
    private record Books(Acknowledged past, @Nullable SinkCounts current) {
        Acknowledged outcome() {
            return current == null
                    ? past
                    : SinkCounts.plus(past, Objects.requireNonNull(current).outcome());
        }
    }
}
