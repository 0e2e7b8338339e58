package dev.rlm.sinks.core;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** An activity that sinks hear of. */
interface LiveActivity extends Activity {
    RunRecorder recorder();

    LivePlace place();

    /** Returns the number of the step that it is or lies in; {@link RunEvent#NO_STEP} for none. */
    default int stepNumber() {
        StepStarted step = place().place().step();
        return step == null ? RunEvent.NO_STEP : step.step();
    }

    /** Returns the number of the event whose span the calls in it lie in; 0 for that of the step or run. */
    default long spanSeq() {
        return 0;
    }

    @Override
    default boolean isRecording() {
        return true;
    }

    @Override
    default Span span(String name, Duration ago) {
        return LiveSpan.start(recorder(), place(), name, ago);
    }

    @Override
    default ToolCall startToolCall(String tool) {
        return recorder().startCall(new LiveToolCall(recorder(), place(), stepNumber(), spanSeq(), tool));
    }

    @Override
    default ModelCall startModelCall(String provider, String model) {
        return recorder().startCall(new LiveModelCall(recorder(), stepNumber(), spanSeq(), provider, model));
    }

    @Override
    default void artifact(Path file) {
        recorder().keep(stepNumber(), files -> files.read(file));
    }

    @Override
    default void artifact(String name, String mediaType, byte[] bytes) {
        recorder().keep(stepNumber(), files -> files.of(name, mediaType, bytes));
    }

    @Override
    default Optional<TraceContext> traceContext() {
        return place().traceContext();
    }

    @Override
    default Scope makeCurrent() {
        return place().makeCurrent(this);
    }
}
