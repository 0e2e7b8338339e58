package dev.rlm.sinks;

import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.lane.RunLanes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A handle's place in its run: makes it current on threads, and says what others are to know of it. On any thread. */
final class LivePlace {
    private final Sinks sinks;
    private final RunLanes lanes;
    private final Place place;
    private volatile @Nullable TraceContext span; // once a sink has told it

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

    /** The span here, or the run's own parent; {@code null} where neither is known. */
    @Nullable
    TraceContext span() {
        TraceContext known = span;
        if (known == null) {
            known = lanes.span(place).orElse(null);
            span = known;
        }
        return known == null ? place.run().parent() : known;
    }

    /** Makes it current on this thread, unless the hub was closed. */
    Scope makeCurrent() {
        return sinks.isClosed() ? Scope.NONE : CurrentScope.open(this);
    }

    /** Makes it current for the sinks alone. */
    Scope openSinks() {
        return lanes.openScope(place);
    }
}
