package dev.rlm.sinks.core;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import java.util.Optional;

/** Base of the handles of work that sinks hear of. What its event will tell is guarded by the run's lock. */
abstract class LiveWork extends OpenWork {
    final RunRecorder run;
    private final LivePlace place;

    LiveWork(RunRecorder run, LivePlace outer, Place.Work work) {
        super(work);
        this.run = run;
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
}
