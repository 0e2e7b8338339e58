package dev.rlm.runner.episode;

import dev.rlm.engine.EpisodeResult;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Observation;
import dev.rlm.runner.reward.Judgement;
import dev.rlm.runner.sandbox.SandboxedPython;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A run that is being done. Its own thread, its time limit and the job's stop may end it: the first of them decides what
 * is recorded. The result says the same, and nothing that comes later is recorded. Safe for use by several threads.
 */
final class Attempt implements AutoCloseable {
    static final String STOPPED = "the job was stopped";

    private final Run run;
    private final EpisodeTotals totals;
    private final Thread worker = Thread.currentThread();
    private @Nullable EpisodeResult result; // guarded by this, as all that follows
    private @Nullable Step current;
    private boolean evaluating;
    private boolean endedFromOutside;
    private boolean givenUp;
    private boolean over;

    /** An attempt by the calling thread. */
    Attempt(Run run, EpisodeTotals totals) {
        this.run = run;
        this.totals = totals;
    }

    /** Returns whether the run is recorded. */
    boolean isRecording() {
        return run.isRecording();
    }

    /** Does what makes or starts its environment, and records that as a span where it lasts. */
    <T> T starting(Callable<T> work) throws Exception {
        long start = System.nanoTime();
        try {
            T result = work.call();
            started(start, null);
            return result;
        } catch (Exception e) {
            started(start, e);
            throw e;
        }
    }

    private synchronized void started(long start, @Nullable Exception failure) {
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        if (result == null && took.compareTo(JobSpan.LASTING) >= 0) {
            try (Span span = run.span(SandboxedPython.START, took)) {
                if (failure != null) {
                    span.fail(failure);
                }
            }
        }
    }

    /** Records the environment's state before the first step, unless the run has ended. */
    synchronized void startsIn(@Nullable String state) {
        if (result == null && state != null) {
            run.initialState(state);
        }
    }

    /** Starts the next step. */
    synchronized Step startStep(@Nullable String observation) throws InterruptedException {
        checkOpen();
        totals.step();
        Step step = observation == null ? run.startStep() : run.startStep(observation);
        current = step;
        return step;
    }

    /** Records something, unless the run has ended: then its thread is not to go on. */
    synchronized void record(Runnable recording) throws InterruptedException {
        checkOpen();
        recording.run();
    }

    /**
     * Records what was answered, in the step's own handle and in the totals.
     *
     * @param finalCounts whether what the environment gives for the final answer does
     */
    synchronized void answered(Step step, Observation after, boolean finalCounts) throws InterruptedException {
        checkOpen();
        for (Observation.Done done : after.done()) {
            Answer answer = done.answer();
            totals.toolCalls(answer.toolCalls());
            Double reward = answer.done() && !finalCounts ? null : answer.reward();
            if (reward != null) {
                if (Double.isNaN(reward) && answer.error() != null) {
                    step.rewardAbsent("environment", answer.error());
                } else {
                    step.reward(reward);
                }
                totals.reward(reward);
            }
        }
    }

    /** Starts the computation of a reward of that step; {@code null} for the run's. To be ended with {@link #evaluated}. */
    synchronized Evaluation startEvaluation(@Nullable Step step, String source) throws InterruptedException {
        checkOpen();
        evaluating = true;
        return step == null ? run.startEvaluation(source) : step.startEvaluation(source);
    }

    /** Records what the computation came to. */
    synchronized void evaluated(Evaluation evaluation, Judgement judgement) throws InterruptedException {
        checkOpen();
        evaluating = false;
        if (judgement.absence() == null) {
            evaluation.reward(judgement.reward());
        } else {
            evaluation.absent(judgement.absence());
        }
        totals.reward(judgement.value());
    }

    /** Records a reward of that step whose computation took no time. */
    synchronized void rewarded(Step step, String source, Judgement judgement) throws InterruptedException {
        checkOpen();
        if (judgement.absence() == null) {
            step.reward(source, judgement.reward());
        } else {
            step.rewardAbsent(source, judgement.absence());
        }
        totals.reward(judgement.value());
    }

    /** Returns the sum of the current step's finite rewards; NaN where it got none but others. */
    synchronized double stepReward() {
        return totals.stepReward();
    }

    /** Ends a step that came to an answer. */
    synchronized void endStep(Step step, Observation after) throws InterruptedException {
        checkOpen();
        List<Answer> answers =
                after.done().stream().map(Observation.Done::answer).toList();
        String output = answers.stream().map(Answer::output).collect(Collectors.joining("\n"));
        List<String> errors =
                answers.stream().map(Answer::error).filter(Objects::nonNull).toList();
        if (errors.isEmpty()) {
            step.complete(output);
        } else {
            step.fail(output, String.join("\n", errors));
        }
        current = null;
    }

    /** Ends a step that came to no answer, unless the run has ended and the step with it. */
    synchronized void left(Step step, Consumer<Step> end) {
        if (result == null) {
            end.accept(step);
            current = null;
        }
    }

    private void checkOpen() throws InterruptedException {
        if (result != null) {
            throw new InterruptedException("the run has been ended");
        }
    }

    /** Records numbers of the run, unless it has ended. */
    synchronized void metrics(Map<String, Double> metrics) {
        if (result == null) {
            metrics.forEach(run::metric);
        }
    }

    /**
     * Ends the run by its own thread, unless it has been ended from outside.
     *
     * @param why it fails; {@code null} where it does not
     */
    synchronized void end(Outcome outcome, @Nullable Throwable why, Consumer<Run> end) {
        if (result == null) {
            if (evaluating) {
                totals.reward(Double.NaN); // a run that ends makes absent what is not computed yet
            }
            EpisodeResult ended =
                    totals.result(outcome, why); // first: what it takes to end the run is not in its record either
            end.accept(run);
            result = ended;
        }
    }

    /** Ends the run from outside and interrupts its thread, unless it has ended; whether it has ended in this way. */
    synchronized boolean endFromOutside(Outcome outcome, @Nullable Throwable why, Consumer<Run> end) {
        if (result != null || over) {
            return false;
        }
        end(outcome, why, end);
        endedFromOutside = true;
        worker.interrupt();
        return true;
    }

    /** The same while that step is the one that runs, and not after it. */
    synchronized boolean endFromOutside(Step during, Outcome outcome, Throwable why, Consumer<Run> end) {
        return current == during && endFromOutside(outcome, why, end);
    }

    /** Returns the stack of its thread, which shows where a run hangs. */
    StackTraceElement[] whereabouts() {
        return worker.getStackTrace();
    }

    /** Stops waiting for its thread; returns false if that has come back. */
    synchronized boolean giveUp() {
        givenUp = !over;
        return givenUp;
    }

    /** Returns whether it was given up: then another thread does what its thread was to do next. */
    synchronized boolean wasGivenUp() {
        return givenUp;
    }

    /** Returns whether its thread has not come back from it. */
    synchronized boolean isGoingOn() {
        return !over;
    }

    /** Returns the result; before the end, the one that it would have if it were aborted now. */
    synchronized EpisodeResult result() {
        return result == null ? totals.result(Outcome.ABORTED, null) : result;
    }

    /** Marks its thread as back, and clears an interrupt that was meant for the run. */
    @Override
    public synchronized void close() {
        over = true;
        if (endedFromOutside) {
            Thread.interrupted();
        }
    }
}
