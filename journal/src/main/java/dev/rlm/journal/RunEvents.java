package dev.rlm.journal;

import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** The events of one run, in whatever order they are read. */
final class RunEvents {
    private static final Comparator<RunEvent> BY_SEQ = Comparator.comparingLong(RunEvent::seq);

    private final List<RunEvent> bySeq = new ArrayList<>();

    /** Adds an event, unless it is known. They nearly always come in their order. */
    void add(RunEvent event) {
        int last = bySeq.size() - 1;
        int at = last < 0 || bySeq.get(last).seq() < event.seq() ? -last - 2 : find(event);
        if (at < 0) {
            bySeq.add(-at - 1, event);
        }
    }

    /**
     * Returns the index of the event with its number, or the insertion point, as {@link Collections#binarySearch} does.
     */
    private int find(RunEvent event) {
        return Collections.binarySearch(bySeq, event, BY_SEQ);
    }

    /** All of them by number, each once. */
    List<RunEvent> all() {
        bySeq.replaceAll(this::whole);
        return Collections.unmodifiableList(bySeq);
    }

    /** A step's end that was read before its start does not know what the agent saw. */
    private RunEvent whole(RunEvent event) {
        if (event instanceof StepEnded end && end.started().observation().isEmpty()) {
            int at = find(end.started());
            return at >= 0 && bySeq.get(at) instanceof StepStarted start
                    ? StepEndedBuilder.builder(end).started(start).build()
                    : event;
        }
        return event;
    }
}
