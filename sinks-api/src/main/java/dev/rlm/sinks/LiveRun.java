package dev.rlm.sinks;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A run that sinks hear of: numbers and stamps its events, keeps its totals, and closes what was left open.
 *
 * <p>To number an event and to offer it is one act under the run's lock. So its events reach the lanes in the order of
 * their numbers, no step starts while the run ends, and nothing follows the end but a late reward. The computation of a
 * reward has its number from its start, since what it calls refers to it, and is offered at its end.
 */
final class LiveRun implements Run {
    private static final String AFTER_END = "after_end";

    private final Sinks sinks;
    private final RunInfo info;
    private final RunLanes lanes;
    private final long origin;
    private final double passReward;
    private final RunSpec.PassOn passOn;

    private final Object lock = new Object(); // of all that follows
    private final NavigableMap<Integer, LiveStep> openSteps = new TreeMap<>();
    private final Set<LiveEvaluation> openEvaluations = new LinkedHashSet<>();
    private final RunTotals totals = new RunTotals();
    private long seq;
    private int stepNumbers;
    private boolean started;
    private volatile boolean ended; // read without the lock as a hint

    LiveRun(Sinks sinks, RunInfo info, RunLanes lanes, long origin, RunSpec spec) {
        this.sinks = sinks;
        this.info = info;
        this.lanes = lanes;
        this.origin = origin;
        this.passReward = spec.passReward();
        this.passOn = spec.passOn();
    }

    /** Offers the run's start, unless the hub was closed before. */
    void start() {
        synchronized (lock) {
            if (ended) {
                lanes.refuseClosed();
            } else {
                started = true;
                lanes.start(new RunStarted(info, ++seq));
            }
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
        return text == null ? "" : sinks.redaction().name(text);
    }

    /** Makes an event with the next number and this moment, and offers it; whether it could be made. */
    boolean emit(EventFactory factory) {
        synchronized (lock) {
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
        synchronized (lock) {
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

    /** Emits a step's end, once. */
    void endStep(LiveStep step, EventFactory end) {
        synchronized (lock) {
            if (openSteps.remove(step.number()) == null) {
                lanes.refuse(AFTER_END);
            } else {
                totals.step();
                emit(end);
            }
        }
    }

    boolean isOpen(LiveStep step) {
        synchronized (lock) {
            return openSteps.containsKey(step.number());
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
        reward(null, source, Double.NaN, reason, List.of());
    }

    void reward(
            @Nullable LiveStep step,
            String source,
            double value,
            @Nullable String absence,
            List<RewardComponent> components) {
        int number = step == null ? RunEvent.NO_STEP : step.number();
        String why = absence == null ? null : redact(absence);
        synchronized (lock) {
            if (emit(
                    (seq, nanos) -> new RewardGiven(info, seq, nanos, number, source, value, why, components, nanos))) {
                count(step, value);
            }
        }
    }

    private void count(@Nullable LiveStep step, double value) {
        totals.reward(value);
        if (step != null) {
            step.rewarded(value);
        }
    }

    /** Gives a reward to the run, also after its end: then it is in no total of the end's. */
    void rewardAtAnyTime(String source, double value, @Nullable String absence, List<RewardComponent> components) {
        synchronized (lock) {
            if (!ended) {
                reward(null, source, value, absence, components);
            } else if (started) {
                String why = absence == null ? null : redact(absence);
                offer(
                        ++seq,
                        (seq, nanos) -> new RewardGiven(
                                info, seq, nanos, RunEvent.NO_STEP, source, value, why, components, nanos));
            }
        }
    }

    @Override
    public Evaluation startEvaluation(String source) {
        return startEvaluation(null, source);
    }

    Evaluation startEvaluation(@Nullable LiveStep step, String source) {
        synchronized (lock) {
            if (ended) {
                lanes.refuse(AFTER_END);
                return NoEvaluation.INSTANCE;
            }
            LiveEvaluation evaluation = new LiveEvaluation(this, step, source, ++seq, nanos());
            openEvaluations.add(evaluation);
            return evaluation;
        }
    }

    /** Emits the reward that a computation came to, once. */
    void endEvaluation(
            LiveEvaluation evaluation, double value, @Nullable String absence, List<RewardComponent> components) {
        LiveStep step = evaluation.step();
        int number = step == null ? RunEvent.NO_STEP : step.number();
        long start = evaluation.startNanos();
        String why = absence == null ? null : redact(absence);
        synchronized (lock) {
            if (!openEvaluations.remove(evaluation)) {
                lanes.refuse(AFTER_END);
            } else if (offer(
                    evaluation.seq(),
                    (seq, nanos) -> new RewardGiven(
                            info, seq, nanos, number, evaluation.source(), value, why, components, start))) {
                count(step, value);
            }
        }
    }

    boolean isOpen(LiveEvaluation evaluation) {
        synchronized (lock) {
            return openEvaluations.contains(evaluation);
        }
    }

    @Override
    public void metric(String name, double value) {
        synchronized (lock) {
            totals.metric(name, value);
        }
    }

    @Override
    public Optional<TraceContext> traceContext() {
        return Optional.of(lanes.traceContext(info, null));
    }

    Optional<TraceContext> traceContext(StepStarted step) {
        return Optional.of(lanes.traceContext(info, step));
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
        end(Outcome.COMPLETED, this::completion, terminationReason, false, finalAnswer, null);
    }

    @Override
    public void truncate(String terminationReason, @Nullable String finalAnswer) {
        end(Outcome.COMPLETED, this::completion, terminationReason, true, finalAnswer, null);
    }

    private RunStatus completion() {
        return totals.absent() == 0
                ? RunStatus.of(RunStatus.FINISHED, "")
                : RunStatus.of(RunStatus.SCORE_INVALID, "a reward could not be computed");
    }

    @Override
    public void fail(int code, Throwable error) {
        Throwable known =
                Objects.requireNonNullElseGet(error, () -> new IllegalArgumentException("no error was given"));
        RunStatus status = RunStatus.of(code, redact(ErrorText.message(known)));
        end(Outcome.FAILED, () -> status, "non_skippable_error", false, null, known);
    }

    @Override
    public void abort(String reason) {
        RunStatus status = RunStatus.of(RunStatus.CANCELLED, redact(reason));
        end(Outcome.ABORTED, () -> status, "user_stop", false, null, null);
    }

    @Override
    public void close() {
        if (!ended) {
            RunStatus status = RunStatus.of(RunStatus.CANCELLED, "the run was left before its end");
            end(Outcome.ABORTED, () -> status, null, false, null, null);
        }
    }

    private void end(
            Outcome outcome,
            Supplier<RunStatus> status,
            @Nullable String terminationReason,
            boolean truncated,
            @Nullable String finalAnswer,
            @Nullable Throwable error) {
        String runPath = lanes.recordPath(info.runId());
        Content trace = error == null ? null : content(ErrorText.stackTrace(error));
        synchronized (lock) {
            if (ended) {
                lanes.refuse(AFTER_END);
                return;
            }
            List.copyOf(openEvaluations)
                    .forEach(evaluation -> evaluation.absent("the run ended before it was computed"));
            List.copyOf(openSteps.descendingMap().values())
                    .forEach(step -> step.abort("the run ended before the step"));
            ended = true;
            if (started) {
                lanes.end(new RunEnded(
                        info,
                        ++seq,
                        nanos(),
                        outcome,
                        status.get(),
                        totals.solved(passOn, passReward),
                        runPath,
                        terminationReason,
                        truncated,
                        totals.steps(),
                        totals.total(),
                        totals.absent(),
                        finalAnswer == null ? null : content(finalAnswer),
                        totals.metrics(),
                        error == null ? null : error.getClass().getName(),
                        trace));
            }
        }
        sinks.ended(this);
    }

    /** Makes an event once its number and time are known. */
    @FunctionalInterface
    interface EventFactory {
        RunEvent create(long seq, long nanos);
    }
}
