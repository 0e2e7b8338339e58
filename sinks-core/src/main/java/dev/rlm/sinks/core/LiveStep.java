package dev.rlm.sinks;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A step that sinks hear of. What its end will tell is guarded by its run's lock.
 *
 * <p>Each step of each run is one of these, so that they are small: what few steps have is in an object of its own, and a
 * place is made where it is asked for.
 */
final class LiveStep extends Open implements Step {
    private static final double NO_REWARD = -0.0; // to which anything may be added; it is shown as 0.0

    private final LiveRun run;
    private final StepStarted started;
    private String actionType = "";
    private Content code = Content.EMPTY;
    private @Nullable StepNotes notes;
    private double reward = NO_REWARD; // the sum of what is finite; NaN where nothing is that was given

    LiveStep(LiveRun run, StepStarted started) {
        this.run = run;
        this.started = started;
    }

    int number() {
        return started.step();
    }

    long startNanos() {
        return started.nanos();
    }

    @Override
    public Step startStep(String observation) {
        return run.startStep(number(), observation);
    }

    @Override
    public void action(String type, String text) {
        String kind = run.redact(type);
        Content content = run.content(text);
        try (RunLock held = run.hold()) {
            if (run.mayChange(this)) {
                actionType = kind;
                code = content;
            }
        }
    }

    @Override
    public void state(String before, String after) {
        String cleanBefore = run.redactOptional(before);
        String cleanAfter = run.redactOptional(after);
        try (RunLock held = run.hold()) {
            if (run.mayChange(this)) {
                notes().state(cleanBefore, cleanAfter);
            }
        }
    }

    @Override
    public void tag(String name, String value) {
        String redacted = run.redact(value);
        String called = run.redact(String.valueOf(name));
        try (RunLock held = run.hold()) {
            if (run.mayChange(this)) {
                notes().tag(called, redacted);
            }
        }
    }

    private StepNotes notes() {
        StepNotes known = notes == null ? new StepNotes() : notes;
        notes = known;
        return known;
    }

    private LivePlace place() {
        return run.place(Place.of(started));
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
        run.reward(this, source, value, null, components);
    }

    @Override
    public void rewardAbsent(String source, String reason) {
        run.reward(this, source, Double.NaN, LiveRun.absence(reason), List.of());
    }

    /** A reward was given to the step. Under the run's lock. */
    void rewarded(double value) {
        if (Double.isFinite(value)) {
            reward = (Double.isNaN(reward) ? 0 : reward) + (value + 0.0); // which is never -0.0
        } else if (isUnrewarded()) {
            reward = Double.NaN;
        }
    }

    private boolean isUnrewarded() {
        return Double.doubleToRawLongBits(reward) == Double.doubleToRawLongBits(NO_REWARD);
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

    /** What its end tells. Under the run's lock. */
    StepEnded ended(
            long seq,
            long nanos,
            Content output,
            boolean success,
            @Nullable Content error,
            @Nullable String errorType) {
        StepNotes told = notes == null ? StepNotes.NONE : notes;
        return StepEndedBuilder.builder()
                .started(started)
                .seq(seq)
                .nanos(nanos)
                .actionType(actionType)
                .code(code)
                .output(output)
                .success(success)
                .error(error)
                .errorType(errorType)
                .reward(reward + 0.0)
                .cumulativeReward(run.cumulativeReward())
                .stateBefore(told.stateBefore())
                .stateAfter(told.stateAfter())
                .tags(told.tags())
                .build();
    }
}
