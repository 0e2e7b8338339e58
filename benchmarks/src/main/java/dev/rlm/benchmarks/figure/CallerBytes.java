package dev.rlm.benchmarks.figure;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Bytes that the measuring threads allocate for each operation, without those of other threads meanwhile, which JMH's
 * own profiler counts too. A benchmark calls {@link #allocated} before its operations, and {@link #add} after them.
 */
public final class CallerBytes implements InternalProfiler {
    /** The name of its value. */
    public static final String BYTES = "bytes";

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final LongAdder ALLOCATED = new LongAdder();
    private static final LongAdder OPERATIONS = new LongAdder();

    /** The bytes that the current thread has allocated so far. */
    public static long allocated() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /** Counts so many operations, and what they have allocated since then. */
    public static void add(long since, int operations) {
        ALLOCATED.add(allocated() - since);
        OPERATIONS.add(operations);
    }

    @Override
    public String getDescription() {
        return "what the measuring threads allocate";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        ALLOCATED.reset();
        OPERATIONS.reset();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        long operations = OPERATIONS.sum();
        return operations == 0
                ? List.of()
                : List.of(
                        new ScalarResult(BYTES, (double) ALLOCATED.sum() / operations, "B/op", AggregationPolicy.AVG));
    }
}
