package dev.rlm.sinks.core;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.core.lane.RunLanes;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.TraceContext;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Handle of a run that sinks hear of. */
final class LiveRun extends RunRecorder implements Run {
    private final KnownRuns runs;

    LiveRun(RunContext context, KnownRuns runs, RunInfo info, RunLanes lanes, long origin, RunSpec spec) {
        super(context, info, lanes, origin, spec);
        this.runs = runs;
    }

    @Override
    void ended() {
        runs.ended(this);
    }

    @Override
    public Step startStep(String observation) {
        return LiveStep.start(this, RunEvent.NO_STEP, observation);
    }

    @Override
    public void reward(String source, double value, List<RewardComponent> components) {
        reward(null, source, value, null, components, null);
    }

    @Override
    public void rewardAbsent(String source, String reason) {
        reward(null, source, Double.NaN, absence(reason), List.of(), null);
    }

    @Override
    public void reward(String source, Reward reward) {
        reward(null, source, reward);
    }

    @Override
    public boolean isRecording() {
        return true;
    }

    @Override
    public ToolCall startToolCall(String tool) {
        return startCall(new LiveToolCall(this, place(), RunEvent.NO_STEP, 0, tool));
    }

    @Override
    public ModelCall startModelCall(String provider, String model) {
        return startCall(new LiveModelCall(this, RunEvent.NO_STEP, 0, provider, model));
    }

    @Override
    public Evaluation startEvaluation(String source) {
        return LiveEvaluation.start(this, null, place(), source);
    }

    @Override
    public Span span(String name) {
        return LiveSpan.start(this, place(), name);
    }

    @Override
    public void initialState(String digest) {
        keepInitialState(digest);
    }

    @Override
    public void metric(String name, double value) {
        keepMetric(name, value);
    }

    private LivePlace place() {
        return place(Place.of(info()));
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
    public void complete(@Nullable String finalAnswer, @Nullable String terminationReason) {
        end(Ending.completed(context().redactOptional(terminationReason), false, answer(finalAnswer)));
    }

    @Override
    public void truncate(String terminationReason, @Nullable String finalAnswer) {
        end(Ending.completed(context().redactOptional(terminationReason), true, answer(finalAnswer)));
    }

    private @Nullable Content answer(@Nullable String text) {
        return text == null ? null : context().content(text);
    }

    @Override
    public void fail(int code, Throwable error) {
        Throwable known =
                Objects.requireNonNullElseGet(error, () -> new IllegalArgumentException("no error was given"));
        RunStatus status = RunStatus.of(code, context().redact(ErrorText.message(known)));
        end(Ending.failed(
                status, context().redact(known.getClass().getName()), context().content(ErrorText.stackTrace(known))));
    }

    @Override
    public void abort(String reason) {
        end(Ending.aborted(context().redact(reason), "user_stop"));
    }

    @Override
    public void close() {
        if (!hasEnded()) {
            end(Ending.aborted("the run was left before its end", "left"));
        }
    }
}
