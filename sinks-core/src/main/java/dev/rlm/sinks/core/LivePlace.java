package dev.rlm.sinks;

import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.lane.RunLanes;
import java.util.Optional;

/** A handle's place in its run: makes it current on threads, and says what others are to know of it. On any thread. */
final class LivePlace {
    private final Sinks sinks;
    private final RunLanes lanes;
    private final Place place;

    LivePlace(Sinks sinks, RunLanes lanes, Place place) {
        this.sinks = sinks;
        this.lanes = lanes;
        this.place = place;
    }

    LivePlace with(Place.Work work) {
        return new LivePlace(sinks, lanes, place.with(work));
    }

    Place place() {
        return place;
    }

    /** What a child is to know. */
    Optional<TraceContext> traceContext() {
        return Optional.of(lanes.traceContext(place));
    }

    /** Makes the activity whose place it is current on this thread, unless the hub was closed. */
    Scope makeCurrent(Activity activity) {
        return sinks.isClosed() ? Scope.NONE : CurrentScope.open(activity, this);
    }

    /** Makes it current for the sinks alone. */
    Scope openSinks() {
        return lanes.openScope(place);
    }
}
