package dev.rlm.benchmarks.otlp;

import java.time.Duration;

/** Records runs with steps as fast as they are taken. For one thread. */
interface StepFeed extends AutoCloseable {
    String ENVIRONMENT = "benchmark";
    String MODEL = "a-model";
    String ACTION = "run_python";
    double REWARD = 0.5;

    /** Longest wait for the arrival of what was recorded. */
    Duration LONG = Duration.ofMinutes(1);

    /** Records a run of so many steps. */
    void run(int steps);

    /** Returns the number of spans that a run has beside those of its steps. */
    int spansOfRun();

    /** Returns whether nothing may be missing of what was recorded. */
    boolean isComplete();

    /** Waits until all that was recorded has arrived, or will not. */
    void settle();

    @Override
    void close();
}
