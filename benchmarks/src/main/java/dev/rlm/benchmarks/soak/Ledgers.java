package dev.rlm.benchmarks.soak;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.util.ArrayList;
import java.util.List;

/** Complaints about the ledgers of a hub. */
final class Ledgers {
    private static final String JOURNAL = "jsonl";
    static final String WITNESS = "witness";

    private Ledgers() {}

    /** While runs go on: counts that cannot be, and losses of the record. */
    static List<String> complaints(Sinks hub) {
        List<String> complaints = new ArrayList<>();
        for (SinkStatus status : hub.statuses()) {
            Ledger ledger = status.ledger();
            if (ledger.queued() < 0) {
                complaints.add(status.name() + ": more came of events than there were: " + ledger);
            }
            if (isRecord(status) && ledger.lost() > 0) {
                complaints.add(status.name() + " lost events: " + ledger);
            }
        }
        return complaints;
    }

    /** After the close: the same, and all that is not accounted for. */
    static List<String> complaintsAtEnd(Sinks hub, Witness witness) {
        List<String> complaints = complaints(hub);
        for (SinkStatus status : hub.statuses()) {
            Ledger ledger = status.ledger();
            if (ledger.queued() != 0) {
                complaints.add(status.name() + ": " + ledger.queued() + " events are still queued: " + ledger);
            }
            if (isRecord(status) && ledger.offered() != witness.events()) {
                complaints.add(status.name() + " was offered " + ledger.offered()
                        + " events, a sink beside it was given " + witness.events());
            }
        }
        return complaints;
    }

    private static boolean isRecord(SinkStatus status) {
        return status.name().equals(JOURNAL) || status.name().equals(WITNESS);
    }
}
