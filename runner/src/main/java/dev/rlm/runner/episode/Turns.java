package dev.rlm.runner.episode;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.Turn;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The turns of one run, between its policy and its environment, and what they earn. Used by the run's thread. */
final class Turns {
    private final Toolbox toolbox;
    private final int maxSteps;
    private final Attempt attempt;
    private final TimeLimit.Watch watch;
    private final Policy policy;
    private final Environment environment;
    private final Judging judging;
    private boolean tellsState;
    private @Nullable String state; // the environment's, as it told last

    Turns(Episode episode, Attempt attempt, TimeLimit.Watch watch, Policy policy, Environment environment) {
        this.toolbox = episode.toolbox();
        this.maxSteps = episode.spec().maxSteps();
        this.attempt = attempt;
        this.watch = watch;
        this.policy = policy;
        this.environment = environment;
        this.judging = new Judging(episode, attempt);
        this.tellsState = attempt.isRecording();
    }

    /** Has them follow each other to the run's end. */
    void run() throws Exception {
        try {
            turns();
        } catch (Exception e) {
            tellMetrics(); // what a failed run has counted is worth knowing too
            throw e;
        }
    }

    private void turns() throws Exception {
        Observation seen = Observation.first(environment.start());
        state = state();
        attempt.startsIn(state);
        for (int number = 1; number <= maxSteps; number++) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            seen = step(number, seen);
            String answer = finalAnswer(seen);
            if (answer != null) {
                judging.ofRun(answer);
                tellMetrics();
                attempt.end(Outcome.COMPLETED, null, run -> run.complete(answer, "stop"));
                return;
            }
        }
        judging.ofRun(null);
        tellMetrics();
        attempt.end(Outcome.COMPLETED, null, run -> run.truncate("max_steps", null));
    }

    private void tellMetrics() {
        tellMetrics("policy", policy::metrics);
        tellMetrics("environment", environment::metrics);
    }

    @SuppressWarnings("CatchThrowable") // a plug-in may throw anything
    private void tellMetrics(String whose, Supplier<Map<String, Double>> metrics) {
        try {
            attempt.metrics(metrics.get());
        } catch (Throwable e) {
            LoggerFactory.getLogger(Turns.class).warn("the metrics of the {} are missing", whose, e);
        }
    }

    @SuppressWarnings("CatchThrowable") // a plug-in may throw anything
    private @Nullable String state() {
        try {
            return tellsState ? environment.state() : null;
        } catch (Throwable e) {
            tellsState = false;
            LoggerFactory.getLogger(Turns.class).warn("the states of the environment are missing from here on", e);
            return null;
        }
    }

    private static @Nullable String finalAnswer(Observation seen) {
        return seen.done().stream()
                .filter(done -> done.answer().done())
                .findFirst()
                .map(done -> done.action().code())
                .orElse(null);
    }

    private Observation step(int number, Observation seen) throws Exception {
        try (Step step = attempt.startStep(number == 1 ? seen.text() : null)) {
            watch.start(step, number);
            return turn(step, seen);
        } finally {
            watch.endStep();
        }
    }

    private Observation turn(Step step, Observation seen) throws Exception {
        try (Scope ignored = step.makeCurrent()) {
            Observation after = act(step, seen);
            String before = state;
            state = state();
            attempt.changed(step, before, state);
            attempt.answered(step, after, !judging.replacesFinal());
            watch.endStep(); // what a reward takes is none of the step's time
            judging.ofStep(step, after, finalAnswer(after));
            attempt.endStep(step, after);
            return after;
        } catch (InterruptedException e) {
            attempt.left(step, left -> left.abort("interrupted"));
            throw e;
        } catch (Exception e) {
            attempt.left(step, left -> left.fail(e.toString()));
            throw e;
        }
    }

    private Observation act(Step step, Observation seen) throws Exception {
        Turn turn = policy.act(seen, step);
        attempt.acts(step, turn);
        List<Observation.Done> done = new ArrayList<>();
        for (Action action : turn.actions()) {
            Answer answer = toolbox.answers(action) ? toolbox.call(action, step) : environment.step(action, step);
            done.add(new Observation.Done(action, answer));
            if (answer.done()) {
                break; // what it asked for beyond that is not done any more
            }
        }
        return Observation.after(done);
    }
}
