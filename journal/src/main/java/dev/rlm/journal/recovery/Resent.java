package dev.rlm.journal.recovery;

import dev.rlm.sinks.Ledger;
import java.util.List;

/**
 * Result of sending runs of a journal again.
 *
 * @param runs number of runs that were sent, to their ends; 0 where no sink has taken any event
 * @param events number of events that were sent, those of no run included; 0 where no sink has taken any
 * @param damagedLines number of lines that were passed over because they are not whole
 * @param interrupted whether it was stopped before all was sent
 * @param sinks result at each sink that was chosen
 */
public record Resent(int runs, long events, long damagedLines, boolean interrupted, List<ToSink> sinks) {
    public Resent {
        sinks = List.copyOf(sinks);
        boolean taken = sinks.stream().anyMatch(sink -> sink.ledger().delivered() > 0);
        runs = taken ? runs : 0;
        events = taken ? events : 0;
    }

    /** Returns whether everything was sent, and is known to have arrived at every sink. */
    public boolean isComplete() {
        return !interrupted && sinks.stream().allMatch(ToSink::isComplete);
    }

    /**
     * Result at one sink.
     *
     * @param target place that the sink sends to
     * @param ledger of the events
     * @param problem reason why something has not arrived; empty if everything has
     */
    public record ToSink(String name, String target, Ledger ledger, String problem) {
        /** Returns whether everything that was sent is known to have arrived. */
        public boolean isComplete() {
            return problem.isEmpty();
        }
    }
}
