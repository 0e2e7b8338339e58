package dev.rlm.sinks.lane;

import dev.rlm.sinks.Scope;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import java.net.URI;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The lanes that a run's events go to: those that there were at its start, less those that had no room for its end. */
public final class RunLanes {
    private final Lane[] lanes;
    private final boolean[] admitted;

    RunLanes(Lane[] lanes) {
        this.lanes = lanes;
        this.admitted = new boolean[lanes.length];
    }

    /** Reserves room for the run's end in each lane. */
    void reserve() {
        for (int i = 0; i < lanes.length; i++) {
            admitted[i] = lanes[i].reserveEnd();
        }
    }

    /** Reserves room for the run's end in each lane and offers its start; a lane that has no room skips the run. */
    public void start(RunStarted event) {
        reserve();
        for (int i = 0; i < lanes.length; i++) {
            if (!admitted[i]) {
                lanes[i].refuse(Lane.RUN_REFUSED);
            } else if (!lanes[i].offer(event)) {
                lanes[i].releaseEnd();
                admitted[i] = false;
            }
        }
    }

    public void offer(Event event) {
        for (int i = 0; i < lanes.length; i++) {
            if (admitted[i]) {
                lanes[i].offer(event);
            } else {
                lanes[i].refuse(Lane.RUN_REFUSED);
            }
        }
    }

    public void end(RunEnded event) {
        for (int i = 0; i < lanes.length; i++) {
            if (admitted[i]) {
                lanes[i].offerEnd(event);
            } else {
                lanes[i].refuse(Lane.RUN_REFUSED);
            }
        }
    }

    /** Counts an event that came after all was closed. */
    public void refuseClosed() {
        refuse(Lane.CLOSED);
    }

    /** Counts an event that is not even offered. */
    public void refuse(String reason) {
        for (Lane lane : lanes) {
            lane.refuse(reason);
        }
    }

    public Scope openScope(RunInfo run, @Nullable StepStarted step) {
        Scope all = Scope.NONE;
        for (int i = 0; i < lanes.length; i++) {
            Scope scope = admitted[i] ? lanes[i].sink().openScope(run, step) : Scope.NONE;
            if (scope != Scope.NONE) {
                Scope earlier = all;
                all = () -> {
                    scope.close();
                    earlier.close();
                };
            }
        }
        return all;
    }

    /**
     * What a child of the run, or of the step, is to know: the span of the first sink that has one, else that of the
     * run's own parent, and the run's id beside what its parent has handed down.
     */
    public TraceContext traceContext(RunInfo run, @Nullable StepStarted step) {
        TraceContext parent = run.parent() == null ? TraceContext.NONE : run.parent();
        TraceContext span = span(run, step).orElse(parent);
        TraceContext known = span.baggage() == null ? span.withBaggage(parent.baggage()) : span;
        return known.withBaggageEntry(TraceContext.RUN_ID, run.runId());
    }

    private Optional<TraceContext> span(RunInfo run, @Nullable StepStarted step) {
        for (int i = 0; i < lanes.length; i++) {
            Optional<TraceContext> span = admitted[i] ? lanes[i].sink().traceContext(run, step) : Optional.empty();
            if (span.isPresent()) {
                return span;
            }
        }
        return Optional.empty();
    }

    /** The file or folder in which a sink keeps the run's record. */
    public @Nullable String recordPath(String runId) {
        for (Lane lane : lanes) {
            URI location = lane.sink().location(runId).orElse(null);
            if (location != null && "file".equals(location.getScheme())) {
                return path(location);
            }
        }
        return null;
    }

    /** The path, or the address itself where a sink answers with one that is no path of this machine. */
    private static String path(URI location) {
        try {
            return Path.of(location).toString();
        } catch (IllegalArgumentException | FileSystemNotFoundException e) {
            return location.toString();
        }
    }
}
