package dev.rlm.sinks.core;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.core.content.ErrorText;
import dev.rlm.sinks.core.lane.RunLanes;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Handle of a run that sinks hear of. It is a subclass of its recorder and no object beside it, because 10,000 open runs are counted by
 * the byte. The handles of steps, calls and spans know the recorder alone, and the recorder knows them as nodes of its lists.
 */
final class LiveRun extends RunRecorder implements Run, LiveRewarded {
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
    public RunRecorder recorder() {
        return this;
    }

    @Override
    public @Nullable OpenStep step() {
        return null;
    }

    @Override
    public LivePlace place() {
        return place(Place.of(info()));
    }

    @Override
    public int stepNumber() {
        return RunEvent.NO_STEP;
    }

    @Override
    public void initialState(String digest) {
        keepInitialState(digest);
    }

    @Override
    public void metric(String name, double value) {
        keepMetric(name, value);
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
    public void leave(@Nullable Throwable thrown) {
        if (hasEnded()) {
            return;
        } else if (thrown == null) {
            complete(null);
        } else if (ErrorText.isStop(thrown)) {
            abort(ErrorText.of(RunStatus.causeOf(thrown)));
        } else {
            fail(RunStatus.codeOf(thrown), RunStatus.causeOf(thrown));
        }
    }

    @Override
    public void close() {
        if (!hasEnded()) {
            end(Ending.aborted("the run was left before its end", "left"));
        }
    }
}
