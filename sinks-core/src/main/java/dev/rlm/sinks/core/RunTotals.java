package dev.rlm.sinks.core;

import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.RunStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Numbers, and an initial state, that a run's end tells, and the run's lock, which guards them and all else that changes in the
 * run. It is held for the length of a try block, and by one thread as often as it likes. Not a monitor: a virtual thread that
 * waits for it, or while it holds it, would keep its carrier from all others before Java 24.
 */
final class RunTotals extends ReentrantLock implements AutoCloseable {
    private static final long serialVersionUID = 1L;

    private final RunSpec.PassOn passOn;
    private final double passReward;
    private transient Map<String, Double> metrics = Map.of(); // as most runs have it to their end
    private @Nullable String initialState;
    private double total;
    private double last = Double.NaN;
    private int absent;
    private int steps;

    RunTotals(RunSpec.PassOn passOn, double passReward) {
        this.passOn = passOn;
        this.passReward = passReward;
    }

    /** Takes the lock, however long that takes; an interrupt stays as it is. */
    RunTotals hold() {
        lock();
        return this;
    }

    /** Takes the lock if that can be done within the time, which may be 0; whether it was taken. */
    boolean tryHold(long nanos) {
        long by = System.nanoTime() + nanos;
        boolean interrupted = false;
        while (!tryLock()) {
            long left = by - System.nanoTime();
            if (left <= 0) {
                break;
            }
            try {
                if (tryLock(left, TimeUnit.NANOSECONDS)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return isHeldByCurrentThread();
    }

    @Override
    public void close() {
        unlock();
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
