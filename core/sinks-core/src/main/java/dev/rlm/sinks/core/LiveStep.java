package dev.rlm.sinks.core;

import dev.rlm.sinks.Step;
import dev.rlm.sinks.core.content.ErrorText;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import org.jspecify.annotations.Nullable;

/** Handle of a step that sinks hear of. A place is made where it is asked for. */
final class LiveStep extends OpenStep implements Step, LiveRewarded {
    private final RunRecorder run;

    LiveStep(RunRecorder run, StepStarted started) {
        super(started);
        this.run = run;
    }

    /** Starts one in the run, if that has not ended. */
    static Step start(RunRecorder run, int parent, String observation) {
        LiveStep step = run.startStep(parent, observation, LiveStep::new);
        return step == null ? Step.NOOP : step;
    }

    @Override
    public RunRecorder recorder() {
        return run;
    }

    @Override
    public OpenStep step() {
        return this;
    }

    @Override
    public LivePlace place() {
        return run.place(Place.of(started));
    }

    @Override
    public int stepNumber() {
        return started.step();
    }

    @Override
    public void action(String type, String text) {
        String kind = run.context().redact(type);
        Content content = run.context().content(text);
        try (RunTotals held = run.hold()) {
            if (run.mayChange(this)) {
                actionType = kind;
                code = content;
            }
        }
    }

    @Override
    public void state(@Nullable String before, @Nullable String after) {
        String cleanBefore = run.context().redactOptional(before);
        String cleanAfter = run.context().redactOptional(after);
        try (RunTotals held = run.hold()) {
            if (run.mayChange(this)) {
                notes().stateBefore = cleanBefore;
                notes().stateAfter = cleanAfter;
            }
        }
    }

    @Override
    public void tag(String name, String value) {
        String redacted = String.valueOf(run.context().redact(String.valueOf(name), value == null ? "" : value));
        String called = run.context().redact(String.valueOf(name));
        try (RunTotals held = run.hold()) {
            if (run.mayChange(this)) {
                notes().tags.put(called, redacted);
            }
        }
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
    public void fail(Throwable thrown) {
        String type =
                run.context().redact(thrown == null ? "" : thrown.getClass().getName());
        run.endStep(this, "", false, ErrorText.of(thrown), type);
    }

    @Override
    public void leave(@Nullable Throwable thrown) {
        if (!run.isOpen(this)) {
            return;
        } else if (thrown == null) {
            complete("");
        } else if (ErrorText.isStop(thrown)) {
            abort(ErrorText.of(RunStatus.causeOf(thrown)));
        } else {
            fail(RunStatus.causeOf(thrown));
        }
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
