package dev.rlm.journal;

import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.RunSummary;
import java.util.List;

/** A form in which a run is shown, event by event. */
interface RunView {
    /** The run itself comes first. */
    void begin(RunSummary run);

    /** What happened in it, in order. */
    void accept(RunEvent event);

    /** No more events come, whether the run has ended or not. */
    void finish();

    /** Takes all events of a run that is not watched, by number. */
    default void replay(List<RunEvent> events) {
        events.forEach(this::accept);
    }
}
