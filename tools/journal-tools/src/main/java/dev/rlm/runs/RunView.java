package dev.rlm.runs;

import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.RunEvent;
import java.util.List;

/** A form in which a run is shown, event by event. */
@FunctionalInterface
interface RunView {
    /** Takes the run's next event. */
    void accept(RunEvent event);

    /** Takes the run, before its events. */
    default void begin(RunSummary run) {}

    /** Ends the view: no more events come, whether the run has ended or not. */
    default void finish() {}

    /** Takes all events of a run that is not watched, by number. */
    default void replay(List<RunEvent> events) {
        events.forEach(this::accept);
    }
}
