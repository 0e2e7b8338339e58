package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.Ledger;
import java.util.List;

/**
 * What came of sending runs of a journal again.
 *
 * @param runs how many were sent, to their ends
 * @param events how many events were sent, those of no run included
 * @param damagedLines how many lines were passed over because they are not whole
 * @param interrupted whether it was stopped before all was sent
 * @param sinks what came of it at each sink that was chosen
 */
public record Resent(int runs, long events, long damagedLines, boolean interrupted, List<ToSink> sinks) {
    public Resent {
        sinks = List.copyOf(sinks);
    }

    /** Whether everything was sent, and is known to have arrived at every sink. */
    public boolean isComplete() {
        return !interrupted && sinks.stream().allMatch(ToSink::isComplete);
    }

    /**
     * What came of it at one sink.
     *
     * @param target where the sink sends to
     * @param ledger of the events
     * @param problem why not everything has arrived; empty where it has
     */
    public record ToSink(String name, String target, Ledger ledger, String problem) {
        /** Whether everything that was sent is known to have arrived. */
        public boolean isComplete() {
            return problem.isEmpty();
        }
    }
}
