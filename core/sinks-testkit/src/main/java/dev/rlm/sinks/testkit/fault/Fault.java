package dev.rlm.sinks.testkit.fault;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Misbehaviour of a {@link HostileSink} when it is called. It may throw anything. Any code can be one:
 * {@code sinks::close} is a sink that closes its hub. It strikes on the thread of the callback.
 */
@FunctionalInterface
public interface Fault {
    void strike() throws Throwable;

    /** Throws what it is given, checked exceptions too, as sinks in other languages of the JVM do. */
    static Fault throwing(Supplier<? extends Throwable> error) {
        return () -> {
            throw error.get();
        };
    }

    /** Throws a real {@link OutOfMemoryError}: of an array that no JVM makes, so that others have what they need. */
    static Fault outOfMemory() {
        return () -> {
            long[] tooMuch = new long[Integer.MAX_VALUE];
            throw new AssertionError("there is room for " + tooMuch.length);
        };
    }

    /** Throws a real {@link StackOverflowError}. */
    static Fault stackOverflow() {
        return () -> deeper(0);
    }

    @SuppressWarnings("InfiniteRecursion")
    private static int deeper(int depth) {
        return deeper(depth + 1) + 1;
    }

    /** Throws the {@link LinkageError} of a plug-in that lacks a library. */
    static Fault missingClass() {
        return throwing(() -> new NoClassDefFoundError("com/example/Missing"));
    }

    /** Throws an exception that throws others when it is asked what it is. */
    static Fault unspeakable() {
        return throwing(UnspeakableException::new);
    }

    /** Does not return until the gate is open; interrupts do not help. */
    static Fault hanging(Gate gate) {
        return gate::pass;
    }

    /** Takes its time. */
    static Fault slow(Duration time) {
        return () -> TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }

    /** Starts a thread that keeps a process alive, and leaves it behind until the gate is open. */
    static Fault leakingThreads(Gate gate) {
        return () -> new Thread(gate::pass, "leaked").start();
    }

    /** The same, so many times and then no more. */
    default Fault times(long strikes) {
        AtomicLong left = new AtomicLong(strikes);
        return () -> {
            if (left.getAndDecrement() > 0) {
                strike();
            }
        };
    }

    /** The same until the gate is open and no more from then on. */
    default Fault until(Gate gate) {
        return () -> {
            if (!gate.isOpen()) {
                strike();
            }
        };
    }
}
