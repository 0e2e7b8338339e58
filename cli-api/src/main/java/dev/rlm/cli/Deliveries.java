package dev.rlm.cli;

import dev.rlm.sinks.Ledger;

/** Account of the way of events to a sink. */
public final class Deliveries {
    private Deliveries() {}

    /**
     * Tells how many events have arrived, of those that were to; and how many were not meant to.
     *
     * @param more what else there is to say, such as where they went; may be empty
     */
    public static String text(Ledger ledger, String more) {
        long leftOut = ledger.droppedTotal() - ledger.lost();
        return ledger.delivered() + " of " + (ledger.offered() - leftOut) + " events delivered"
                + (leftOut == 0 ? "" : ", " + leftOut + " left out by choice")
                + (more.isEmpty() ? "" : ": " + more);
    }
}
