package dev.rlm.benchmarks.otlp;

import com.sun.management.OperatingSystemMXBean;
import dev.rlm.benchmarks.figure.Sample;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Steps a second that arrive at a receiver, of runs that one thread records as fast as it can for some seconds, until
 * the last has arrived. If nothing may be lost, every single span is accounted for.
 */
final class ArrivalRate {
    static final String RATE = "steps/s";
    static final String SHARE = "share that arrives";

    /** Of the whole process. */
    static final String CPU_OF_STEP = ProcessTime.CPU_OF_STEP;

    private static final int STEPS_OF_RUN = 1_000;
    private static final double SECOND = 1e9;
    private static final double MICROSECOND = 1e3;
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private ArrivalRate() {}

    /** The arguments: a {@link Way}, and for how many milliseconds to warm up and to measure. */
    public static void main(String[] args) throws IOException {
        try (CountingReceiver receiver = new CountingReceiver();
                StepFeed feed = Way.valueOf(args[0]).open(receiver)) {
            measure(feed, receiver, Long.parseLong(args[1]));
            measure(feed, receiver, Long.parseLong(args[2])).print();
        }
    }

    static Sample measure(StepFeed feed, CountingReceiver receiver, long millis) {
        long before = receiver.spans();
        long cpu = SYSTEM.getProcessCpuTime();
        long start = System.nanoTime();
        long runs = 0;
        do {
            feed.run(STEPS_OF_RUN);
            runs++;
        } while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(millis));
        feed.settle();
        long took = System.nanoTime() - start;
        double cpuOfStep = (SYSTEM.getProcessCpuTime() - cpu) / MICROSECOND / runs / STEPS_OF_RUN;
        long recorded = runs * (STEPS_OF_RUN + feed.spansOfRun());
        long arrived = receiver.spans() - before;
        check(feed, arrived, recorded);
        double share = (double) arrived / recorded;
        return new Sample(
                Map.of(RATE, share * runs * STEPS_OF_RUN / took * SECOND, SHARE, share, CPU_OF_STEP, cpuOfStep));
    }

    /** Fails where spans have got lost, or came twice, that must not. */
    static void check(StepFeed feed, long arrived, long recorded) {
        if (feed.isComplete() && arrived != recorded) {
            throw new IllegalStateException(arrived + " spans arrived of " + recorded);
        }
    }
}
