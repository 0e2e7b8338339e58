package dev.rlm.sinks;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a run's end tells in numbers. Guarded by the run's lock. */
final class RunTotals {
    private final Map<String, Double> metrics = new LinkedHashMap<>();
    private double total;
    private double last = Double.NaN;
    private int absent;
    private int steps;

    /** A reward was given; NaN where it is absent. */
    void reward(double value) {
        last = value;
        if (Double.isNaN(value)) {
            absent++;
        } else if (Double.isFinite(value)) {
            total += value;
        }
    }

    /** A step has ended. */
    void step() {
        steps++;
    }

    void metric(String name, double value) {
        metrics.put(name, value);
    }

    boolean solved(RunSpec.PassOn passOn, double passReward) {
        return passOn.isSolved(last, total, absent > 0, passReward);
    }

    /** The sum of the finite rewards. */
    double total() {
        return total;
    }

    int absent() {
        return absent;
    }

    int steps() {
        return steps;
    }

    Map<String, Double> metrics() {
        return metrics;
    }
}
