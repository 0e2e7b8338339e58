package dev.rlm.runner.episode;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.Trajectory;
import dev.rlm.episodes.Turn;
import dev.rlm.runner.reward.Judgement;
import dev.rlm.runner.reward.RewardSum;
import dev.rlm.runner.reward.Rewards;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
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
    private final Rewards rewards;
    private final @Nullable Sample sample;
    private final EpisodeListener listener;
    private final List<List<Observation.Done>> steps = new ArrayList<>(); // for rewards
    private boolean cutOff; // by the limit of steps
    private boolean tellsState;
    private @Nullable String state; // the environment's, as it told last

    Turns(Episode episode, Attempt attempt, TimeLimit.Watch watch, Policy policy, Environment environment) {
        this.toolbox = episode.toolbox();
        this.maxSteps = episode.spec().maxSteps();
        this.attempt = attempt;
        this.watch = watch;
        this.policy = policy;
        this.environment = environment;
        this.rewards = episode.rewards();
        this.sample = episode.sample();
        this.listener = episode.listener();
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
        Observation seen = Observation.first(attempt.starting(environment::start));
        listener.starts(seen.text());
        state = state();
        attempt.startsIn(state);
        for (int number = 1; number <= maxSteps; number++) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            seen = step(number, seen);
            Action last = finalAction(seen);
            if (last != null) {
                rewardRun(last.code());
                tellMetrics();
                String reason = last.callId() == null ? "stop" : "tool_calls";
                attempt.end(Outcome.COMPLETED, null, run -> run.complete(last.code(), reason));
                return;
            }
        }
        rewardRun(null);
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

    private @Nullable Action finalAction(Observation seen) {
        return cutOff
                ? null
                : seen.done().stream()
                        .filter(done -> done.answer().done())
                        .findFirst()
                        .map(Observation.Done::action)
                        .orElse(null);
    }

    private @Nullable String finalAnswer(Observation seen) {
        Action last = finalAction(seen);
        return last == null ? null : last.code();
    }

    private Observation step(int number, Observation seen) throws Exception {
        try (Step step = attempt.startStep(number == 1 ? seen.text() : null)) {
            watch.start(step, number);
            return turn(step, seen, number == maxSteps);
        } finally {
            watch.endStep();
        }
    }

    private Observation turn(Step step, Observation seen, boolean isLast) throws Exception {
        try (Scope ignored = step.makeCurrent()) {
            Observation after = act(step, seen, isLast);
            String before = state;
            String now = state();
            if (before != null || now != null) {
                attempt.record(() -> step.state(before, now));
            }
            state = now;
            attempt.answered(step, after, rewards.ofRuns().isEmpty());
            watch.endStep(); // what a reward takes is none of the step's time
            rewardStep(step, after);
            listener.stepped(after, attempt.stepReward());
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

    private Observation act(Step step, Observation seen, boolean isLast) throws Exception {
        Turn turn = policy.act(seen, step);
        attempt.record(() -> step.action(joined(turn, Action::type, "+"), joined(turn, Action::code, "\n")));
        List<Observation.Done> done = new ArrayList<>();
        for (Action action : turn.actions()) {
            Answer answer = toolbox.answers(action) ? toolbox.call(action, step) : environment.step(action, step);
            done.add(new Observation.Done(action, answer));
            if (answer.done()) {
                break; // what it asked for beyond that is not done any more
            }
        }
        if (isLast && done.stream().noneMatch(one -> one.answer().done())) {
            Observation.Done last = done.remove(done.size() - 1);
            done.add(new Observation.Done(last.action(), environment.cutOff(last.answer(), step)));
            cutOff = true;
        }
        return Observation.after(done);
    }

    private static String joined(Turn turn, Function<Action, String> part, String separator) {
        return turn.actions().stream().map(part).collect(Collectors.joining(separator));
    }

    /** Rewards a step that is about to end. */
    private void rewardStep(Step step, Observation after) throws InterruptedException {
        RewardSum reward = rewards.ofSteps();
        if (!reward.isEmpty() || !rewards.ofRuns().isEmpty()) {
            steps.add(after.done());
        }
        if (!reward.isEmpty() && reward.isInstant()) { // no span: it takes microseconds, and there are as many as steps
            attempt.rewarded(step, "step_reward", reward.judge(trajectory(finalAnswer(after))));
        } else if (!reward.isEmpty()) {
            evaluate(step, "step_reward", reward, finalAnswer(after));
        }
    }

    /** Rewards the run, which is about to end. */
    private void rewardRun(@Nullable String finalAnswer) throws InterruptedException {
        if (!rewards.ofRuns().isEmpty()) {
            evaluate(null, "reward", rewards.ofRuns(), finalAnswer);
        }
    }

    /** Holds no lock while the reward is computed: so the run may be ended from outside meanwhile. */
    private void evaluate(@Nullable Step step, String source, RewardSum reward, @Nullable String finalAnswer)
            throws InterruptedException {
        Evaluation evaluation = attempt.startEvaluation(step, source);
        Judgement judgement;
        try (Scope ignored = evaluation.makeCurrent()) {
            judgement = reward.judge(trajectory(finalAnswer));
        }
        attempt.evaluated(evaluation, judgement);
    }

    private Trajectory trajectory(@Nullable String finalAnswer) {
        return new Trajectory(Objects.requireNonNull(sample), steps, maxSteps, finalAnswer);
    }
}
