package dev.rlm.benchmarks.otlp;

import dev.rlm.benchmarks.figure.Sample;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * Time that a step takes on average, until the last one has arrived, in jobs of three sizes, each four times the one
 * before. All are done in ascending and then in descending order, so that a JVM that still warms up favours none.
 */
final class Growth {
    static final String LARGEST_TO_SMALLEST = "µs/step, largest ÷ smallest job";

    private static final int STEPS_OF_RUN = 1_000;
    private static final int FACTOR = 4;
    private static final int SIZES = 3;
    private static final double MICROSECOND = 1_000;

    private Growth() {}

    /** The argument: how many thousand steps the smallest job has. */
    public static void main(String[] args) throws IOException {
        int smallest = Integer.parseInt(args[0]);
        try (CountingReceiver receiver = new CountingReceiver();
                StepFeed feed = Way.RLM.open(receiver)) {
            double[] micros = new double[SIZES];
            mean(feed, receiver, smallest, SIZES - 1); // to warm up
            for (int i = 0; i < SIZES; i++) {
                micros[i] = mean(feed, receiver, smallest, i);
            }
            for (int i = SIZES - 1; i >= 0; i--) {
                micros[i] = (micros[i] + mean(feed, receiver, smallest, i)) / 2;
            }
            sample(smallest, micros).print();
        }
    }

    private static Sample sample(int smallest, double[] micros) {
        Map<String, Double> values = new TreeMap<>();
        values.put(LARGEST_TO_SMALLEST, micros[SIZES - 1] / micros[0]);
        for (int i = 0; i < SIZES; i++) {
            values.put("µs/step, job of " + runs(smallest, i) + ",000 steps", micros[i]);
        }
        return new Sample(values);
    }

    /** Returns the number of runs in the job of that size; 0 is the smallest. */
    private static int runs(int smallest, int size) {
        return smallest * (int) Math.pow(FACTOR, size);
    }

    /** The microseconds of a step, over several jobs where they are small. */
    private static double mean(StepFeed feed, CountingReceiver receiver, int smallest, int size) {
        int often = 1 << (SIZES - 1 - size);
        double sum = 0;
        for (int i = 0; i < often; i++) {
            sum += nanosOfStep(feed, receiver, runs(smallest, size));
        }
        return sum / often / MICROSECOND;
    }

    private static double nanosOfStep(StepFeed feed, CountingReceiver receiver, int runs) {
        long before = receiver.spans();
        long start = System.nanoTime();
        for (int i = 0; i < runs; i++) {
            feed.run(STEPS_OF_RUN);
        }
        feed.settle();
        long took = System.nanoTime() - start;
        ArrivalRate.check(feed, receiver.spans() - before, (long) runs * (STEPS_OF_RUN + feed.spansOfRun()));
        return (double) took / runs / STEPS_OF_RUN;
    }
}
