package dev.rlm.cli.fault;

import dev.rlm.engine.EpisodeResult;
import dev.rlm.episodes.Policy;
import dev.rlm.runner.demo.CalcEnvironment;
import dev.rlm.runner.demo.Problem;
import dev.rlm.runner.demo.ProblemGenerator;
import dev.rlm.runner.episode.Episode;
import dev.rlm.runner.episode.Job;
import dev.rlm.runner.policy.ScriptedPolicy;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** A job of real episodes: the same work whenever it is done, with mistakes in it. */
final class Work {
    static final int RUNS = 40;

    private static final int CONCURRENCY = 4;
    private static final double ERROR_RATE = 0.2;
    private static final List<Problem> PROBLEMS = ProblemGenerator.generate(7, RUNS);

    private Work() {}

    /** What the work comes to where nobody watches. */
    static List<EpisodeResult> unwatched(String name) {
        try (Sinks none = Sinks.builder().build()) {
            return done(name, none);
        }
    }

    /** Does the work; what it came to, save how long it took. */
    static List<EpisodeResult> done(String name, Sinks sinks) {
        List<Episode> episodes =
                IntStream.range(0, RUNS).mapToObj(run -> episode(name, run)).toList();
        return new Job(episodes, sinks, CONCURRENCY, null, null)
                .run().stream().map(Work::timeless).toList();
    }

    private static Episode episode(String name, int run) {
        Problem problem = PROBLEMS.get(run);
        RunSpec spec = RunSpec.builder(CalcEnvironment.NAME)
                .runId(name + "-" + run)
                .task(problem.question())
                .model(ScriptedPolicy.NAME)
                .maxSteps(20)
                .build();
        return new Episode(spec, () -> new CalcEnvironment(problem, true), () -> policy(problem, run));
    }

    /** One that looks, in each step, for the trace that it would hand on to a server. */
    private static Policy policy(Problem problem, int run) {
        Policy scripted = new ScriptedPolicy(problem, new SplittableRandom(run), ERROR_RATE, Duration.ZERO);
        return (observation, step) -> {
            step.traceContext();
            return scripted.act(observation, step);
        };
    }

    private static EpisodeResult timeless(EpisodeResult result) {
        return new EpisodeResult(
                result.runId(),
                result.model(),
                result.outcome(),
                result.solved(),
                result.steps(),
                result.toolCalls(),
                result.totalReward(),
                result.rewardAbsent(),
                Duration.ZERO,
                result.errorType(),
                result.error());
    }
}
