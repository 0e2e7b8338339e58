package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.Scope;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.TraceContext;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The lanes that a run's events go to: those that there were at its start, less those that refused it. */
public final class RunLanes {
    private final List<AtomicReference<EventQueue>> lanes;
    private final @Nullable String[] refusals; // why a lane has refused the run, if it has

    RunLanes(List<AtomicReference<EventQueue>> lanes) {
        this.lanes = lanes;
        this.refusals = new String[lanes.size()];
    }

    /** Reserves room for the run's end in each lane. */
    void reserve() {
        for (int i = 0; i < refusals.length; i++) {
            refusals[i] = events(i).reserveEnd() ? null : Reasons.RUN_REFUSED;
        }
    }

    /** Reserves room for the run's end in each lane and offers its start; a lane that refuses it skips the run. */
    public void start(RunStarted event) {
        reserve();
        for (int i = 0; i < refusals.length; i++) {
            if (isRefused(i)) {
                continue;
            }
            String shut = events(i).refusal();
            if (!events(i).offer(event)) {
                events(i).releaseEnd();
                refusals[i] = shut == null || shut.equals(Reasons.CLOSED) ? Reasons.RUN_REFUSED : shut;
            }
        }
    }

    public void offer(Event event) {
        long weight = SizeEstimator.of(event);
        for (int i = 0; i < refusals.length; i++) {
            if (!isRefused(i)) {
                events(i).offer(event, weight);
            }
        }
    }

    public void end(RunEnded event) {
        for (int i = 0; i < refusals.length; i++) {
            if (!isRefused(i)) {
                events(i).offerEnd(event);
            }
        }
    }

    private EventQueue events(int i) {
        return Objects.requireNonNull(lanes.get(i).get(), "a lane has a queue at any time");
    }

    /** Returns whether the lane has refused the run: then it counts an event of it. */
    private boolean isRefused(int i) {
        String reason = refusals[i];
        if (reason != null) {
            events(i).refuse(reason);
        }
        return reason != null;
    }

    /** The lane's sink, unless the lane has refused the run, or the sink is out of service. */
    private @Nullable GuardedSink sink(int i) {
        return refusals[i] == null ? events(i).sink() : null;
    }

    /** Counts an event that came after all was closed. */
    public void refuseClosed() {
        refuse(Reasons.CLOSED);
    }

    /** Counts an event that is not even offered. */
    public void refuse(String reason) {
        for (int i = 0; i < refusals.length; i++) {
            events(i).refuse(reason);
        }
    }

    public Scope openScope(Place place) {
        Scope all = Scope.NONE;
        for (int i = 0; i < refusals.length; i++) {
            GuardedSink sink = sink(i);
            Scope scope = sink == null ? Scope.NONE : sink.openScope(place);
            if (scope != Scope.NONE) {
                all = all == Scope.NONE ? scope : new Scopes(all, scope);
            }
        }
        return all;
    }

    /**
     * Returns the trace context for children of that place: the span of the first sink that has one, else that of the
     * run's own parent, with the ids of the run and its rollout in the baggage.
     */
    public TraceContext traceContext(Place place) {
        RunInfo run = place.run();
        TraceContext parent = run.parent() == null ? TraceContext.NONE : run.parent();
        TraceContext span = span(place).orElse(parent);
        TraceContext known = span.baggage() == null ? span.withBaggage(parent.baggage()) : span;
        return known.withRun(run.runId(), run.correlation().rollout());
    }

    private Optional<TraceContext> span(Place place) {
        for (int i = 0; i < refusals.length; i++) {
            GuardedSink sink = sink(i);
            Optional<TraceContext> span = sink == null ? Optional.empty() : sink.traceContext(place);
            if (span.isPresent()) {
                return span;
            }
        }
        return Optional.empty();
    }

    /** Folder or file of the run's record: that of the first durable sink that has one, else of the first. */
    public @Nullable Path recordPath() {
        Path first = null;
        for (int i = 0; i < refusals.length; i++) {
            GuardedSink sink = sink(i);
            if (sink == null || sink.recordPath() == null) {
                continue;
            } else if (events(i).isDurable()) {
                return sink.recordPath();
            }
            first = first == null ? sink.recordPath() : first;
        }
        return first;
    }

    /** Two scopes that are one; the first that tells its span is heard. */
    private record Scopes(Scope earlier, Scope later) implements Scope {
        @Override
        public Optional<TraceContext> traceContext() {
            return earlier.traceContext().or(later::traceContext);
        }

        @Override
        public void close() {
            later.close();
            earlier.close();
        }
    }
}
