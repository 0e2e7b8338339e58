package dev.rlm.sinks.core;

import dev.rlm.sinks.event.Place;

/**
 * Node of a run's list of open work: what goes on and has a span of its own. Its event has the number that was next when it
 * started, since what it calls refers to it, and is offered at its end.
 */
abstract class OpenWork extends OpenNode {
    final Place.Work work;

    OpenWork(Place.Work work) {
        this.work = work;
    }

    /** Ends it because its run ends. */
    abstract void endWithRun();
}
