package dev.rlm.runner.report;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.jsonl.RunState;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How many runs there are, and how they ended. */
final class RunCounts {
    private final Map<End, Long> ends = new HashMap<>();
    private long incomplete;

    void add(RunFacts run) {
        ends.merge(new End(run.summary().state().label(), reason(run)), 1L, Long::sum);
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

    long all() {
        return ends.values().stream().mapToLong(Long::longValue).sum();
    }

    long in(RunState state) {
        return ends.entrySet().stream()
                .filter(end -> end.getKey().state().equals(state.label()))
                .mapToLong(Map.Entry::getValue)
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

    /** How many ended in each way, the most frequent first. */
    List<Map.Entry<End, Long>> ends() {
        return ends.entrySet().stream()
                .sorted(Map.Entry.<End, Long>comparingByValue()
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
