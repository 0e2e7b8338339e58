package dev.rlm.sinks.core;

import dev.rlm.sinks.Reward;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.core.content.ArtifactReader;
import dev.rlm.sinks.core.lane.RunLanes;
import dev.rlm.sinks.event.ArtifactSavedBuilder;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.schema.RunAssembler;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Records a run: numbers and stamps its events, keeps its totals, and closes what was left open.
 *
 * <p>To number an event and to offer it is one act under the run's lock. So its events reach the lanes in the order of
 * their numbers, no step starts while the run ends, and nothing follows the end but a late reward. The computation of a
 * reward has its number from its start, since what it calls refers to it, and is offered at its end.
 *
 * <p>A call has its number from its end. The thread that takes it out of the open ones emits it: the one that closes
 * it, or the one that ends the run. The run's lock may be held while a call's monitor is taken, and never the other way
 * round.
 *
 * <p>The hub may end it or a step of it too, and tells that it goes on. It waits for the lock no longer than it says.
 */
abstract class RunRecorder implements RunDeadline.Limited {
    private static final String AFTER_END = "after_end";
    private static final String INVALID = "invalid";
    private static final long NO_TIME = Long.MIN_VALUE; // a reward's computation took none

    private final RunContext context;
    private final RunInfo info;
    private final RunLanes lanes;
    private final long origin;
    private final @Nullable RunDeadline deadline;

    private final RunTotals totals; // and the lock of all that follows
    private final IntrusiveList<OpenStep> openSteps = new IntrusiveList<>();
    private final IntrusiveList<OpenWork> openWork = new IntrusiveList<>();
    private final IntrusiveList<LiveCall> openCalls = new IntrusiveList<>();
    private @Nullable ToldTexts texts; // under the monitor of the open calls
    private long seq;
    private int stepNumbers;
    private boolean started;
    private @Nullable String runPath; // known from the start
    private volatile boolean ended; // read without the lock as a hint
    private volatile boolean timedOut; // before it has ended
    private long lastBeat; // the timer's own

    RunRecorder(RunContext context, RunInfo info, RunLanes lanes, long origin, RunSpec spec) {
        this.context = context;
        this.info = info;
        this.lanes = lanes;
        this.origin = origin;
        this.totals = new RunTotals(spec.passOn(), spec.passReward());
        this.deadline = context.deadline(spec, this);
    }

    /** Forgets the run as one that is open. Not under the lock. */
    abstract void ended();

    /** Offers the run's start, unless the hub was closed before. */
    void start() {
        try (RunTotals held = totals.hold()) {
            if (ended) {
                lanes.refuseClosed();
                return;
            }
            started = true;
            lanes.start(new RunStarted(info, ++seq));
            runPath = recordPath();
        }
        if (deadline != null) {
            deadline.start();
        }
    }

    RunInfo info() {
        return info;
    }

    RunContext context() {
        return context;
    }

    /** Returns what models and tools were told and said, which is told again and again. */
    ToldTexts texts() {
        synchronized (openCalls) {
            ToldTexts known = texts;
            if (known == null) {
                known = new ToldTexts(context);
                texts = known;
            }
            return known;
        }
    }

    @Override
    public final long nanos() {
        return context.nanoTime() - origin;
    }

    /** Counts what is said of something that has ended, unless that is because the run's time was up: its thread cannot know. */
    void refuseLate() {
        if (!timedOut) {
            lanes.refuse(AFTER_END);
        }
    }

    private void refuseLate(OpenStep step) {
        if (step.notes == null || !step.notes.timedOut) {
            refuseLate();
        }
    }

    /** Returns whether the run has ended; counts then what is said of it. Under the lock. */
    private boolean isLate() {
        if (ended) {
            refuseLate();
        }
        return ended;
    }

    /** Offers the event of that number; whether it could be made. Under the lock. */
    private boolean offer(long number, EventFactory factory) {
        RunEvent event;
        try {
            event = factory.create(number, nanos());
        } catch (RuntimeException e) {
            lanes.refuse(INVALID);
            return false;
        }
        lanes.offer(event);
        return true;
    }

    /** Starts a step, made of its event; {@code null} where the run has ended. */
    <S extends OpenStep> @Nullable S startStep(int parent, String observation, StepFactory<S> factory) {
        try (RunTotals held = totals.hold()) {
            if (isLate()) {
                return null;
            }
            StepStarted event =
                    new StepStarted(info, ++seq, nanos(), ++stepNumbers, parent, context.content(observation));
            lanes.offer(event);
            S step = factory.create(this, event);
            openSteps.add(step);
            return step;
        }
    }

    /** Takes the lock, for the length of a try block. */
    RunTotals hold() {
        return totals.hold();
    }

    /** Returns whether what the step's end will tell may be changed: it has not ended. Under the lock. */
    boolean mayChange(OpenStep step) {
        boolean open = openSteps.contains(step);
        if (!open) {
            refuseLate(step);
        }
        return open;
    }

    /** Emits a step's end, once. */
    void endStep(OpenStep step, String output, boolean success, @Nullable String error, @Nullable String errorType) {
        try (RunTotals held = totals.hold()) {
            if (!openSteps.remove(step)) {
                refuseLate(step);
                return;
            }
            totals.step();
            StepNotes notes = step.notes;
            StepEnded end; // a run with an open step has not ended
            try {
                end = new StepEnded( // without a builder, as a reward
                        step.started,
                        ++seq,
                        nanos(),
                        step.actionType,
                        step.code,
                        context.content(output),
                        success,
                        success ? null : context.content(error),
                        errorType,
                        step.reward + 0.0,
                        totals.total(),
                        notes == null ? null : notes.stateBefore,
                        notes == null ? null : notes.stateAfter,
                        notes == null ? Map.of() : notes.tags);
            } catch (RuntimeException e) {
                lanes.refuse(INVALID);
                return;
            }
            lanes.offer(end);
            if (StepEnded.DEADLINE_EXCEEDED.equals(errorType)) {
                step.notes().timedOut = true;
            }
        }
    }

    /** A hint: a step that has ended stays so. */
    boolean isOpen(OpenStep step) {
        return openSteps.contains(step);
    }

    /** Emits the end of a step that was left before its end, unless it has ended. */
    void leaveStep(OpenStep step, String error) {
        if (isOpen(step)) {
            try (RunTotals held = totals.hold()) {
                if (openSteps.contains(step)) {
                    endStep(step, "", false, error, null);
                }
            }
        }
    }

    void reward(@Nullable OpenStep step, String source, @Nullable Reward reward) {
        Reward given = orAbsent(reward);
        reward(step, source, given.value(), null, given.components(), given);
    }

    static Reward orAbsent(@Nullable Reward reward) {
        return reward == null ? Reward.ABSENT : reward;
    }

    /** Returns why a reward is absent; empty where that is not known. */
    static String absence(@Nullable String reason) {
        return reason == null ? "" : reason;
    }

    /**
     * Gives a reward to the step, or to the run. Its parts come one by one: an object for them would be garbage at once, and
     * the only such of a step.
     *
     * @param absence why there is no value; {@code null} where there is one
     * @param details what else its source says of it; {@code null} where it says no more
     */
    void reward(
            @Nullable OpenStep step,
            String source,
            double value,
            @Nullable String absence,
            List<RewardComponent> components,
            @Nullable Reward details) {
        String clean = context.redact(source);
        String why = context.redactOptional(absence);
        try (RunTotals held = totals.hold()) {
            if (!isLate()) {
                count(step, offer(++seq, step, clean, value, why, components, details, NO_TIME));
            }
        }
    }

    /** Gives a reward to the run, also after its end: then it is in no total of the end's, and given once by the same source. */
    void rewardAtAnyTime(
            String source,
            double value,
            @Nullable String absence,
            List<RewardComponent> components,
            @Nullable Reward details) {
        String clean = context.redact(source);
        String why = context.redactOptional(absence);
        try (RunTotals held = totals.hold()) {
            double told = why == null ? value : Double.NaN;
            if (ended && (!started || totals.rewards().has(RunEvent.NO_STEP, clean, told))) {
                return;
            }
            count(null, offer(++seq, null, clean, value, why, components, details, NO_TIME));
        }
    }

    /** Offers a reward whose computation started then; {@code null} if its event could not be made. Under the lock. */
    private @Nullable RewardGiven offer(
            long number,
            @Nullable OpenStep step,
            String source,
            double value,
            @Nullable String absence,
            List<RewardComponent> components,
            @Nullable Reward details,
            long start) {
        RewardGiven event;
        try {
            long now = nanos();
            event = new RewardGiven( // without a builder: the compiler does not always do without that object
                    info,
                    number,
                    now,
                    step == null ? RunEvent.NO_STEP : step.started.step(),
                    source,
                    value,
                    absence,
                    context.records().clean(components),
                    details == null ? null : context.redactOptional(details.label()),
                    details == null ? null : context.content(details.explanation()),
                    details == null ? null : details.kind(),
                    details == null ? null : details.min(),
                    details == null ? null : details.max(),
                    null,
                    start == NO_TIME ? now : start,
                    null);
        } catch (RuntimeException e) {
            lanes.refuse(INVALID);
            return null;
        }
        lanes.offer(event);
        return event;
    }

    private void count(@Nullable OpenStep step, @Nullable RewardGiven reward) {
        if (reward != null) {
            totals.reward(reward, ended);
            if (step != null) {
                step.rewarded(reward.value());
            }
        }
    }

    /** Takes a call that starts; where the run has ended, its event is counted as dropped at once. */
    <C extends LiveCall> C startCall(C call) {
        try (RunTotals held = totals.hold()) {
            if (!isLate()) {
                openCalls.add(call);
            }
        }
        return call;
    }

    /** Emits a call, once: unless the run's end has, or there was none to take it. */
    void endCall(LiveCall call) {
        try (RunTotals held = totals.hold()) {
            if (openCalls.remove(call)) {
                offer(++seq, call::event);
            }
        }
    }

    /** Emits all that go on. Under the lock. */
    private void endCalls() {
        for (LiveCall call = openCalls.first(); call != null; call = openCalls.first()) {
            call.endWithRun();
            endCall(call);
        }
    }

    /** Starts work with the next number and this moment; {@code null} where the run has ended. */
    <W extends OpenWork> @Nullable W startWork(WorkFactory<W> factory) {
        try (RunTotals held = totals.hold()) {
            if (isLate()) {
                return null;
            }
            W work = factory.create(++seq, nanos());
            openWork.add(work);
            return work;
        }
    }

    /** Changes what the end of work will tell, unless it has ended. */
    void change(OpenWork work, Runnable change) {
        try (RunTotals held = totals.hold()) {
            if (openWork.contains(work)) {
                change.run();
            } else {
                refuseLate();
            }
        }
    }

    /** Emits the event of work, once; whether it could be made. */
    boolean endWork(OpenWork work, EventFactory end) {
        try (RunTotals held = totals.hold()) {
            if (!openWork.remove(work)) {
                refuseLate();
                return false;
            }
            return offer(work.work.seq(), end);
        }
    }

    /** Emits the reward that a computation came to, once. */
    void endEvaluation(
            OpenWork evaluation,
            @Nullable OpenStep step,
            double value,
            @Nullable String absence,
            List<RewardComponent> components,
            @Nullable Reward details) {
        String source = context.redact(evaluation.work.name());
        String why = context.redactOptional(absence);
        try (RunTotals held = totals.hold()) {
            if (!openWork.remove(evaluation)) {
                refuseLate();
            } else {
                long start = evaluation.work.startNanos();
                count(step, offer(evaluation.work.seq(), step, source, value, why, components, details, start));
            }
        }
    }

    boolean isOpen(OpenWork work) {
        try (RunTotals held = totals.hold()) {
            return openWork.contains(work);
        }
    }

    /** Keeps a digest of the environment's state for the run's end. */
    void keepInitialState(String digest) {
        String clean = context.redactOptional(digest);
        try (RunTotals held = totals.hold()) {
            if (!isLate()) {
                totals.initialState(clean);
            }
        }
    }

    /** Keeps a file, which is read before the lock is taken. */
    void keep(int step, Function<ArtifactReader, ArtifactSavedBuilder> reading) {
        ArtifactSavedBuilder file;
        try {
            file = ended ? ArtifactSavedBuilder.builder() : reading.apply(context.files());
        } catch (RuntimeException e) {
            lanes.refuse(INVALID);
            return;
        }
        try (RunTotals held = totals.hold()) {
            if (!isLate()) {
                offer(
                        ++seq,
                        (number, now) ->
                                file.run(info).seq(number).nanos(now).step(step).build());
            }
        }
    }

    /** Keeps a number for the run's end. */
    void keepMetric(String name, double value) {
        String called = context.redact(name);
        try (RunTotals held = totals.hold()) {
            if (!isLate()) {
                totals.metric(called, value);
            }
        }
    }

    /** A place in this run. */
    LivePlace place(Place at) {
        return new LivePlace(context, lanes, at);
    }

    /** A hint: it is read without the lock. */
    boolean hasEnded() {
        return ended;
    }

    /** Ends the run, once. */
    void end(Ending ending) {
        try (RunTotals held = totals.hold()) {
            if (isLate()) {
                return;
            }
            endNow(ending);
        }
        afterEnd();
    }

    private @Nullable String recordPath() {
        Path path = lanes.recordPath();
        return path == null ? null : context.redact(path.toString());
    }

    /** Under the lock; so all that it is given is redacted. */
    private void endNow(Ending ending) {
        endCalls();
        for (OpenWork work = openWork.first(); work != null; work = openWork.first()) {
            work.endWithRun();
        }
        for (OpenStep step = openSteps.last(); step != null; step = openSteps.last()) {
            endStep(step, "", false, RunAssembler.UNENDED_STEP, StepEnded.ABORTED);
        }
        RunStatus status = ending.status();
        timedOut = status != null && status.code() == RunStatus.DEADLINE_EXCEEDED;
        ended = true;
        if (started) {
            lanes.end(ending.event(info, ++seq, nanos(), totals, runPath));
        }
        totals.forgetMetrics(); // which the end has told
    }

    private void afterEnd() {
        if (deadline != null) {
            deadline.close();
        }
        synchronized (openCalls) {
            if (texts != null) {
                context.toldTexts().forget(texts);
            }
        }
        ended();
    }

    // ---- by the hub

    /** Aborts the run, unless it has ended or its lock cannot be had within the time. */
    void abort(String reason, long patienceNanos) {
        endUncounted(Ending.aborted(reason, "user_stop"), patienceNanos);
    }

    /** Ends the run for one that cannot know whether it has ended; whether it has now. */
    private boolean endUncounted(Ending ending, long patienceNanos) {
        if (!totals.tryHold(patienceNanos)) {
            return false;
        }
        try (totals) {
            if (ended) {
                return true;
            }
            endNow(ending);
        }
        afterEnd();
        return true;
    }

    /** Tells that the run goes on, if nothing has told it for the interval. On the hub's timer alone. */
    void beat(long intervalNanos) {
        long now = nanos();
        if (ended || now - lastBeat < intervalNanos || !totals.tryHold(0)) {
            return;
        }
        try (totals) {
            if (started && !ended) {
                lastBeat = now;
                offer(++seq, (seq, nanos) -> new Heartbeat(info, seq, nanos, totals.steps(), totals.total()));
            }
        }
    }

    @Override
    public boolean expire(String message) {
        RunStatus status = RunStatus.of(RunStatus.DEADLINE_EXCEEDED, message);
        return endUncounted(Ending.failed(status, TimeoutException.class.getName(), context.content(message)), 0);
    }

    @Override
    public Optional<Long> expireSteps(long limitNanos, String message) {
        if (!totals.tryHold(0)) {
            return Optional.empty();
        }
        try (totals) {
            long now = nanos();
            for (OpenStep step = openSteps.first(); step != null; step = openSteps.first()) {
                if (now - step.started.nanos() < limitNanos) {
                    return Optional.of(step.started.nanos() + limitNanos); // those that follow started later
                }
                endStep(step, "", false, message, StepEnded.DEADLINE_EXCEEDED);
            }
            return Optional.of(now + limitNanos);
        }
    }

    /** Makes an event once its number and time are known. */
    @FunctionalInterface
    interface EventFactory {
        RunEvent create(long seq, long nanos);
    }

    /** Makes the handle of a step. */
    @FunctionalInterface
    interface StepFactory<S extends OpenStep> {
        S create(RunRecorder run, StepStarted started);
    }

    /** Makes work once its number and time are known. */
    @FunctionalInterface
    interface WorkFactory<W extends OpenWork> {
        W create(long seq, long startNanos);
    }
}
