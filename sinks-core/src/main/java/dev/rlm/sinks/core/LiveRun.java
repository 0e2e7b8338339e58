package dev.rlm.sinks;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.lane.RunLanes;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A run that sinks hear of: numbers and stamps its events, keeps its totals, and closes what was left open.
 *
 * <p>To number an event and to offer it is one act under the run's lock. So its events reach the lanes in the order of
 * their numbers, no step starts while the run ends, and nothing follows the end but a late reward. The computation of a
 * reward has its number from its start, since what it calls refers to it, and is offered at its end.
 *
 * <p>A call has its number from its end. Whoever takes it out of those that are open emits it: who closes it, or the end of
 * the run. The run's lock may be held while a call's monitor is taken, and never the other way round.
 *
 * <p>The hub may end it or a step of it too, and tells that it goes on. It waits for the lock no longer than it says.
 */
final class LiveRun implements Run {
    private static final String AFTER_END = "after_end";
    private static final String INVALID = "invalid";
    private static final long NO_TIME = Long.MIN_VALUE; // a reward's computation took none

    private final Sinks sinks;
    private final RunInfo info;
    private final RunLanes lanes;
    private final long origin;
    private final @Nullable Deadline deadline;

    private final RunLock lock = new RunLock(); // of all that follows
    private final Chain<LiveStep> openSteps = new Chain<>();
    private final Chain<LiveWork> openWork = new Chain<>();
    private final Chain<LiveCall> openCalls = new Chain<>();
    private final RunTotals totals;
    private long seq;
    private int stepNumbers;
    private boolean started;
    private @Nullable String runPath; // known from the start
    private volatile boolean ended; // read without the lock as a hint
    private long lastBeat; // the timer's own

    LiveRun(Sinks sinks, RunInfo info, RunLanes lanes, long origin, RunSpec spec) {
        this.sinks = sinks;
        this.info = info;
        this.lanes = lanes;
        this.origin = origin;
        this.totals = new RunTotals(spec.passOn(), spec.passReward());
        this.deadline = sinks.deadline(this, spec);
    }

    /** Offers the run's start, unless the hub was closed before. */
    void start() {
        try (RunLock held = lock.hold()) {
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

    long nanos() {
        return sinks.nanoTime() - origin;
    }

    Content content(@Nullable String text) {
        return sinks.content(text == null ? "" : text);
    }

    @Nullable
    Object redact(@Nullable Object value) {
        return sinks.redaction().value(value);
    }

    String redact(@Nullable String text) {
        return text == null || text.isEmpty() ? "" : sinks.redaction().name(text);
    }

    @Nullable
    String redactOptional(@Nullable String text) {
        return text == null ? null : redact(text);
    }

    Doors doors() {
        return sinks.doors();
    }

    /** Counts what is said of something that has ended. */
    void refuseLate() {
        lanes.refuse(AFTER_END);
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

    @Override
    public Step startStep(String observation) {
        return startStep(RunEvent.NO_STEP, observation);
    }

    Step startStep(int parent, String observation) {
        try (RunLock held = lock.hold()) {
            if (ended) {
                lanes.refuse(AFTER_END);
                return NoStep.INSTANCE;
            }
            StepStarted event = new StepStarted(info, ++seq, nanos(), ++stepNumbers, parent, content(observation));
            lanes.offer(event);
            LiveStep step = new LiveStep(this, event);
            openSteps.add(step);
            return step;
        }
    }

    /** Takes the lock, for the length of a try block. */
    RunLock hold() {
        return lock.hold();
    }

    /** Whether what the step's end will tell may be changed: it has not ended. Under the lock. */
    boolean mayChange(LiveStep step) {
        boolean open = openSteps.contains(step);
        if (!open) {
            lanes.refuse(AFTER_END);
        }
        return open;
    }

    /** Emits a step's end, once. */
    void endStep(LiveStep step, String output, boolean success, @Nullable String error, @Nullable String errorType) {
        try (RunLock held = lock.hold()) {
            if (!openSteps.remove(step)) {
                lanes.refuse(AFTER_END);
                return;
            }
            totals.step();
            StepEnded end; // a run with an open step has not ended
            try {
                end = step.ended(++seq, nanos(), content(output), success, success ? null : content(error), errorType);
            } catch (RuntimeException e) {
                lanes.refuse(INVALID);
                return;
            }
            lanes.offer(end);
        }
    }

    /** Emits the end of a step that was left before its end, unless it has ended. */
    void leaveStep(LiveStep step, String error) {
        if (openSteps.contains(step)) { // a hint: a step that has ended stays so
            try (RunLock held = lock.hold()) {
                if (openSteps.contains(step)) {
                    step.fail(error);
                }
            }
        }
    }

    /** The sum of the finite rewards so far; asked while an event is made. */
    double cumulativeReward() {
        return totals.total();
    }

    @Override
    public void reward(String source, double value, List<RewardComponent> components) {
        reward(null, source, value, null, components);
    }

    @Override
    public void rewardAbsent(String source, String reason) {
        reward(null, source, Double.NaN, absence(reason), List.of());
    }

    /** Why a reward is absent; empty where nobody says. */
    static String absence(@Nullable String reason) {
        return reason == null ? "" : reason;
    }

    /**
     * Gives a reward to the step, or to the run. Its parts come one by one: an object for them would be garbage at once, and
     * the only such of a step.
     *
     * @param absence why there is no value; {@code null} where there is one
     */
    void reward(
            @Nullable LiveStep step,
            String source,
            double value,
            @Nullable String absence,
            List<RewardComponent> components) {
        String clean = redact(source);
        String why = redactOptional(absence);
        try (RunLock held = lock.hold()) {
            if (ended) {
                lanes.refuse(AFTER_END);
            } else if (offer(++seq, step, clean, value, why, components, NO_TIME)) {
                count(step, value);
            }
        }
    }

    /** Gives a reward to the run, also after its end: then it is in no total of the end's. */
    void rewardAtAnyTime(String source, double value, @Nullable String absence, List<RewardComponent> components) {
        String clean = redact(source);
        String why = redactOptional(absence);
        try (RunLock held = lock.hold()) {
            if (ended && !started) {
                return;
            }
            if (offer(++seq, null, clean, value, why, components, NO_TIME) && !ended) {
                count(null, value);
            }
        }
    }

    /** Offers a reward whose computation started then; whether its event could be made. Under the lock. */
    private boolean offer(
            long number,
            @Nullable LiveStep step,
            String source,
            double value,
            @Nullable String absence,
            List<RewardComponent> components,
            long start) {
        RewardGiven event;
        try {
            long now = nanos();
            event = RewardGivenBuilder.builder()
                    .run(info)
                    .seq(number)
                    .nanos(now)
                    .step(step == null ? RunEvent.NO_STEP : step.number())
                    .source(source)
                    .value(value)
                    .absence(absence)
                    .components(doors().clean(components))
                    .startNanos(start == NO_TIME ? now : start)
                    .build();
        } catch (RuntimeException e) {
            lanes.refuse(INVALID);
            return false;
        }
        lanes.offer(event);
        return true;
    }

    private void count(@Nullable LiveStep step, double reward) {
        totals.reward(reward);
        if (step != null) {
            step.rewarded(reward);
        }
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

    /** Takes a call that starts; where the run has ended, its event is counted as dropped at once. */
    <C extends LiveCall> C startCall(C call) {
        try (RunLock held = lock.hold()) {
            if (ended) {
                lanes.refuse(AFTER_END);
            } else {
                openCalls.add(call);
            }
        }
        return call;
    }

    /** Emits a call, once: unless the run's end has, or there was none to take it. */
    void endCall(LiveCall call) {
        try (RunLock held = lock.hold()) {
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
    <W extends LiveWork> @Nullable W startWork(WorkFactory<W> factory) {
        try (RunLock held = lock.hold()) {
            if (ended) {
                lanes.refuse(AFTER_END);
                return null;
            }
            W work = factory.create(++seq, nanos());
            openWork.add(work);
            return work;
        }
    }

    /** Changes what the end of work will tell, unless it has ended. */
    void change(LiveWork work, Runnable change) {
        try (RunLock held = lock.hold()) {
            if (openWork.contains(work)) {
                change.run();
            } else {
                lanes.refuse(AFTER_END);
            }
        }
    }

    /** Emits the event of work, once; whether it could be made. */
    boolean endWork(LiveWork work, EventFactory end) {
        try (RunLock held = lock.hold()) {
            if (!openWork.remove(work)) {
                lanes.refuse(AFTER_END);
                return false;
            }
            return offer(work.work.seq(), end);
        }
    }

    /** Emits the reward that a computation came to, once. */
    void endEvaluation(
            LiveEvaluation evaluation, double value, @Nullable String absence, List<RewardComponent> components) {
        String source = redact(evaluation.work.name());
        String why = redactOptional(absence);
        LiveStep step = evaluation.step();
        try (RunLock held = lock.hold()) {
            if (!openWork.remove(evaluation)) {
                lanes.refuse(AFTER_END);
            } else if (offer(
                    evaluation.work.seq(), step, source, value, why, components, evaluation.work.startNanos())) {
                count(step, value);
            }
        }
    }

    boolean isOpen(LiveWork work) {
        try (RunLock held = lock.hold()) {
            return openWork.contains(work);
        }
    }

    @Override
    public void metric(String name, double value) {
        String called = redact(name);
        try (RunLock held = lock.hold()) {
            if (ended) {
                lanes.refuse(AFTER_END);
            } else {
                totals.metric(called, value);
            }
        }
    }

    private LivePlace place() {
        return place(Place.of(info));
    }

    /** A place in this run. */
    LivePlace place(Place at) {
        return new LivePlace(sinks, lanes, at);
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
        end(Ending.completed(redactOptional(terminationReason), false, answer(finalAnswer)));
    }

    @Override
    public void truncate(String terminationReason, @Nullable String finalAnswer) {
        end(Ending.completed(redactOptional(terminationReason), true, answer(finalAnswer)));
    }

    private @Nullable Content answer(@Nullable String text) {
        return text == null ? null : content(text);
    }

    @Override
    public void fail(int code, Throwable error) {
        Throwable known =
                Objects.requireNonNullElseGet(error, () -> new IllegalArgumentException("no error was given"));
        RunStatus status = RunStatus.of(code, redact(ErrorText.message(known)));
        end(Ending.failed(status, redact(known.getClass().getName()), content(ErrorText.stackTrace(known))));
    }

    @Override
    public void abort(String reason) {
        end(Ending.aborted(redact(reason), "user_stop"));
    }

    @Override
    public void close() {
        if (!ended) {
            end(Ending.aborted("the run was left before its end", null));
        }
    }

    private void end(Ending ending) {
        try (RunLock held = lock.hold()) {
            if (ended) {
                lanes.refuse(AFTER_END);
                return;
            }
            endNow(ending);
        }
        afterEnd();
    }

    private @Nullable String recordPath() {
        Path path = lanes.recordPath();
        return path == null ? null : redact(path.toString());
    }

    /** Under the lock; so all that it is given is redacted. */
    private void endNow(Ending ending) {
        endCalls();
        for (LiveWork work = openWork.first(); work != null; work = openWork.first()) {
            work.endWithRun();
        }
        for (LiveStep step = openSteps.last(); step != null; step = openSteps.last()) {
            step.abort("the run ended before the step");
        }
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
        sinks.ended(this);
    }

    // ---- by the hub

    /** Aborts the run, unless it has ended or its lock cannot be had within the time. */
    void abort(String reason, long patienceNanos) {
        endUncounted(Ending.aborted(reason, "user_stop"), patienceNanos);
    }

    /** Ends the run for one that cannot know whether it has ended; whether it has now. */
    private boolean endUncounted(Ending ending, long patienceNanos) {
        if (!lock.tryHold(patienceNanos)) {
            return false;
        }
        try (lock) {
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
        if (ended || now - lastBeat < intervalNanos || !lock.tryHold(0)) {
            return;
        }
        try (lock) {
            if (started && !ended) {
                lastBeat = now;
                offer(++seq, (seq, nanos) -> new Heartbeat(info, seq, nanos, totals.steps(), totals.total()));
            }
        }
    }

    /** Ends the run as one that took too long; whether it has ended. */
    boolean expire(String message) {
        RunStatus status = RunStatus.of(RunStatus.DEADLINE_EXCEEDED, message);
        return endUncounted(Ending.failed(status, TimeoutException.class.getName(), content(message)), 0);
    }

    /**
     * Ends the steps that took longer than that.
     *
     * @return when the next one that is open will have, if it does not end before, as {@link #nanos()}; empty where the
     *     lock could not be had
     */
    Optional<Long> expireSteps(long limitNanos, String message) {
        if (!lock.tryHold(0)) {
            return Optional.empty();
        }
        try (lock) {
            long now = nanos();
            for (LiveStep step = openSteps.first(); step != null; step = openSteps.first()) {
                if (now - step.startNanos() < limitNanos) {
                    return Optional.of(step.startNanos() + limitNanos); // those that follow started later
                }
                step.expire(message);
            }
            return Optional.of(now + limitNanos);
        }
    }

    /** Makes an event once its number and time are known. */
    @FunctionalInterface
    interface EventFactory {
        RunEvent create(long seq, long nanos);
    }

    /** Likewise work. */
    @FunctionalInterface
    interface WorkFactory<W extends LiveWork> {
        W create(long seq, long startNanos);
    }
}
