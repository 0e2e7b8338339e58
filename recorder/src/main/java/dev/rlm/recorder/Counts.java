package dev.rlm.recorder;

import dev.rlm.sinks.event.Outcome;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What has been recorded and what has not. Safe for use by several threads. */
final class Counts {
    private final Map<Outcome, Long> ended = new EnumMap<>(Outcome.class);
    private long runs;
    private long events;
    private long refused;
    private long unsynced;
    private @Nullable String firstRefusal;

    synchronized void started() {
        runs++;
    }

    synchronized void ended(Outcome outcome) {
        ended.merge(outcome, 1L, Long::sum);
    }

    synchronized void event() {
        events++;
    }

    synchronized void answered(Answer answer, Commit commit) {
        if (answer.error() != null) {
            refused++;
            if (firstRefusal == null) {
                firstRefusal = "line " + answer.line() + ": " + answer.error();
            }
        } else if (commit.problem() != null) {
            unsynced++;
        }
    }

    synchronized long runs() {
        return runs;
    }

    synchronized long ofOutcome(Outcome outcome) {
        return ended.getOrDefault(outcome, 0L);
    }

    synchronized long events() {
        return events;
    }

    /** The lines that were not recorded. */
    synchronized long refused() {
        return refused;
    }

    /** Why the first of them was not. */
    synchronized @Nullable String firstRefusal() {
        return firstRefusal;
    }

    /** The lines that the durable sinks are not known to have. */
    synchronized long unsynced() {
        return unsynced;
    }
}
