package dev.rlm.journal.report;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.jsonl.RunState;
import dev.rlm.sinks.schema.statistics.MessageGroups;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How many runs there are, and how they ended. */
final class RunCounts {
    private final Map<End, MessageGroups> ends = new HashMap<>();
    private final MessageGroups failures = new MessageGroups();
    private long incomplete;

    void add(RunFacts run) {
        ends.computeIfAbsent(new End(run.summary().state().label(), reason(run)), end -> new MessageGroups())
                .add(message(run));
        if (run.summary().state() == RunState.FAILED) {
            failures.add(message(run));
        }
        incomplete += run.summary().isIncomplete() ? 1 : 0;
    }

    private static String reason(RunFacts run) {
        RunEnded end = run.summary().end();
        if (end == null) {
            return run.summary().state() == RunState.RUNNING ? "" : "no end was recorded";
        } else if (end.errorType() != null) {
            return end.errorType();
        }
        return end.terminationReason() == null ? "" : end.terminationReason();
    }

    private static String message(RunFacts run) {
        RunEnded end = run.summary().end();
        return end == null ? "" : end.status().message();
    }

    long all() {
        return ends.values().stream().mapToLong(MessageGroups::total).sum();
    }

    long in(RunState state) {
        return ends.entrySet().stream()
                .filter(end -> end.getKey().state().equals(state.label()))
                .mapToLong(end -> end.getValue().total())
                .sum();
    }

    /** Those whose process has died, whether an end was written for them or not. */
    long abandoned() {
        return in(RunState.ABANDONED); // RunState.UNFINISHED has the same label
    }

    /** Those that came to an end of their own. */
    long counted() {
        return in(RunState.COMPLETED) + in(RunState.FAILED);
    }

    /** Those of which the journal lacks events. */
    long incomplete() {
        return incomplete;
    }

    /** The messages of those that have failed, whatever they threw. */
    MessageGroups failures() {
        return failures;
    }

    /** The ways in which they ended, with what was said of them; the most frequent first. */
    List<Map.Entry<End, MessageGroups>> ends() {
        return ends.entrySet().stream()
                .sorted(Comparator.<Map.Entry<End, MessageGroups>>comparingLong(
                                end -> end.getValue().total())
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey(
                                Comparator.comparing(End::state).thenComparing(End::reason))))
                .toList();
    }

    /**
     * A way to end.
     *
     * @param state as people see it
     * @param reason the class of the error, or the termination reason; empty for neither
     */
    record End(String state, String reason) {}
}
