package dev.rlm.sinks.core;

import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.schema.RewardTotals;
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
    private final transient RewardTotals rewards = new RewardTotals();
    private double total; // of these, at hand for the ends of steps
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

    /**
     * A reward was given.
     *
     * @param late whether it came after the end
     */
    void reward(RewardGiven reward, boolean late) {
        rewards.add(reward, late);
        total = rewards.sum();
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
        return rewards.isSolved(passOn, passReward);
    }

    /** The sum of the finite rewards. */
    double total() {
        return total;
    }

    /** Those of the rewards so far. */
    RewardTotals rewards() {
        return rewards;
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
