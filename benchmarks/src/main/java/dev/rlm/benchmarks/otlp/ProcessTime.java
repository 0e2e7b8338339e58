package dev.rlm.benchmarks.otlp;

import com.sun.management.OperatingSystemMXBean;
import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.benchmarks.redaction.VariedTexts;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Processor time that the journal and the OpenTelemetry sink take of a process whose open runs have steps at a given rate, or none at
 * all, and the time that closing the hub takes. The same work without a sink is subtracted. Steps come in
 * groups, one every millisecond where there are so many; as many as they can in a warm-up compile what there is to compile.
 */
final class ProcessTime {
    static final String CPU_OF_STEP = "CPU µs/step";
    static final String CPU_OF_SECOND = "CPU ms/s";
    static final String CLOSE = "ms to close";

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final int WARM_UP = 10_000; // steps: so few that no file is closed and compressed
    private static final long SETTLING_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final int GROUPS_A_SECOND = 1_000;
    private static final double MICROSECOND = 1e3;
    private static final double MILLISECOND = 1e6;

    private final int runs;
    private final int rate;
    private final int warmUp; // steps

    private ProcessTime(int runs, int rate, int warmUp) {
        this.runs = runs;
        this.rate = rate;
        this.warmUp = warmUp;
    }

    /** The arguments: a {@link Backend}, how many runs are open, their steps a second, and for how many seconds. */
    public static void main(String[] args) throws IOException {
        measure(
                        Backend.valueOf(args[0]),
                        Integer.parseInt(args[1]),
                        Integer.parseInt(args[2]),
                        Integer.parseInt(args[3]),
                        WARM_UP)
                .print();
    }

    static Sample measure(Backend kind, int runs, int rate, int seconds, int warmUp) throws IOException {
        ProcessTime measured = new ProcessTime(runs, rate, warmUp);
        double without;
        try (Sinks none = Sinks.builder().build()) {
            without = measured.nanosOfSecond(none, seconds);
        }
        try (Backend.Opened backend = kind.open();
                TemporaryFolder folder = TemporaryFolder.create("process");
                Sinks all = RlmFeed.allSinks(folder.path(), backend.endpoint())) {
            warmUp(all, kind, warmUp);
            double with = measured.nanosOfSecond(all, seconds) - without;
            if (rate == 0) {
                return new Sample(Map.of(CPU_OF_SECOND, with / MILLISECOND));
            }
            long start = System.nanoTime();
            all.close();
            double close = (System.nanoTime() - start) / MILLISECOND;
            return new Sample(
                    Map.of(CPU_OF_STEP, with / rate / MICROSECOND, CPU_OF_SECOND, with / MILLISECOND, CLOSE, close));
        }
    }

    /** Until all is taken, by the journal alone where the back end takes nothing. */
    private static void warmUp(Sinks all, Backend kind, int steps) {
        try (Run run = start(all)) {
            for (int i = 0; i < steps; i++) {
                step(run, i);
            }
        }
        while (all.statuses().stream()
                .anyMatch(status -> (kind == Backend.TAKING || status.name().equals("jsonl"))
                        && status.ledger().queued() > 0)) {
            LockSupport.parkNanos(SETTLING_NANOS);
        }
        LockSupport.parkNanos(SETTLING_NANOS); // compilers, too
    }

    /** Measures after as many steps at the rate as warmed up: few events at a time run other code than many. */
    private double nanosOfSecond(Sinks sinks, int seconds) {
        Run[] open = IntStream.range(0, runs).mapToObj(i -> start(sinks)).toArray(Run[]::new);
        pace(open, rate == 0 ? 1 : Math.max(1, warmUp / rate));
        long cpu = SYSTEM.getProcessCpuTime();
        pace(open, seconds);
        double took = (double) (SYSTEM.getProcessCpuTime() - cpu) / seconds;
        for (Run run : open) {
            run.complete("an answer");
        }
        return took;
    }

    private void pace(Run[] open, int seconds) {
        int groups = Math.max(1, Math.min(rate, GROUPS_A_SECOND));
        long due = System.nanoTime();
        int done = 0;
        for (int group = 0; group < seconds * groups; group++) {
            for (int i = 0; i < rate / groups; i++) {
                step(open[done % runs], done++);
            }
            due += TimeUnit.SECONDS.toNanos(1) / groups;
            LockSupport.parkNanos(due - System.nanoTime());
        }
    }

    private static Run start(Sinks sinks) {
        return sinks.startRun(
                RunSpec.builder(StepFeed.ENVIRONMENT).model(StepFeed.MODEL).build());
    }

    private static void step(Run run, int number) {
        try (Step step = run.startStep(VariedTexts.observation(number))) {
            step.action(StepFeed.ACTION, VariedTexts.code(number));
            step.reward(StepFeed.REWARD);
            step.complete(VariedTexts.output(number));
        }
    }
}
