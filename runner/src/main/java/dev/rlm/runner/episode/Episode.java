package dev.rlm.runner.episode;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.Sample;
import dev.rlm.runner.reward.Rewards;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Outcome;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run to be done.
 *
 * @param spec what is said of it; its step limit holds
 * @param toolbox what the agent may call besides acting on its environment
 * @param rewards what rewards it besides its environment
 * @param sample what it is about; {@code null} where nothing besides its environment asks for that
 * @param listener hears of each attempt
 */
public record Episode(
        RunSpec spec,
        Callable<Environment> environment,
        Actor actor,
        Toolbox toolbox,
        Rewards rewards,
        @Nullable Sample sample,
        EpisodeListener listener) {
    /** An episode that only the sinks hear of. */
    public Episode(
            RunSpec spec,
            Callable<Environment> environment,
            Actor actor,
            Toolbox toolbox,
            Rewards rewards,
            @Nullable Sample sample) {
        this(spec, environment, actor, toolbox, rewards, sample, EpisodeListener.NONE);
    }

    /** An episode of a policy that needs to know nothing of its environment. */
    public Episode(RunSpec spec, Callable<Environment> environment, Callable<Policy> policy) {
        this(spec, environment, briefing -> policy.call(), Toolbox.EMPTY, Rewards.NONE, null);
    }

    /** Returns the same with that error in the place of its environment. */
    Episode failing(Exception error) {
        return new Episode(
                spec,
                () -> {
                    throw error;
                },
                actor,
                toolbox,
                rewards,
                sample,
                listener);
    }

    /** Makes the policy of a run. */
    @FunctionalInterface
    public interface Actor {
        Policy create(Briefing briefing) throws Exception;
    }

    /**
     * Runs it on this thread and records it. Whatever happens in it, it comes to an end and throws nothing.
     *
     * @param timeout how long it may take; {@code null} for as long as any
     * @param started is given the attempt when it starts
     */
    Attempt run(Sinks sinks, TimeLimit limit, @Nullable Duration timeout, Consumer<Attempt> started) {
        EpisodeTotals totals = new EpisodeTotals(spec);
        try (Run run = sinks.startRun(spec);
                Attempt attempt = new Attempt(run, totals);
                TimeLimit.Watch watch = limit.watch(attempt, timeout);
                Scope ignored = run.makeCurrent()) {
            started.accept(attempt);
            run(attempt, watch);
            listener.ended(attempt.result());
            return attempt;
        }
    }

    @SuppressWarnings("CatchThrowable") // what an environment throws ends its run and not the job
    private void run(Attempt attempt, TimeLimit.Watch watch) {
        try (Environment live = attempt.starting(environment)) {
            try (Policy acting = actor.create(toolbox.briefing(spec, live))) {
                new Turns(this, attempt, watch, acting, live).run();
            }
        } catch (InterruptedException e) {
            attempt.end(Outcome.ABORTED, null, run -> run.abort(Attempt.STOPPED));
        } catch (Throwable e) {
            attempt.end(Outcome.FAILED, e, run -> run.fail(e));
        }
    }
}
