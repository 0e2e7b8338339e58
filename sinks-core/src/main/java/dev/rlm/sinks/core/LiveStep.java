package dev.rlm.sinks.core;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Handle of a step that sinks hear of. A place is made where it is asked for. */
final class LiveStep extends OpenStep implements Step {
    private final RunRecorder run;

    LiveStep(RunRecorder run, StepStarted started) {
        super(started);
        this.run = run;
    }

    /** Starts one in the run, if that has not ended. */
    static Step start(RunRecorder run, int parent, String observation) {
        LiveStep step = run.startStep(parent, observation, LiveStep::new);
        return step == null ? Step.noop() : step;
    }

    @Override
    public Step startStep(String observation) {
        return start(run, number(), observation);
    }

    @Override
    public void action(String type, String text) {
        String kind = run.context().redact(type);
        Content content = run.context().content(text);
        try (RunLock held = run.hold()) {
            if (run.mayChange(this)) {
                act(kind, content);
            }
        }
    }

    @Override
    public void state(@Nullable String before, @Nullable String after) {
        String cleanBefore = run.context().redactOptional(before);
        String cleanAfter = run.context().redactOptional(after);
        try (RunLock held = run.hold()) {
            if (run.mayChange(this)) {
                notes().state(cleanBefore, cleanAfter);
            }
        }
    }

    @Override
    public void tag(String name, String value) {
        String redacted = run.context().redact(value);
        String called = run.context().redact(String.valueOf(name));
        try (RunLock held = run.hold()) {
            if (run.mayChange(this)) {
                notes().tag(called, redacted);
            }
        }
    }

    private LivePlace place() {
        return run.place(Place.of(started()));
    }

    @Override
    public boolean isRecording() {
        return true;
    }

    @Override
    public ToolCall startToolCall(String tool) {
        return run.startCall(new LiveToolCall(run, place(), number(), 0, tool));
    }

    @Override
    public ModelCall startModelCall(String provider, String model) {
        return run.startCall(new LiveModelCall(run, number(), 0, provider, model));
    }

    @Override
    public Evaluation startEvaluation(String source) {
        return LiveEvaluation.start(run, this, place(), source);
    }

    @Override
    public Span span(String name) {
        return LiveSpan.start(run, place(), name);
    }

    @Override
    public void reward(String source, double value, List<RewardComponent> components) {
        run.reward(this, source, value, null, components, null);
    }

    @Override
    public void reward(String source, Reward reward) {
        run.reward(this, source, reward);
    }

    @Override
    public void rewardAbsent(String source, String reason) {
        run.reward(this, source, Double.NaN, RunRecorder.absence(reason), List.of(), null);
    }

    @Override
    public Optional<TraceContext> traceContext() {
        return place().traceContext();
    }

    @Override
    public Scope makeCurrent() {
        return place().makeCurrent(this);
    }

    @Override
    public void complete(String output) {
        run.endStep(this, output, true, null, null);
    }

    @Override
    public void fail(String output, String error) {
        run.endStep(this, output, false, error, null);
    }

    @Override
    public void abort(String reason) {
        run.endStep(this, "", false, reason, StepEnded.ABORTED);
    }

    @Override
    public void expire(String reason) {
        run.endStep(this, "", false, reason, StepEnded.DEADLINE_EXCEEDED);
    }

    @Override
    public void close() {
        run.leaveStep(this, "the step was left before its end");
    }
}
