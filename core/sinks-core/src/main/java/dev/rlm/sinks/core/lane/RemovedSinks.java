package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.event.LedgerReported;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The lanes that were taken out of a hub: looked after until they are over, and let go of then. What came of their events
 * stays known by name, and so does what runs that go on still have for them. Safe for use by several threads.
 */
final class RemovedSinks {
    private final List<Lane> leaving = new CopyOnWriteArrayList<>();
    private final Map<String, Gone> gone = new LinkedHashMap<>(); // guarded by this

    void add(Lane lane) {
        leaving.add(lane);
    }

    /** Does what is due; about once a second. */
    void tick() {
        leaving.forEach(Lane::tick);
        leaving.forEach(this::advance);
    }

    /**
     * Gives the runs another queue once the lane is over, and closes its counts a tick later, which is a second:
     * offers that were under way are done by then.
     */
    private void advance(Lane lane) {
        if (lane.ref().get() == lane.events()) {
            if (lane.isOver()) {
                lane.ref().set(gone(lane.name()).events);
            }
            return;
        }
        LedgerReported.SinkLedger last = lane.reportedLedger();
        synchronized (this) {
            leaving.remove(lane);
            gone(lane.name()).add(last);
        }
    }

    private synchronized Gone gone(String name) {
        return gone.computeIfAbsent(name, unused -> new Gone());
    }

    /** Returns the counts of all events, by sink. */
    synchronized Map<String, LedgerReported.SinkLedger> ledgers() {
        Map<String, LedgerReported.SinkLedger> all = new LinkedHashMap<>();
        gone.forEach((name, known) -> all.put(name, known.ledger()));
        leaving.forEach(lane -> all.merge(lane.name(), lane.reportedLedger(), LaneCounts::sum));
        return all;
    }

    /** Counts of all lanes of a name that were let go of. */
    private static final class Gone {
        private final LaneQueue queue = new LaneQueue(QueueBounds.NONE);
        private final LaneCounts late = new LaneCounts(queue);
        private final EventQueue events = EventQueue.closed(queue, late);
        private LedgerReported.SinkLedger earlier = LaneCounts.reported(Ledger.EMPTY);

        void add(LedgerReported.SinkLedger ledger) {
            earlier = LaneCounts.sum(earlier, ledger);
        }

        LedgerReported.SinkLedger ledger() {
            return LaneCounts.sum(earlier, LaneCounts.reported(late.ledger()));
        }
    }
}
