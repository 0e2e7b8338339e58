package dev.rlm.benchmarks.scale;

import dev.rlm.benchmarks.AllSinks;
import dev.rlm.benchmarks.Texts;
import dev.rlm.benchmarks.figure.FigureException;
import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.benchmarks.redaction.VariedTexts;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Memory held by runs that are open at once, each with three steps behind it and one going on, and cost of a further
 * step if each is of another run than the one before. The heap is taken after collections, less what it was before the
 * runs and less their texts; the cost is the median of bursts into empty lanes, beside that of bursts of one run.
 */
final class OpenRuns {
    static final String BYTES = "bytes a run";
    static final String NANOS_OF_ONE = "ns/step, 1 run";
    static final String NANOS_OF_MANY = "ns/step, many runs";
    static final String MANY_TO_ONE = "ns/step, many runs ÷ 1 run";

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int STEPS = 3;
    private static final int TEXT = 240; // characters: what a question of GSM8K has
    private static final int STRING =
            24 + 16 + TEXT + 4; // bytes of a text: object, array, characters, up to a multiple of 8
    private static final int RUNS_AT_ONCE = 500; // so that no lane fills
    private static final int BURST = 1_024;
    private static final int WARM_UP = 25; // bursts
    private static final int MEASURED = 31;
    private static final int COLLECTIONS = 3;

    private final Sinks hub;
    private final Texts texts = new Texts(1);
    private final List<Run> runs = new ArrayList<>();
    private final List<Step> open = new ArrayList<>();

    private OpenRuns(Sinks hub) {
        this.hub = hub;
    }

    /** With the number of runs. */
    public static void main(String[] args) throws IOException {
        measure(Integer.parseInt(args[0]), WARM_UP, MEASURED).print();
    }

    static Sample measure(int count, int warmUp, int measured) throws IOException {
        try (AllSinks sinks = new AllSinks()) {
            return measure(sinks.hub(), count, warmUp, measured);
        }
    }

    private static Sample measure(Sinks hub, int count, int warmUp, int measured) {
        OpenRuns first = new OpenRuns(hub);
        first.open(RUNS_AT_ONCE); // what is made once is made
        first.close();
        OpenRuns one = new OpenRuns(hub);
        one.open(1);
        double nanosOfOne = one.burst(warmUp, measured);
        one.close();
        OpenRuns many = new OpenRuns(hub);
        long before = many.heap();
        many.open(count);
        long bytes = (many.heap() - before) / count - 2 * STRING; // the task, and what the open step sees
        double nanosOfMany = many.burst(warmUp, measured);
        many.close();
        many.checkNothingLost();
        return new Sample(Map.of(
                BYTES,
                (double) bytes,
                NANOS_OF_ONE,
                nanosOfOne,
                NANOS_OF_MANY,
                nanosOfMany,
                MANY_TO_ONE,
                nanosOfMany / nanosOfOne));
    }

    private void open(int count) {
        for (int i = 0; i < count; i++) {
            Run run = hub.startRun(
                    RunSpec.builder("benchmark").task(texts.prose(TEXT)).build());
            for (int step = 0; step < STEPS; step++) {
                step(run, STEPS * i + step);
            }
            runs.add(run);
            open.add(run.startStep(texts.prose(TEXT)));
            if (i % RUNS_AT_ONCE == 0) {
                hub.flush(LONG);
            }
        }
    }

    private static void step(Run run, int number) {
        try (Step step = run.startStep()) {
            step.action("run_python", VariedTexts.code(number));
            step.reward(0.5);
            step.complete(VariedTexts.output(number));
        }
    }

    private double burst(int warmUp, int measured) {
        double[] nanos = new double[measured];
        int next = 0;
        for (int i = -warmUp; i < measured; i++) {
            hub.flush(LONG);
            long start = System.nanoTime();
            for (int step = 0; step < BURST; step++) {
                step(runs.get(next), step);
                next = next + 1 == runs.size() ? 0 : next + 1;
            }
            nanos[Math.max(i, 0)] = (double) (System.nanoTime() - start) / BURST;
        }
        Arrays.sort(nanos);
        return nanos[measured / 2];
    }

    private long heap() {
        hub.flush(LONG);
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private void close() {
        for (int i = 0; i < runs.size(); i++) {
            open.get(i).complete("");
            runs.get(i).complete("");
            if (i % RUNS_AT_ONCE == 0) {
                hub.flush(LONG);
            }
        }
        hub.flush(LONG);
    }

    private void checkNothingLost() {
        hub.statuses().forEach(status -> {
            if (status.ledger().lost() > 0) {
                throw new FigureException(
                        status.name() + " has lost " + status.ledger().losses());
            }
        });
    }
}
