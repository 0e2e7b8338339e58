package dev.rlm.sinks.lane;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sink.Acknowledged;
import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.RunEnded;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A sink's queue and thread. To offer an event costs no lock and wakes nobody: the thread takes all there is and then
 * sleeps for a millisecond, for longer after a second without work. It is woken where the queue is half full and where
 * somebody waits for a flush.
 */
final class Lane {
    static final String RUN_REFUSED = "run_refused";
    private static final String QUEUE_FULL = "queue_full";
    static final String CLOSED = "closed";
    private static final String INTERRUPTED = "interrupted";
    private static final String SINK_ERROR = "sink_error";

    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONG_NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long IDLE_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long STALL_NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long NOT_STALLED = 0;

    private final String name;
    private final GuardedSink sink;
    private final QuietLog log;
    private final boolean durable;
    private final boolean waits;
    private final LaneQueue queue;
    private final Queue<FlushRequest> flushes = new ConcurrentLinkedQueue<>();
    private final AtomicLong handled = new AtomicLong();
    private final AtomicLong thrown = new AtomicLong();
    private final AtomicLong tooLate = new AtomicLong();
    private final AtomicLong stalledSince = new AtomicLong(NOT_STALLED);
    private final Thread thread;
    private Map<String, Long> reported = Map.of();
    private volatile @Nullable Long closeBy; // nanoTime; set when it is to close
    private volatile boolean finished; // nobody takes events or flushes any more

    /**
     * A lane to be started.
     *
     * @param waits whether those who offer wait for room, for as long as it takes, rather than have an event dropped
     */
    Lane(String name, Sink sink, QuietLog log, boolean waits) {
        this.name = name;
        this.waits = waits;
        this.queue = waits ? LaneQueue.small() : LaneQueue.large();
        this.log = log;
        this.sink = new GuardedSink(sink, log);
        this.durable = this.sink.isDurable();
        this.thread = new Thread(this::work, "rlm-sink-" + name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    String name() {
        return name;
    }

    GuardedSink sink() {
        return sink;
    }

    boolean isDurable() {
        return durable;
    }

    // ---- on any thread

    boolean reserveEnd() {
        return waits || queue.reserveEnd();
    }

    void releaseEnd() {
        if (!waits) {
            queue.releaseEnd();
        }
    }

    /**
     * Queues the event, or counts why it was not. Waits only for a durable sink, and no longer than a stall's bound; or
     * for any, where this is a lane that waits.
     */
    boolean offer(Event event) {
        if (waits) {
            return offerAtLast(event);
        } else if (closeBy != null) {
            queue.refuse(CLOSED);
            return false;
        }
        if (!queue.offer(event, true)) {
            LockSupport.unpark(thread);
            if (!queue.offer(event, false) && !(durable && offerWaiting(event))) {
                queue.refuse(QUEUE_FULL);
                return false;
            }
        }
        sweepIfFinished();
        return true;
    }

    /** Waits for room until it is interrupted or the lane closes. */
    private boolean offerAtLast(Event event) {
        while (closeBy == null && !Thread.currentThread().isInterrupted()) {
            if (queue.offer(event, false)) {
                sweepIfFinished();
                return true;
            }
            LockSupport.unpark(thread);
            LockSupport.parkNanos(NAP_NANOS);
        }
        queue.refuse(closeBy == null ? INTERRUPTED : CLOSED);
        return false;
    }

    /** One stall is one wait, however many threads wait and however many events: until half is free, nobody waits again. */
    private boolean offerWaiting(Event event) {
        long start = System.nanoTime() | 1; // never 0
        stalledSince.compareAndSet(NOT_STALLED, start);
        while (true) {
            long since = stalledSince.get();
            long waited = System.nanoTime() - (since == NOT_STALLED ? start : since);
            if (finished || waited > MAX_STALL_NANOS) {
                return false;
            }
            LockSupport.parkNanos(STALL_NAP_NANOS);
            if (queue.offer(event, false)) {
                return true;
            }
        }
    }

    /** Queues the end of a run that was reserved; for as long as anybody takes it, since its start was taken too. */
    void offerEnd(RunEnded event) {
        if (waits) {
            offerAtLast(event);
        } else {
            queue.offerEnd(event);
            sweepIfFinished();
        }
    }

    /** Counts what was queued by a thread that had not seen the close, when it was too late to take it. */
    private void sweepIfFinished() {
        if (finished) {
            synchronized (queue) {
                while (queue.poll() != null) {
                    tooLate.incrementAndGet();
                }
            }
        }
    }

    void refuse(String reason) {
        queue.refuse(reason);
    }

    /** Whether there is no need to wait for this sink before more is recorded. */
    boolean hasRoom() {
        return !durable || closeBy != null || queue.isBelowHalf();
    }

    /** Asks for a flush of all that was offered before; the answer is whether all of it has arrived. */
    CompletableFuture<Boolean> flush(Duration timeout) {
        FlushRequest request = new FlushRequest(System.nanoTime() + timeout.toNanos(), new CompletableFuture<>());
        flushes.add(request);
        LockSupport.unpark(thread);
        if (finished) {
            request.answer().complete(false);
        }
        return request.answer();
    }

    /** Refuses events from now on, and ends the thread once what is queued has been handed over and flushed. */
    void beginClose(Duration timeout) {
        if (closeBy == null) {
            sink.beginClose(timeout); // before the lane's thread can know
            closeBy = System.nanoTime() + timeout.toNanos();
            LockSupport.unpark(thread);
        }
    }

    /** Waits for the end that {@link #beginClose} has begun, also on an interrupted thread: what it records must arrive. */
    void awaitClosed(Duration timeout) {
        long by = System.nanoTime() + timeout.toNanos();
        boolean interrupted = false;
        while (thread.isAlive() && by - System.nanoTime() > 0) {
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(NAP_NANOS, by - System.nanoTime()));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Says in the log what had neither arrived nor been given up when the lane was closed. */
    void reportLeftBehind() {
        Ledger ledger = ledger();
        if (ledger.queued() > 0) {
            log.warn(
                    "left behind",
                    ledger.queued() + " of " + ledger.offered() + " events had not arrived at its close");
        } else if (!finished) {
            log.warn("left open", "it did not close in time");
        }
    }

    SinkStatus status() {
        return status(sink.status());
    }

    SinkStatus status(Health health) {
        return new SinkStatus(name, true, health.available(), health.detail(), ledger(), health.facts());
    }

    Ledger ledger() {
        // What came of events is read before how many there were: so no more came of them than there were.
        Map<String, Long> dropped = new HashMap<>();
        long failed = thrown.get();
        if (failed > 0) {
            dropped.put(SINK_ERROR, failed);
        }
        long late = tooLate.get();
        if (late > 0) {
            dropped.put(CLOSED, late);
        }
        Acknowledged taken = new Acknowledged(handled.get(), Map.of());
        Acknowledged acknowledged = sink.acknowledged().orElse(taken);
        acknowledged.dropped().forEach((reason, count) -> dropped.merge(reason, count, Long::sum));
        Map<String, Long> refused = queue.refused();
        refused.forEach((reason, count) -> dropped.merge(reason, count, Long::sum));
        long refusals = refused.values().stream().mapToLong(Long::longValue).sum();
        return Ledger.of(queue.accepted() + refusals, acknowledged.delivered(), dropped);
    }

    LedgerReported.Account account() {
        Ledger ledger = ledger();
        return new LedgerReported.Account(ledger.offered(), ledger.delivered(), ledger.dropped(), ledger.queued());
    }

    // ---- on the lane's thread

    private void work() {
        try {
            takeUntilClosed();
            if (drain()) { // what was offered by a thread that had not seen the close
                sink.batchEnd();
            }
            Long by = closeBy;
            sink.flush(remaining(by == null ? System.nanoTime() : by));
            sink.close();
        } finally {
            finished = true;
            sweepIfFinished();
            flushes.forEach(request -> request.answer().complete(false));
            reportAllLosses();
        }
    }

    private void takeUntilClosed() {
        long lastWork = System.nanoTime();
        while (true) {
            FlushRequest flush = flushes.poll(); // before draining: what was offered before it is then drained
            boolean closing = closeBy != null;
            boolean worked = drain();
            if (worked) {
                sink.batchEnd();
                reportLosses();
            }
            if (flush != null) {
                flush.answer().complete(sink.flush(remaining(flush.by())));
                worked = true;
            }
            long now = System.nanoTime();
            if (worked) {
                lastWork = now;
            } else if (closing) {
                break;
            }
            if (flushes.isEmpty() && closeBy == null) {
                LockSupport.parkNanos(now - lastWork > IDLE_AFTER_NANOS ? LONG_NAP_NANOS : NAP_NANOS);
            }
            Thread.interrupted(); // an interrupt is nobody's way to talk to this thread
        }
    }

    private boolean drain() {
        long end = queue.accepted();
        boolean any = false;
        while (queue.polled() < end) {
            Event event = queue.poll();
            if (event == null) {
                break;
            }
            any = true;
            (sink.deliver(event) ? handled : thrown).incrementAndGet();
            if (stalledSince.get() != NOT_STALLED && queue.isBelowHalf()) {
                stalledSince.set(NOT_STALLED);
            }
        }
        return any;
    }

    private void reportLosses() {
        Map<String, Long> losses = ledger().losses();
        if (!losses.equals(reported)) {
            losses.forEach((reason, count) -> {
                if (!count.equals(reported.get(reason))) {
                    log.warn("dropped:" + reason, count + " events dropped so far: " + reason);
                }
            });
            reported = Map.copyOf(losses);
        }
    }

    private void reportAllLosses() {
        Ledger ledger = ledger();
        if (ledger.lost() > 0) {
            log.say(ledger.lost() + " events dropped in all: " + ledger.losses());
        }
    }

    private static Duration remaining(long by) {
        return Duration.ofNanos(Math.max(0, by - System.nanoTime()));
    }

    private record FlushRequest(long by, CompletableFuture<Boolean> answer) {}
}
