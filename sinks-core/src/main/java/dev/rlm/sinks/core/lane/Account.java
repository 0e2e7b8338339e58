package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Sink.Acknowledged;
import dev.rlm.sinks.event.LedgerReported;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Counts of all events that were meant for a lane, through all tenures of its sinks. Read by any thread. */
final class Account {
    private final LaneQueue queue;
    private final Tally dropped = new Tally();
    private volatile Books books = new Books(new Acknowledged(0, Map.of()), null);

    Account(LaneQueue queue) {
        this.queue = queue;
    }

    /** Counts an event that was taken out of the queue and not handed to a sink. */
    void drop(String reason) {
        dropped.add(reason);
    }

    /** The tenure that goes on; {@code null} where there is none, or none yet. */
    @Nullable
    Tenure tenure() {
        return books.current();
    }

    synchronized void begin(Tenure tenure) {
        books = new Books(books.past(), tenure);
    }

    /** Ends the tenure: what nothing has come of is lost for that reason. What came of its events, if there was one. */
    synchronized Acknowledged settle(String reason) {
        Tenure ended = books.current();
        if (ended == null) {
            return new Acknowledged(0, Map.of());
        }
        Acknowledged settled = ended.settle(reason);
        books = new Books(Tenure.plus(books.past(), settled), null);
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
    static LedgerReported.Account reported(Ledger ledger) {
        return new LedgerReported.Account(ledger.offered(), ledger.delivered(), ledger.dropped(), ledger.queued());
    }

    static LedgerReported.Account sum(LedgerReported.Account one, LedgerReported.Account other) {
        TreeMap<String, Long> dropped = new TreeMap<>(one.dropped());
        other.dropped().forEach((reason, count) -> dropped.merge(reason, count, Long::sum));
        return new LedgerReported.Account(
                one.offered() + other.offered(),
                one.delivered() + other.delivered(),
                dropped,
                one.queued() + other.queued());
    }

    /** Replaced as a whole: an event is in one of the two at any time. */
    private record Books(Acknowledged past, @Nullable Tenure current) {
        Acknowledged outcome() {
            return current == null
                    ? past
                    : Tenure.plus(past, Objects.requireNonNull(current).outcome());
        }
    }
}
