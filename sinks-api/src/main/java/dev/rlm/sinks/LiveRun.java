package dev.rlm.sinks;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.lane.RunLanes;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A run that sinks hear of: numbers and stamps its events, keeps its totals, and closes what was left open.
 *
 * <p>To number an event and to offer it is one act under the run's lock. So its events reach the lanes in the order of
 * their numbers, no step starts while the run ends, and nothing follows the end but a late reward. The computation of a
 * reward has its number from its start, since what it calls refers to it, and is offered at its end.
 *
 * <p>The hub may end it or a step of it too, and tells that it goes on. It waits for the lock no longer than it says.
 */
final class LiveRun implements Run {
    private static final String AFTER_END = "after_end";

    private final Sinks sinks;
    private final RunInfo info;
    private final RunLanes lanes;
    private final long origin;
    private final @Nullable Deadline deadline;
    private final LivePlace place;

    private final RunLock lock = new RunLock(); // of all that follows
    private final NavigableMap<Integer, LiveStep> openSteps = new TreeMap<>();
    private final Set<LiveWork> openWork = new LinkedHashSet<>();
    private final OpenCalls openCalls = new OpenCalls();
    private final RunTotals totals;
    private long seq;
    private int stepNumbers;
    private boolean started;
    private volatile boolean ended; // read without the lock as a hint
    private long lastBeat; // the timer's own

    LiveRun(Sinks sinks, RunInfo info, RunLanes lanes, long origin, RunSpec spec) {
        this.sinks = sinks;
        this.info = info;
        this.lanes = lanes;
        this.origin = origin;
        this.totals = new RunTotals(spec.passOn(), spec.passReward());
        this.deadline = sinks.deadline(this, spec);
        this.place = place(Place.of(info));
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

    /** Makes an event with the next number and this moment, and offers it; whether it could be made. */
    boolean emit(EventFactory factory) {
        try (RunLock held = lock.hold()) {
            if (ended) {
                lanes.refuse(AFTER_END);
                return false;
            }
            return offer(++seq, factory);
        }
    }

    /** Offers the event of that number; whether it could be made. Under the lock. */
    private boolean offer(long number, EventFactory factory) {
        RunEvent event;
        try {
            event = factory.create(number, nanos());
        } catch (RuntimeException e) {
            lanes.refuse("invalid");
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
            openSteps.put(event.step(), step);
            return step;
        }
    }

    /** Changes what a step's end will tell, unless it has ended. */
    void change(LiveStep step, Runnable change) {
        try (RunLock held = lock.hold()) {
            if (openSteps.containsKey(step.number())) {
                change.run();
            } else {
                lanes.refuse(AFTER_END);
            }
        }
    }

    /** Emits a step's end, once. */
    void endStep(LiveStep step, EventFactory end) {
        try (RunLock held = lock.hold()) {
            if (openSteps.remove(step.number()) == null) {
                lanes.refuse(AFTER_END);
            } else {
                totals.step();
                offer(++seq, end); // a run with an open step has not ended
            }
        }
    }

    boolean isOpen(LiveStep step) {
        try (RunLock held = lock.hold()) {
            return openSteps.containsKey(step.number());
        }
    }

    /** The sum of the finite rewards so far; asked while an event is made. */
    double cumulativeReward() {
        return totals.total();
    }

    @Override
    public void reward(String source, double value, List<RewardComponent> components) {
        reward(null, Reward.of(source, value, components));
    }

    @Override
    public void rewardAbsent(String source, String reason) {
        reward(null, Reward.absent(source, reason));
    }

    void reward(@Nullable LiveStep step, Reward given) {
        EventFactory event = event(step, given, null);
        try (RunLock held = lock.hold()) {
            if (emit(event)) {
                count(step, given);
            }
        }
    }

    /** Gives a reward to the run, also after its end: then it is in no total of the end's. */
    void rewardAtAnyTime(Reward given) {
        EventFactory event = event(null, given, null);
        try (RunLock held = lock.hold()) {
            if (ended && !started) {
                return;
            }
            if (offer(++seq, event) && !ended) {
                count(null, given);
            }
        }
    }

    /** Makes the event of a reward whose computation started then, or took no time. */
    private EventFactory event(@Nullable LiveStep step, Reward given, @Nullable Long start) {
        int number = step == null ? RunEvent.NO_STEP : step.number();
        String source = redact(given.source());
        String absence = redactOptional(given.absence());
        return (seq, nanos) -> new RewardGiven(
                info,
                seq,
                nanos,
                number,
                source,
                given.value(),
                absence,
                doors().clean(given.components()),
                start == null ? nanos : start);
    }

    private void count(@Nullable LiveStep step, Reward given) {
        totals.reward(given.value());
        if (step != null) {
            step.rewarded(given.value());
        }
    }

    @Override
    public boolean isRecording() {
        return true;
    }

    @Override
    public ToolCall startToolCall(String tool) {
        return startCall(new LiveToolCall(this, place, RunEvent.NO_STEP, 0, tool));
    }

    @Override
    public ModelCall startModelCall(String provider, String model) {
        return startCall(new LiveModelCall(this, RunEvent.NO_STEP, 0, provider, model));
    }

    @Override
    public Evaluation startEvaluation(String source) {
        return LiveEvaluation.start(this, null, place, source);
    }

    @Override
    public Span span(String name) {
        return LiveSpan.start(this, place, name);
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
    void endEvaluation(LiveEvaluation evaluation, @Nullable LiveStep step, Reward given) {
        EventFactory event = event(step, given, evaluation.work.startNanos());
        try (RunLock held = lock.hold()) {
            if (endWork(evaluation, event)) {
                count(step, given);
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

    /** A place in this run. */
    LivePlace place(Place at) {
        return new LivePlace(sinks, lanes, at);
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
        String runPath = recordPath();
        try (RunLock held = lock.hold()) {
            if (ended) {
                lanes.refuse(AFTER_END);
                return;
            }
            end(ending, runPath);
        }
        afterEnd();
    }

    private @Nullable String recordPath() {
        return redactOptional(lanes.recordPath(info.runId()));
    }

    /** Under the lock; so all that it is given is redacted. */
    private void end(Ending ending, @Nullable String runPath) {
        endCalls();
        List.copyOf(openWork).forEach(LiveWork::endWithRun);
        List.copyOf(openSteps.descendingMap().values()).forEach(step -> step.abort("the run ended before the step"));
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
        String runPath = recordPath();
        if (!lock.tryHold(patienceNanos)) {
            return false;
        }
        try (lock) {
            if (ended) {
                return true;
            }
            end(ending, runPath);
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
            for (LiveStep step : List.copyOf(openSteps.values())) {
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
