package dev.rlm.benchmarks.otlp;

import dev.rlm.benchmarks.figure.Sample;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a step takes to arrive in jobs of three sizes, each four times the one before, until the last step has arrived. A
 * smaller job is done more often, so that all sizes are measured over equally many steps.
 */
final class Growth {
    static final String LARGEST_TO_SMALLEST = "µs/step, largest ÷ smallest job";

    private static final int STEPS_OF_RUN = 1_000;
    private static final int FACTOR = 4;
    private static final double MICROSECOND = 1_000;

    private Growth() {}

    /** The arguments: how many thousand steps the smallest job has, and how often the largest is done. */
    public static void main(String[] args) throws IOException {
        int smallest = Integer.parseInt(args[0]);
        int times = Integer.parseInt(args[1]);
        try (CountingReceiver receiver = new CountingReceiver();
                StepFeed feed = Way.RLM.open(receiver)) {
            nanosOfStep(feed, receiver, smallest * FACTOR * FACTOR); // to warm up
            Map<String, Double> values = new TreeMap<>();
            double first = 0;
            double last = 0;
            for (int size = smallest, often = times * FACTOR * FACTOR;
                    often >= times;
                    size *= FACTOR, often /= FACTOR) {
                double sum = 0;
                for (int i = 0; i < often; i++) {
                    sum += nanosOfStep(feed, receiver, size);
                }
                last = sum / often / MICROSECOND;
                first = first == 0 ? last : first;
                values.put("µs/step, job of " + size + ",000 steps", last);
            }
            values.put(LARGEST_TO_SMALLEST, last / first);
            new Sample(values).print();
        }
    }

    private static double nanosOfStep(StepFeed feed, CountingReceiver receiver, int runs) {
        long before = receiver.spans();
        long start = System.nanoTime();
        for (int i = 0; i < runs; i++) {
            feed.run(STEPS_OF_RUN);
        }
        feed.settle();
        long took = System.nanoTime() - start;
        Arrival.check(feed, receiver.spans() - before, (long) runs * (STEPS_OF_RUN + feed.spansOfRun()));
        return (double) took / runs / STEPS_OF_RUN;
    }
}
