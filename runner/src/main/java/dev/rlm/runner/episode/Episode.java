package dev.rlm.runner.episode;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunStatus;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * One run to be done.
 *
 * @param spec what is said of it; its step limit holds
 */
public record Episode(RunSpec spec, Supplier<Environment> environment, Supplier<Policy> policy) {
    /** Runs it on this thread and records it. Whatever happens in it, it comes to an end and throws nothing. */
    EpisodeResult run(Sinks sinks, TimeLimit limit) {
        Tally tally = new Tally(spec);
        try (TimeLimit.Watch watch = limit.watch();
                Run run = sinks.startRun(spec);
                Scope ignored = run.makeCurrent()) {
            return tally.result(end(run, watch, tally));
        }
    }

    @SuppressWarnings("CatchThrowable") // what an environment throws ends its run and not the job
    private Outcome end(Run run, TimeLimit.Watch watch, Tally tally) {
        try (Environment live = environment.get()) {
            turns(run, live, tally);
            return Outcome.COMPLETED;
        } catch (InterruptedException e) {
            if (watch.expired()) {
                run.fail(
                        RunStatus.DEADLINE_EXCEEDED, new TimeoutException("the run took longer than " + watch.limit()));
                return Outcome.FAILED;
            }
            run.abort("the job was stopped");
            return Outcome.ABORTED;
        } catch (Throwable e) {
            run.fail(e);
            return Outcome.FAILED;
        }
    }

    private void turns(Run run, Environment live, Tally tally) throws Exception {
        Policy acting = policy.get();
        String observation = live.start();
        for (int turn = 0; turn < spec.maxSteps(); turn++) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            try (Step step = turn == 0 ? run.startStep(observation) : run.startStep()) {
                tally.step();
                Turn taken = turn(step, acting, live, observation, tally);
                observation = taken.answer().observation();
                if (taken.answer().done()) {
                    run.complete(taken.action().code(), "stop");
                    return;
                }
            }
        }
        run.truncate("max_steps", null);
    }

    private static Turn turn(Step step, Policy acting, Environment live, String observation, Tally tally)
            throws Exception {
        try (Scope ignored = step.makeCurrent()) {
            Action action = acting.act(observation, step);
            step.action(action.type(), action.code());
            Answer answer = live.step(action, step);
            record(step, answer);
            tally.answer(answer);
            return new Turn(action, answer);
        } catch (InterruptedException e) {
            step.abort("interrupted");
            throw e;
        } catch (Exception e) {
            step.fail(e.toString());
            throw e;
        }
    }

    private static void record(Step step, Answer answer) {
        Double reward = answer.reward();
        if (reward != null) {
            step.reward(reward);
        }
        String error = answer.error();
        if (error == null) {
            step.complete(answer.output());
        } else {
            step.fail(answer.output(), error);
        }
    }

    private record Turn(Action action, Answer answer) {}
}
