package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The events of one run, in whatever order they are read. */
final class RunEvents {
    private final SortedMap<Long, RunEvent> byNumber = new TreeMap<>();

    /** Adds an event, unless it is known. */
    void add(RunEvent event) {
        byNumber.putIfAbsent(event.seq(), event);
    }

    /** All of them by number, each once. */
    List<RunEvent> all() {
        return byNumber.values().stream().map(this::whole).toList();
    }

    /** A step's end that was read before its start does not know what the agent saw. */
    private RunEvent whole(RunEvent event) {
        return event instanceof StepEnded end
                        && end.started().observation().isEmpty()
                        && byNumber.get(end.started().seq()) instanceof StepStarted start
                ? endOf(start, end)
                : event;
    }

    private static StepEnded endOf(StepStarted start, StepEnded end) {
        return new StepEnded(
                start,
                end.seq(),
                end.nanos(),
                end.actionType(),
                end.code(),
                end.output(),
                end.success(),
                end.error(),
                end.errorType(),
                end.reward(),
                end.cumulativeReward(),
                end.stateBefore(),
                end.stateAfter(),
                end.tags());
    }
}
