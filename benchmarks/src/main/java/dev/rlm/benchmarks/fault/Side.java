package dev.rlm.benchmarks.fault;

import dev.rlm.benchmarks.Agent;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One side of a comparison: a hub with a journal and a sink that counts, and perhaps one with a fault. */
final class Side implements AutoCloseable {
    private static final String HOSTILE = "hostile";
    private static final Duration SYNC = Duration.ofSeconds(5);
    private static final long SETTLE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Misbehaviour fault;
    private final Sinks hub;

    Side(Path folder, Misbehaviour fault) {
        this.fault = fault;
        JsonlSink journal = JsonlSink.builder()
                .directory(folder)
                .rotateSize(16_000_000)
                .keepSize(64_000_000)
                .compress(false)
                .build();
        hub = Sinks.builder()
                .add("journal", journal)
                .add("counting", new Counting())
                .build();
        fault.sink().ifPresent(this::add);
    }

    private void add(Sink sink) {
        Misbehaviour.introduce(hub, sink);
        hub.add(HOSTILE, sink);
        if (fault.isMeasuredFull()) {
            fill();
        }
    }

    private void fill() {
        Agent agent = new Agent(2, 8, () -> {});
        while (hostile().ledger().droppedTotal() == 0 || isToBeGivenUp()) {
            for (int i = 0; i < 100; i++) {
                agent.run(hub);
            }
            hub.flushDurable(SYNC);
        }
    }

    private boolean isToBeGivenUp() {
        return fault == Misbehaviour.GIVEN_UP && !hostile().ledger().dropped().containsKey("hung");
    }

    private SinkStatus hostile() {
        return hub.statuses().stream()
                .filter(status -> status.name().equals(HOSTILE))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Does a block, and waits until nothing of it goes on in the background, so that the other side's time is its own.
     */
    Cost measure(Workload.Block block) {
        long cpu = THREADS.getCurrentThreadCpuTime();
        long wall = System.nanoTime();
        block.work().accept(hub);
        wall = System.nanoTime() - wall;
        cpu = THREADS.getCurrentThreadCpuTime() - cpu;
        settle();
        return new Cost(wall, cpu);
    }

    /** Waits until nothing goes on in the background. */
    void settle() {
        hub.flushDurable(SYNC);
        long by = System.nanoTime() + SETTLE_NANOS;
        while (fault != Misbehaviour.NONE
                && !fault.isMeasuredFull()
                && hostile().ledger().queued() > 0
                && System.nanoTime() - by < 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    Sinks hub() {
        return hub;
    }

    /**
     * Returns the drops of the faulty sink by reason, and its status if it is not available; empty if there is no such
     * sink.
     */
    String state() {
        if (fault == Misbehaviour.NONE) {
            return "";
        }
        SinkStatus status = hostile();
        return status.ledger().dropped() + (status.available() ? "" : " " + status.detail());
    }

    @Override
    public void close() {
        hub.close(Duration.ofSeconds(1));
    }

    /** Nanoseconds that a block took: by the clock, and of the measuring thread's processor time. */
    record Cost(long wall, long cpu) {}
}
