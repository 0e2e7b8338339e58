package dev.rlm.runner.episode;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Outcome;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One run to be done.
 *
 * @param spec what is said of it; its step limit holds
 */
public record Episode(RunSpec spec, Supplier<Environment> environment, Supplier<Policy> policy) {
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
        try (Environment live = environment.get()) {
            turns(attempt, watch, live);
        } catch (InterruptedException e) {
            attempt.end(Outcome.ABORTED, run -> run.abort(Job.STOPPED));
        } catch (Throwable e) {
            attempt.end(Outcome.FAILED, run -> run.fail(e));
        }
    }

    private void turns(Attempt attempt, TimeLimit.Watch watch, Environment live) throws Exception {
        Policy acting = policy.get();
        String first = live.start();
        String observation = first;
        for (int turn = 0; turn < spec.maxSteps(); turn++) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            try (Step step = attempt.startStep(turn == 0 ? first : null)) {
                watch.start(step, turn + 1);
                Turn taken = turn(attempt, step, acting, live, observation);
                observation = taken.answer().observation();
                if (taken.answer().done()) {
                    String answer = taken.action().code();
                    attempt.end(Outcome.COMPLETED, run -> run.complete(answer, "stop"));
                    return;
                }
            } finally {
                watch.endStep();
            }
        }
        attempt.end(Outcome.COMPLETED, run -> run.truncate("max_steps", null));
    }

    private static Turn turn(Attempt attempt, Step step, Policy acting, Environment live, String observation)
            throws Exception {
        try (Scope ignored = step.makeCurrent()) {
            Action action = acting.act(observation, step);
            attempt.acts(step, action);
            Answer answer = live.step(action, step);
            attempt.answered(step, answer);
            return new Turn(action, answer);
        } catch (InterruptedException e) {
            attempt.left(step, left -> left.abort("interrupted"));
            throw e;
        } catch (Exception e) {
            attempt.left(step, left -> left.fail(e.toString()));
            throw e;
        }
    }

    private record Turn(Action action, Answer answer) {}
}
