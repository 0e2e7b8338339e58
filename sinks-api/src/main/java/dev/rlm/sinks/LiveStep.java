package dev.rlm.sinks;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A step that sinks hear of. What its end will tell is guarded by its run's lock. */
final class LiveStep implements Step {
    private final LiveRun run;
    private final StepStarted started;
    private final LivePlace place;
    private String actionType = "";
    private Content code = Content.EMPTY;
    private @Nullable String stateBefore;
    private @Nullable String stateAfter;
    private final Map<String, String> tags = new LinkedHashMap<>();
    private double reward;
    private boolean noneFinite;
    private boolean rewarded;

    LiveStep(LiveRun run, StepStarted started) {
        this.run = run;
        this.started = started;
        this.place = run.place(Place.of(started));
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
        run.change(this, () -> {
            actionType = kind;
            code = content;
        });
    }

    @Override
    public void state(String before, String after) {
        String cleanBefore = run.redactOptional(before);
        String cleanAfter = run.redactOptional(after);
        run.change(this, () -> {
            stateBefore = cleanBefore;
            stateAfter = cleanAfter;
        });
    }

    @Override
    public void tag(String name, String value) {
        String redacted = run.redact(value);
        String called = run.redact(String.valueOf(name));
        run.change(this, () -> tags.put(called, redacted));
    }

    @Override
    public boolean isRecording() {
        return true;
    }

    @Override
    public ToolCall startToolCall(String tool) {
        return run.startCall(new LiveToolCall(run, place, number(), 0, tool));
    }

    @Override
    public ModelCall startModelCall(String provider, String model) {
        return run.startCall(new LiveModelCall(run, number(), 0, provider, model));
    }

    @Override
    public Evaluation startEvaluation(String source) {
        return LiveEvaluation.start(run, this, place, source);
    }

    @Override
    public Span span(String name) {
        return LiveSpan.start(run, place, name);
    }

    @Override
    public void reward(String source, double value, List<RewardComponent> components) {
        run.reward(this, Reward.of(source, value, components));
    }

    @Override
    public void rewardAbsent(String source, String reason) {
        run.reward(this, Reward.absent(source, reason));
    }

    /** A reward was given to the step. */
    void rewarded(double value) {
        boolean finite = Double.isFinite(value);
        noneFinite = !finite && (noneFinite || !rewarded);
        rewarded = true;
        reward += finite ? value : 0;
    }

    @Override
    public Optional<TraceContext> traceContext() {
        return place.traceContext();
    }

    @Override
    public Scope makeCurrent() {
        return place.makeCurrent(this);
    }

    @Override
    public void complete(String output) {
        end(output, true, null, null);
    }

    @Override
    public void fail(String output, String error) {
        end(output, false, error, null);
    }

    @Override
    public void abort(String reason) {
        end("", false, reason, StepEnded.ABORTED);
    }

    @Override
    public void expire(String reason) {
        end("", false, reason, StepEnded.DEADLINE_EXCEEDED);
    }

    @Override
    public void close() {
        if (run.isOpen(this)) {
            fail("the step was left before its end");
        }
    }

    private void end(String output, boolean success, @Nullable String error, @Nullable String errorType) {
        run.endStep(
                this,
                (seq, nanos) -> new StepEnded(
                        started,
                        seq,
                        nanos,
                        actionType,
                        code,
                        run.content(output),
                        success,
                        success ? null : run.content(error),
                        errorType,
                        noneFinite ? Double.NaN : reward,
                        run.cumulativeReward(),
                        stateBefore,
                        stateAfter,
                        tags));
    }
}
