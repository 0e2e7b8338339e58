package dev.rlm.journal;

import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.RunSummary;
import java.util.List;

/** A form in which a run is shown, event by event. */
@FunctionalInterface
interface RunView {
    /** What happened in it, in order. */
    void accept(RunEvent event);

    /** The run itself comes first. */
    default void begin(RunSummary run) {}

    /** No more events come, whether the run has ended or not. */
    default void finish() {}

    /** Takes all events of a run that is not watched, by number. */
    default void replay(List<RunEvent> events) {
        events.forEach(this::accept);
    }
}
