package dev.rlm.runner.episode;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.Turn;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * One run to be done.
 *
 * @param spec what is said of it; its step limit holds
 * @param toolbox what the agent may call besides acting on its environment
 */
public record Episode(RunSpec spec, Callable<Environment> environment, Actor actor, Toolbox toolbox) {
    /** An episode of a policy that needs to know nothing of its environment. */
    public Episode(RunSpec spec, Callable<Environment> environment, Callable<Policy> policy) {
        this(spec, environment, briefing -> policy.call(), Toolbox.EMPTY);
    }

    /** Makes the policy of a run. */
    @FunctionalInterface
    public interface Actor {
        Policy create(Briefing briefing) throws Exception;
    }

    /**
     * Runs it on this thread and records it. Whatever happens in it, it comes to an end and throws nothing.
     *
     * @param started is given the attempt when it starts
     */
    Attempt run(Sinks sinks, TimeLimit limit, Consumer<Attempt> started) {
        Tally tally = new Tally(spec);
        try (Run run = sinks.startRun(spec);
                Attempt attempt = new Attempt(run, tally);
                TimeLimit.Watch watch = limit.watch(attempt);
                Scope ignored = run.makeCurrent()) {
            started.accept(attempt);
            run(attempt, watch);
            return attempt;
        }
    }

    @SuppressWarnings("CatchThrowable") // what an environment throws ends its run and not the job
    private void run(Attempt attempt, TimeLimit.Watch watch) {
        try (Environment live = environment.call()) {
            turns(attempt, watch, live);
        } catch (InterruptedException e) {
            attempt.end(Outcome.ABORTED, run -> run.abort(Job.STOPPED));
        } catch (Throwable e) {
            attempt.end(Outcome.FAILED, run -> {
                attempt.because(e);
                run.fail(e);
            });
        }
    }

    private void turns(Attempt attempt, TimeLimit.Watch watch, Environment live) throws Exception {
        Policy acting = actor.create(toolbox.briefing(live));
        Observation seen = Observation.first(live.start());
        for (int turn = 0; turn < spec.maxSteps(); turn++) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            try (Step step = attempt.startStep(turn == 0 ? seen.text() : null)) {
                watch.start(step, turn + 1);
                seen = turn(attempt, step, acting, live, seen);
            } finally {
                watch.endStep();
            }
            for (Observation.Done done : seen.done()) {
                if (done.answer().done()) {
                    attempt.end(
                            Outcome.COMPLETED, run -> run.complete(done.action().code(), "stop"));
                    return;
                }
            }
        }
        attempt.end(Outcome.COMPLETED, run -> run.truncate("max_steps", null));
    }

    private Observation turn(Attempt attempt, Step step, Policy acting, Environment live, Observation seen)
            throws Exception {
        try (Scope ignored = step.makeCurrent()) {
            Turn turn = acting.act(seen, step);
            attempt.acts(step, turn);
            List<Observation.Done> done = new ArrayList<>();
            for (Action action : turn.actions()) {
                Answer answer = toolbox.answers(action) ? toolbox.call(action, step) : live.step(action, step);
                done.add(new Observation.Done(action, answer));
                if (answer.done()) {
                    break; // what it asked for beyond that is not done any more
                }
            }
            Observation after = Observation.after(done);
            attempt.answered(step, after);
            return after;
        } catch (InterruptedException e) {
            attempt.left(step, left -> left.abort("interrupted"));
            throw e;
        } catch (Exception e) {
            attempt.left(step, left -> left.fail(e.toString()));
            throw e;
        }
    }
}
