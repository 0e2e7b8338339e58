package dev.rlm.runner.cli;

import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The wait, at a job's end, for what is on its way to sinks that work: a back end may take longer for a job than the job took.
 * It ends when all has arrived, when nothing has for a while, when its time is over, or by an interrupt. Tells how far it is.
 */
final class Arrival implements Supplier<String> {
    private static final long STANDSTILL_NANOS = Duration.ofSeconds(5).toNanos();

    private final Sinks sinks;

    Arrival(Sinks sinks) {
        this.sinks = sinks;
    }

    /** Waits for so long at the most. */
    void await(Duration most) {
        long by = System.nanoTime() + most.toNanos();
        long before = Long.MAX_VALUE;
        for (long queued = queued(); queued > 0 && queued < before; queued = queued()) {
            long left = by - System.nanoTime();
            if (left <= 0 || Thread.currentThread().isInterrupted()) {
                return;
            }
            before = queued;
            var unused = sinks.flush(Duration.ofNanos(Math.min(left, STANDSTILL_NANOS)));
        }
    }

    private long queued() {
        return awaited().stream().mapToLong(status -> status.ledger().queued()).sum();
    }

    /** The sinks that work, as far as they know, and have something on its way. */
    private List<SinkStatus> awaited() {
        return sinks.statuses().stream()
                .filter(SinkStatus::available)
                .filter(status -> status.ledger().queued() > 0)
                .toList();
    }

    @Override
    public String get() {
        String each = awaited().stream()
                .map(status -> status.ledger().queued() + " to " + status.name())
                .collect(Collectors.joining(", "));
        return each.isEmpty() ? "" : "events on their way: " + each;
    }
}
