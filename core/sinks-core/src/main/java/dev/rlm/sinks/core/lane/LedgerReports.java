package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.event.LedgerReported;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports of every sink's ledger to the sinks that keep the record. A report is left out if no count has changed since
 * the last one, so that frequent flushes do not fill the record. Safe for use by several threads.
 */
final class LedgerReports {
    private final InstantSource clock;
    private final RemovedSinks removed;
    private Map<String, List<Long>> told = Map.of();

    LedgerReports(InstantSource clock, RemovedSinks removed) {
        this.clock = clock;
        this.removed = removed;
    }

    /** Offers the ledgers to those lanes that keep the record. */
    synchronized void offer(List<Lane> lanes) {
        List<Lane> recording = lanes.stream().filter(Lane::isDurable).toList();
        Map<String, LedgerReported.SinkLedger> ledgers = removed.ledgers(); // for what was lost stays lost
        lanes.forEach(lane -> ledgers.merge(lane.name(), lane.reportedLedger(), LaneCounts::sum));
        if (recording.isEmpty() || isIdle(ledgers) || told.equals(counts(ledgers, List.of()))) {
            return;
        }
        LedgerReported report = new LedgerReported(clock.instant(), ledgers);
        recording.forEach(lane -> lane.events().offer(report));
        told = counts(ledgers, recording);
    }

    /** Returns whether there is nothing to tell: a record is not begun to say that it is empty. */
    private static boolean isIdle(Map<String, LedgerReported.SinkLedger> ledgers) {
        return ledgers.values().stream().allMatch(ledger -> ledger.offered() == 0);
    }

    /** Returns the counts that tell whether anything changed, by sink; each lane that was told has one event more. */
    private static Map<String, List<Long>> counts(
            Map<String, LedgerReported.SinkLedger> ledgers, List<Lane> tellingTo) {
        Map<String, List<Long>> counts = new LinkedHashMap<>();
        ledgers.forEach((name, ledger) -> {
            long more = tellingTo.stream().anyMatch(lane -> lane.name().equals(name)) ? 1 : 0;
            counts.put(name, List.of(ledger.offered() + more, ledger.droppedTotal(), ledger.queued()));
        });
        return counts;
    }
}
