package dev.rlm.benchmarks.job;

import com.sun.management.OperatingSystemMXBean;
import dev.rlm.benchmarks.Computation;
import dev.rlm.benchmarks.Median;
import dev.rlm.benchmarks.Receiver;
import dev.rlm.benchmarks.TemporaryFolder;
import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.benchmarks.redaction.VariedTexts;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Slowdown by all sinks of two threads whose steps compute for a millisecond. Blocks of a quarter of a second take
 * turns with the same without a sink, in one process: a disturbance of the machine affects both. Work that a block
 * leaves when its threads have ended is done before the next begins, and is counted with its processor time, spread
 * over as many processors as there are threads: the time in which it would have been done beside more work.
 *
 * <p>A job of hours is compiled, all but its first minute: so blocks that compute nothing come first, with runs enough for what
 * is done once a run to be compiled too. They have a hub of their own, so that what they leave to be compressed is not counted; the
 * journal's files are small ones, so that the compression of what is measured is.
 */
final class WatchedJob {
    /** With sinks in proportion to without: by the clock, and in processor time of the whole process. */
    static final String TIME = "time, with ÷ without";

    static final String CPU = "CPU, with ÷ without";

    private static final int THREADS = 2;
    private static final Shape MEASURED = new Shape(12, 20);
    private static final int PAIRS = 14;
    private static final Shape SHORT_RUNS = new Shape(120, 2);
    private static final int WARM_UP = 80; // blocks
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final Runnable computation = Computation.of(TimeUnit.MILLISECONDS.toNanos(1))::run;

    private WatchedJob() {}

    public static void main(String[] args) throws IOException {
        WatchedJob job = new WatchedJob();
        try (Receiver receiver = new Receiver();
                Sinks none = Sinks.builder().build()) {
            watched(receiver, all -> {
                for (int i = 0; i < WARM_UP; i++) {
                    job.block(all, SHORT_RUNS, () -> {});
                }
            });
            watched(receiver, all -> job.measure(all, none).print());
        }
    }

    private static void watched(Receiver receiver, Consumer<Sinks> work) throws IOException {
        try (TemporaryFolder folder = TemporaryFolder.create("watched");
                Sinks all = Sinks.builder()
                        .config(SinkConfig.of(Map.of(
                                "RLM_JSONL_DIR",
                                folder.path().toString(),
                                "RLM_JSONL_ROTATE_SIZE",
                                "4MB",
                                "RLM_OTEL_ENABLED",
                                "true",
                                "OTEL_EXPORTER_OTLP_PROTOCOL",
                                "http/protobuf",
                                "OTEL_EXPORTER_OTLP_ENDPOINT",
                                receiver.endpoint().toString())))
                        .build()) {
            work.accept(all);
            all.close(LONG);
        }
    }

    private Sample measure(Sinks all, Sinks none) {
        block(none, MEASURED, computation);
        block(all, MEASURED, computation);
        double[] times = new double[PAIRS];
        double[] cpus = new double[PAIRS];
        for (int i = 0; i < PAIRS; i++) {
            boolean reverse = i % 2 == 1;
            Cost first = block(reverse ? all : none, MEASURED, computation);
            Cost second = block(reverse ? none : all, MEASURED, computation);
            Cost with = reverse ? first : second;
            Cost without = reverse ? second : first;
            times[i] = (double) with.nanos() / without.nanos();
            cpus[i] = (double) with.cpu() / without.cpu();
        }
        return new Sample(
                Map.of(TIME, Median.of(times).value(), CPU, Median.of(cpus).value()));
    }

    private Cost block(Sinks sinks, Shape shape, Runnable work) {
        long cpu = SYSTEM.getProcessCpuTime();
        long start = System.nanoTime();
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            threads[i] = new Thread(() -> runs(sinks, shape, work));
            threads[i].start();
        }
        for (Thread thread : threads) {
            join(thread);
        }
        long worked = System.nanoTime() - start;
        long workedCpu = SYSTEM.getProcessCpuTime() - cpu;
        sinks.flush(LONG);
        long allCpu = SYSTEM.getProcessCpuTime() - cpu;
        return new Cost(worked + (allCpu - workedCpu) / THREADS, allCpu);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void runs(Sinks sinks, Shape shape, Runnable work) {
        for (int i = 0; i < shape.runs(); i++) {
            int first = i * shape.steps();
            try (Run run = sinks.startRun(
                    RunSpec.builder("benchmark").task(VariedTexts.output(first)).build())) {
                for (int step = 0; step < shape.steps(); step++) {
                    step(run, first + step, work);
                }
                run.complete(VariedTexts.output(first));
            }
        }
    }

    private static void step(Run run, int number, Runnable work) {
        try (Step step = run.startStep(VariedTexts.observation(number))) {
            step.action("run_python", VariedTexts.code(number));
            work.run();
            step.reward(0.5);
            step.complete(VariedTexts.output(number));
        }
    }

    /** Number of runs of a thread in a block, and of steps in a run. */
    private record Shape(int runs, int steps) {}

    private record Cost(long nanos, long cpu) {}
}
