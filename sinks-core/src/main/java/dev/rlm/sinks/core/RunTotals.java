package dev.rlm.sinks.core;

import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.RunStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Numbers, and an initial state, that a run's end tells. Guarded by the run's lock. */
final class RunTotals {
    private final RunSpec.PassOn passOn;
    private final double passReward;
    private Map<String, Double> metrics = Map.of(); // as most runs have it to their end
    private @Nullable String initialState;
    private double total;
    private double last = Double.NaN;
    private int absent;
    private int steps;

    RunTotals(RunSpec.PassOn passOn, double passReward) {
        this.passOn = passOn;
        this.passReward = passReward;
    }

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
        if (metrics.isEmpty()) {
            metrics = new LinkedHashMap<>();
        }
        metrics.put(name, value);
    }

    void initialState(@Nullable String digest) {
        initialState = digest;
    }

    @Nullable
    String initialState() {
        return initialState;
    }

    boolean solved() {
        return passOn.isSolved(last, total, absent > 0, passReward);
    }

    /** The status of a run that ran to its end. */
    RunStatus completion() {
        return absent == 0
                ? RunStatus.of(RunStatus.FINISHED, "")
                : RunStatus.of(RunStatus.SCORE_INVALID, "a reward could not be computed");
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

    void forgetMetrics() {
        metrics = Map.of();
    }
}
