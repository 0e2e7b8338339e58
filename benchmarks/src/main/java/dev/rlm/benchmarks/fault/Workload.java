package dev.rlm.benchmarks.fault;

import dev.rlm.benchmarks.Agent;
import dev.rlm.benchmarks.Computation;
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
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Work of the runner in a block: always the same, for about a hundredth of a second. */
enum Workload {
    /** Steps that compute for 100 µs. */
    COMPUTE_100US,
    /** Steps that compute for a millisecond. */
    COMPUTE_1MS,
    /** Steps that wait for a millisecond, as for a model. */
    WAIT_1MS,
    /** The runner's own job: eight runs at a time in {@code calc}, with a policy that thinks for a millisecond. */
    JOB,
    /** Steps that do nothing but record: tells what an event costs. */
    BARE;

    private static final int STEPS = 8;
    private static final int EPISODES_OF_JOB = 24;
    private static final int CONCURRENCY = 8;
    private static final Duration THINKING = Duration.ofMillis(1);

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String toString() {
        return label();
    }

    /** Returns the work that a block does with a hub. */
    Block block() {
        return switch (this) {
            case COMPUTE_100US -> agent(12, compute(TimeUnit.MICROSECONDS.toNanos(100)));
            case COMPUTE_1MS -> agent(2, compute(TimeUnit.MILLISECONDS.toNanos(1)));
            case WAIT_1MS -> agent(2, () -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1)));
            case BARE -> agent(50, () -> {});
            case JOB -> new Block(Workload::job, 0);
        };
    }

    private static Block agent(int runs, Runnable work) {
        Agent agent = new Agent(1, STEPS, work);
        return new Block(
                hub -> {
                    for (int i = 0; i < runs; i++) {
                        agent.run(hub);
                    }
                },
                runs * agent.events());
    }

    private static Runnable compute(long nanos) {
        Computation computation = Computation.of(nanos);
        return computation::run;
    }

    private static void job(Sinks hub) {
        List<Episode> episodes = ProblemGenerator.generate(1, EPISODES_OF_JOB).stream()
                .map(Workload::episode)
                .toList();
        new Job(episodes, hub, CONCURRENCY, null, null).run();
    }

    private static Episode episode(Problem problem) {
        RunSpec spec = RunSpec.builder(CalcEnvironment.NAME)
                .task(problem.question())
                .model(ScriptedPolicy.NAME)
                .maxSteps(STEPS)
                .build();
        return new Episode(
                spec,
                () -> new CalcEnvironment(problem, true),
                () -> new ScriptedPolicy(problem, new SplittableRandom(problem.row()), 0.1, THINKING));
    }

    /**
     * Unit of work that is measured at a time.
     *
     * @param events number of events that it records; 0 if work is done on other threads than the measured one
     */
    record Block(Consumer<Sinks> work, int events) {}
}
