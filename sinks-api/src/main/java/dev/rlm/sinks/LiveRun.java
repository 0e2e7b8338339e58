package dev.rlm.sinks;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepStarted;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A run that sinks hear of: numbers and stamps its events, keeps its totals, and closes what was left open. */
final class LiveRun implements Run {
    private final Sinks sinks;
    private final RunInfo info;
    private final RunLanes lanes;
    private final long origin;
    private final double passReward;
    private final RunSpec.PassOn passOn;
    private final AtomicLong seq = new AtomicLong(1); // the start's own
    private final AtomicInteger stepNumbers = new AtomicInteger();
    private final Set<LiveStep> openSteps = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Totals totals = new Totals();

    LiveRun(Sinks sinks, RunInfo info, RunLanes lanes, long origin, RunSpec spec) {
        this.sinks = sinks;
        this.info = info;
        this.lanes = lanes;
        this.origin = origin;
        this.passReward = spec.passReward();
        this.passOn = spec.passOn();
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

    Object redact(Object value) {
        return sinks.redaction().value(value);
    }

    /** Makes an event with the next number and this moment, and offers it. */
    void emit(EventFactory factory) {
        if (ended.get()) {
            lanes.refuse("after_end");
        } else {
            emitAlways(factory);
        }
    }

    private void emitAlways(EventFactory factory) {
        RunEvent event;
        try {
            event = factory.create(seq.incrementAndGet(), nanos());
        } catch (RuntimeException e) {
            lanes.refuse("invalid");
            return;
        }
        lanes.offer(event);
    }

    @Override
    public Step startStep(String observation) {
        return startStep(RunEvent.NO_STEP, observation);
    }

    Step startStep(int parent, String observation) {
        if (ended.get()) {
            lanes.refuse("after_end");
            return NoStep.INSTANCE;
        }
        StepStarted started = new StepStarted(
                info, seq.incrementAndGet(), nanos(), stepNumbers.incrementAndGet(), parent, content(observation));
        lanes.offer(started);
        LiveStep step = new LiveStep(this, started);
        openSteps.add(step);
        return step;
    }

    /** A step emits its end, once; also while the run itself ends. */
    void stepEnded(LiveStep step, EventFactory end) {
        openSteps.remove(step);
        totals.stepEnded();
        emitAlways(end);
    }

    double cumulativeReward() {
        return totals.total();
    }

    void refuseLate() {
        lanes.refuse("after_end");
    }

    boolean hasEnded() {
        return ended.get();
    }

    @Override
    public void reward(String source, double value, List<RewardComponent> components) {
        reward(RunEvent.NO_STEP, source, value, null, components);
    }

    @Override
    public void rewardAbsent(String source, String reason) {
        reward(RunEvent.NO_STEP, source, Double.NaN, reason, List.of());
    }

    void reward(int step, String source, double value, @Nullable String absence, List<RewardComponent> components) {
        if (!ended.get()) {
            totals.reward(value);
        }
        String redacted = absence == null ? null : sinks.redaction().text(absence);
        emit((number, nanos) -> new RewardGiven(info, number, nanos, step, source, value, redacted, components, nanos));
    }

    @Override
    public void metric(String name, double value) {
        totals.metric(name, value);
    }

    @Override
    public Scope makeCurrent() {
        return lanes.openScope(info, null);
    }

    Scope makeCurrent(StepStarted step) {
        return lanes.openScope(info, step);
    }

    @Override
    public void complete(@Nullable String finalAnswer, @Nullable String terminationReason) {
        end(Outcome.COMPLETED, completion(), terminationReason, false, finalAnswer, null);
    }

    @Override
    public void truncate(String terminationReason, @Nullable String finalAnswer) {
        end(Outcome.COMPLETED, completion(), terminationReason, true, finalAnswer, null);
    }

    private RunStatus completion() {
        return totals.absent() == 0
                ? RunStatus.of(RunStatus.FINISHED, "")
                : RunStatus.of(RunStatus.SCORE_INVALID, "a reward could not be computed");
    }

    @Override
    public void fail(int code, Throwable error) {
        String message = error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
        end(
                Outcome.FAILED,
                RunStatus.of(code, sinks.redaction().text(message)),
                "non_skippable_error",
                false,
                null,
                error);
    }

    @Override
    public void abort(String reason) {
        RunStatus status = RunStatus.of(RunStatus.CANCELLED, sinks.redaction().text(reason));
        end(Outcome.ABORTED, status, "user_stop", false, null, null);
    }

    @Override
    public void close() {
        if (!ended.get()) {
            end(
                    Outcome.ABORTED,
                    RunStatus.of(RunStatus.CANCELLED, "the run was left before its end"),
                    null,
                    false,
                    null,
                    null);
        }
    }

    private void end(
            Outcome outcome,
            RunStatus status,
            @Nullable String terminationReason,
            boolean truncated,
            @Nullable String finalAnswer,
            @Nullable Throwable error) {
        if (!ended.compareAndSet(false, true)) {
            lanes.refuse("after_end");
            return;
        }
        openSteps.stream()
                .sorted(Comparator.comparingInt(LiveStep::number).reversed())
                .forEach(step -> step.fail("the run ended before the step"));
        lanes.end(new RunEnded(
                info,
                seq.incrementAndGet(),
                nanos(),
                outcome,
                status,
                totals.solved(passOn, passReward),
                lanes.recordPath(info.runId()),
                terminationReason,
                truncated,
                totals.steps(),
                totals.total(),
                totals.absent(),
                finalAnswer == null ? null : content(finalAnswer),
                totals.metrics(),
                error == null ? null : error.getClass().getName(),
                error == null ? null : content(stackTrace(error))));
        sinks.ended(this);
    }

    private static String stackTrace(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    /** Makes an event once its number and time are known. */
    @FunctionalInterface
    interface EventFactory {
        RunEvent create(long seq, long nanos);
    }

    /** What the run's end tells in numbers. */
    private static final class Totals {
        private final Map<String, Double> metrics = new LinkedHashMap<>();
        private double total;
        private double last = Double.NaN;
        private int absent;
        private int steps;

        synchronized void reward(double value) {
            last = value;
            if (Double.isNaN(value)) {
                absent++;
            } else if (Double.isFinite(value)) {
                total += value;
            }
        }

        synchronized void stepEnded() {
            steps++;
        }

        synchronized void metric(String name, double value) {
            metrics.put(name, value);
        }

        synchronized boolean solved(RunSpec.PassOn passOn, double passReward) {
            return switch (passOn) {
                case LAST -> last >= passReward;
                case TOTAL -> absent == 0 && total >= passReward;
            };
        }

        synchronized double total() {
            return total;
        }

        synchronized int absent() {
            return absent;
        }

        synchronized int steps() {
            return steps;
        }

        synchronized Map<String, Double> metrics() {
            return new LinkedHashMap<>(metrics);
        }
    }
}
