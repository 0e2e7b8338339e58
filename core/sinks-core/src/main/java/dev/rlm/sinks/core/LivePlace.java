package dev.rlm.sinks.core;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.core.lane.RunLanes;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.TraceContext;
import java.util.Optional;

/** A handle's place in its run: makes it current on threads, and says what others are to know of it. On any thread. */
final class LivePlace {
    private final RunContext context;
    private final RunLanes lanes;
    private final Place place;

    LivePlace(RunContext context, RunLanes lanes, Place place) {
        this.context = context;
        this.lanes = lanes;
        this.place = place;
    }

    LivePlace with(Place.Work work) {
        return new LivePlace(context, lanes, place.with(work));
    }

    Place place() {
        return place;
    }

    /** Returns the context that a child needs. */
    Optional<TraceContext> traceContext() {
        return Optional.of(lanes.traceContext(place));
    }

    /** Makes the activity whose place it is current on this thread, in the sinks and in the log too, unless the hub was closed. */
    Scope makeCurrent(Activity activity) {
        return context.isClosed() ? Scope.NONE : Scope.open(activity, LogContext.open(place, lanes.openScope(place)));
    }
}
