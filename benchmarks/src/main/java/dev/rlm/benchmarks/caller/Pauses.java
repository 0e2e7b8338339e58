package dev.rlm.benchmarks.caller;

import com.sun.management.GarbageCollectionNotificationInfo;
import dev.rlm.benchmarks.AllSinks;
import dev.rlm.benchmarks.Machine;
import dev.rlm.benchmarks.figure.Sample;
import dev.rlm.benchmarks.redaction.VariedTexts;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command that measures how long a step's recording may stop the thread that records it. One thread records 1,000 steps a second
 * and leaves garbage to be collected, while a second one records as many as it can and waits for nothing, so that the queues are full.
 */
@Command(
        name = "pauses",
        description = "Measures how long recording may stop a thread, with full queues and garbage collections.",
        mixinStandardHelpOptions = true)
public final class Pauses implements Callable<Integer> {
    static final String P50 = "p50 µs";
    static final String P999 = "p99.9 µs";
    static final String LONGEST = "longest ms";
    static final String LONGEST_COLLECTION = "longest collection ms";
    static final String COLLECTIONS = "collections";
    static final String DROPPED = "share dropped";
    static final String ALL_SINKS = "all";
    static final String NO_SINK = "none";

    private static final int RATE = 1_000; // steps a second
    private static final int WARM_UP = 2; // seconds
    private static final int GARBAGE = 64 << 10; // bytes a step
    private static final double MILLISECOND = 1e6;

    private final AtomicLong longestCollection = new AtomicLong();
    private final AtomicLong collections = new AtomicLong();
    private volatile boolean over;
    private final byte[][] garbage = new byte[16][];

    @Spec
    @SuppressWarnings("NullAway.Init") // set before call()
    private CommandSpec spec;

    @Option(names = "--seconds", paramLabel = "N", description = "How long to measure (${DEFAULT-VALUE}).")
    private int seconds = 600;

    Pauses() {}

    /** With {@link #ALL_SINKS} or {@link #NO_SINK}, and for how many seconds. */
    public static void main(String[] args) throws IOException, InterruptedException {
        new Pauses().measure(args[0], Integer.parseInt(args[1])).print();
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        out.println(Machine.line() + "; " + seconds + " s");
        new TreeMap<>(measure(ALL_SINKS, seconds).values()).forEach((name, value) -> out.println(name + ": " + value));
        out.flush();
        return 0;
    }

    Sample measure(String which, int time) throws IOException, InterruptedException {
        if (which.equals(NO_SINK)) {
            try (Sinks hub = Sinks.builder().build()) {
                return measure(hub, time);
            }
        }
        try (AllSinks sinks = new AllSinks()) {
            return measure(sinks.hub(), time);
        }
    }

    private Sample measure(Sinks hub, int time) throws InterruptedException {
        long[] nanos = new long[time * RATE];
        Thread flood = new Thread(() -> flood(hub), "flood");
        try (Run run = start(hub)) {
            flood.start();
            pace(run, new long[WARM_UP * RATE]);
            watchCollections();
            pace(run, nanos);
        } finally {
            over = true;
            flood.join();
        }
        Arrays.sort(nanos);
        Map<String, Double> values = new TreeMap<>();
        values.put(P50, PacedSteps.percentile(nanos, 0.5));
        values.put(P999, PacedSteps.percentile(nanos, 0.999));
        values.put(LONGEST, nanos[nanos.length - 1] / MILLISECOND);
        values.put(LONGEST_COLLECTION, (double) longestCollection.get());
        values.put(COLLECTIONS, (double) collections.get());
        for (SinkStatus status : hub.statuses()) {
            Ledger ledger = status.ledger();
            values.put(DROPPED + ", " + status.name(), (double) ledger.lost() / ledger.offered());
        }
        return new Sample(values);
    }

    private void watchCollections() {
        ManagementFactory.getGarbageCollectorMXBeans()
                .forEach(collector -> ((NotificationEmitter) collector)
                        .addNotificationListener(
                                (notification, unused) -> {
                                    long millis = GarbageCollectionNotificationInfo.from(
                                                    (CompositeData) notification.getUserData())
                                            .getGcInfo()
                                            .getDuration();
                                    longestCollection.accumulateAndGet(millis, Math::max);
                                    collections.incrementAndGet();
                                },
                                null,
                                null));
    }

    private void flood(Sinks hub) {
        while (!over) {
            try (Run run = start(hub)) {
                for (int i = 0; i < RATE && !over; i++) {
                    step(run, i);
                }
            }
        }
    }

    private void pace(Run run, long[] nanos) {
        long due = System.nanoTime();
        for (int i = 0; i < nanos.length; i++) {
            due += TimeUnit.SECONDS.toNanos(1) / RATE;
            LockSupport.parkNanos(due - System.nanoTime());
            garbage[i % garbage.length] = new byte[GARBAGE];
            long start = System.nanoTime();
            step(run, i);
            nanos[i] = System.nanoTime() - start;
        }
    }

    private static Run start(Sinks hub) {
        return hub.startRun(RunSpec.builder("benchmark").build());
    }

    private static void step(Run run, int number) {
        try (Step step = run.startStep(VariedTexts.observation(number))) {
            step.action("run_python", VariedTexts.code(number));
            step.complete(VariedTexts.output(number));
        }
    }
}
