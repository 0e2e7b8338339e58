package dev.rlm.journal.report;

import dev.rlm.sinks.event.RunEvent;
import java.util.Set;

/** Takes each of the runs that were chosen, in the order in which they ended. */
interface RunCounter {
    void add(RunFacts run);

    /** The kinds of events that it needs of a run. */
    Set<Class<? extends RunEvent>> kinds();
}
