package dev.rlm.sinks;

import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import java.util.Optional;

/**
 * Work that goes on and has a span of its own. Its event has the number that was next when it started, since what it calls
 * refers to it, and is offered at its end. What that will tell is guarded by the run's lock.
 */
abstract sealed class LiveWork extends Open permits LiveEvaluation, LiveSpan {
    final LiveRun run;
    final Place.Work work;
    private final LivePlace place;

    LiveWork(LiveRun run, LivePlace outer, Place.Work work) {
        this.run = run;
        this.work = work;
        this.place = outer.with(work);
    }

    final LivePlace place() {
        return place;
    }

    final int stepNumber() {
        StepStarted step = place.place().step();
        return step == null ? RunEvent.NO_STEP : step.step();
    }

    public final boolean isRecording() {
        return true;
    }

    public final ToolCall startToolCall(String tool) {
        return run.startCall(new LiveToolCall(run, place, stepNumber(), work.seq(), tool));
    }

    public final ModelCall startModelCall(String provider, String model) {
        return run.startCall(new LiveModelCall(run, stepNumber(), work.seq(), provider, model));
    }

    public final Optional<TraceContext> traceContext() {
        return place.traceContext();
    }

    /** Ends it because its run ends. */
    abstract void endWithRun();
}
