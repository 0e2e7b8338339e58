package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Producer side of a lane's queue. Any thread offers events here, without a lock and without waking the lane's thread, unless
 * that rests while the queue is half full or has gone to sleep for long. While no thread takes events, the queue takes and
 * counts them itself.
 */
final class EventQueue {
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SLEEP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long STALL_NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long NOT_STALLED = 0;

    private final LaneQueue queue;
    private final LaneCounts counts;
    private final boolean waits;
    private final boolean durable;
    private final LongSupplier nanoTime;
    private final AtomicLong stalledSince = new AtomicLong(NOT_STALLED);
    private final AtomicReference<@Nullable ConsumerState> absence = new AtomicReference<>();
    private volatile @Nullable String refusal; // why events are not even queued
    private volatile @Nullable Thread taker;
    private volatile Supplier<@Nullable GuardedSink> sink = () -> null;
    private volatile boolean resting; // the taker, for a moment; a hint

    /**
     * A queue that is open.
     *
     * @param waits whether those who offer wait for room, for as long as it takes, rather than have an event dropped
     */
    EventQueue(LaneQueue queue, LaneCounts counts, boolean waits, boolean durable, LongSupplier nanoTime) {
        this.queue = queue;
        this.counts = counts;
        this.waits = waits;
        this.durable = durable;
        this.nanoTime = nanoTime;
    }

    /** Returns a queue of a lane that is closed: it drops and counts all events. */
    static EventQueue closed(LaneQueue queue, LaneCounts counts) {
        EventQueue closed = new EventQueue(queue, counts, false, false, () -> 0);
        closed.shut(Reasons.CLOSED);
        closed.desert(ConsumerState.CLOSED);
        return closed;
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
     * for any, where this is a lane that waits. The lane's own thread never waits: it would wait for itself.
     */
    boolean offer(Event event) {
        return offer(event, SizeEstimator.of(event));
    }

    /** Queues an event of a known {@linkplain SizeEstimator size}, as {@link #offer(Event)} does. */
    boolean offer(Event event, long weight) {
        String refused = refusal;
        if (refused != null) {
            queue.refuse(refused);
            return false;
        } else if (waits) {
            return offerAtLast(event, weight);
        }
        if (!queue.offer(event, weight, true)) {
            wakeIfResting();
            if (!queue.offer(event, weight, false) && !(durable && offerWaiting(event, weight))) {
                queue.refuse(Reasons.QUEUE_FULL);
                return false;
            }
        }
        if (absence.get() != null) {
            attend();
        }
        return true;
    }

    /** Waits for room until it is interrupted or the lane takes no more. */
    private boolean offerAtLast(Event event, long weight) {
        while (!queue.offer(event, weight, false)) {
            String refused = refusal;
            String failed = refused != null
                    ? refused
                    : isOwnThread()
                            ? Reasons.QUEUE_FULL
                            : Thread.currentThread().isInterrupted() ? Reasons.INTERRUPTED : null;
            if (failed != null) {
                queue.refuse(failed);
                return false;
            }
            wakeIfResting();
            LockSupport.parkNanos(NAP_NANOS);
        }
        attend();
        return true;
    }

    /**
     * Waits for room, for up to 100 ms from the start of a stall. All threads share one stall, until half of the queue
     * is free.
     */
    private boolean offerWaiting(Event event, long weight) {
        if (isOwnThread()) {
            return false;
        }
        long start = nanoTime.getAsLong() | 1; // never 0
        stalledSince.compareAndSet(NOT_STALLED, start);
        while (true) {
            long since = stalledSince.get();
            long waited = nanoTime.getAsLong() - (since == NOT_STALLED ? start : since);
            if (refusal != null || waited > MAX_STALL_NANOS) {
                return false;
            }
            LockSupport.parkNanos(STALL_NAP_NANOS);
            if (queue.offer(event, weight, false)) {
                return true;
            }
        }
    }

    /** Queues the end of a run, in the room that was reserved for it, if any. */
    void offerEnd(RunEnded event) {
        if (waits) {
            offer(event);
        } else if (queue.offerEnd(event)) {
            attend();
        } else {
            queue.refuse(Reasons.QUEUE_FULL);
        }
    }

    /** Wakes a sleeping consumer for the event that was just queued, or drops and counts it if the consumer is gone. */
    private void attend() {
        ConsumerState now = absence.get();
        if (now == ConsumerState.ASLEEP && absence.compareAndSet(ConsumerState.ASLEEP, null)) {
            wake();
        } else if (now != null && now.isLasting()) {
            sweep();
        }
    }

    private synchronized void sweep() {
        ConsumerState now = absence.get();
        if (now != null && now.isLasting()) {
            while (queue.poll() != null) {
                counts.drop(now.reason());
            }
        }
    }

    void wake() {
        LockSupport.unpark(taker);
    }

    /** Spares who offers to a busy lane the cost of waking it. Where the two just miss each other, the rest is short. */
    private void wakeIfResting() {
        if (resting) {
            resting = false; // one is enough
            wake();
        }
    }

    boolean isOwnThread() {
        return Thread.currentThread() == taker;
    }

    /** The sink that takes the events, unless it is out of service. */
    @Nullable
    GuardedSink sink() {
        return sink.get();
    }

    boolean isDurable() {
        return durable;
    }

    /** Returns the reason why events are refused; {@code null} while they are queued. */
    @Nullable
    String refusal() {
        return refusal;
    }

    /** Returns whether the consumer is gone, so that queued events are dropped. */
    boolean isDeserted() {
        ConsumerState now = absence.get();
        return now != null && now.isLasting();
    }

    /** Returns whether there is no need to wait for this lane before more is recorded; wakes it where there is. */
    boolean hasRoom() {
        boolean room = !durable || refusal != null || queue.isBelowHalf();
        if (!room) {
            wakeIfResting();
        }
        return room;
    }

    /** Counts an event that is not even offered. */
    void refuse(String reason) {
        queue.refuse(reason);
    }

    // ---- for who supervises

    /** Says which sink the events are for. */
    void servedBy(Supplier<@Nullable GuardedSink> value) {
        sink = value;
    }

    /** Says which thread takes the events from now on. */
    void takenBy(Thread thread) {
        taker = thread;
    }

    /** Refuses events for that reason. */
    void shut(String reason) {
        refusal = reason;
    }

    /** Admits events again. */
    void open() {
        refusal = null;
    }

    /** Notes that the consumer is gone: all events in the queue, and all that come, are dropped for that reason. */
    void desert(ConsumerState why) {
        synchronized (this) {
            absence.set(why);
        }
        sweep();
    }

    /** Notes that a consumer takes events again. */
    synchronized void comeBack() {
        absence.set(null);
    }

    // ---- on the lane's thread

    /** The next event, if there is one. */
    @Nullable
    Event take() {
        Event event = queue.poll();
        if (stalledSince.get() != NOT_STALLED && queue.isBelowHalf()) {
            stalledSince.set(NOT_STALLED);
        }
        return event;
    }

    /** Rests for that long, or until half of the queue is full or something else is to be done. */
    void rest(long nanos) {
        resting = true;
        LockSupport.parkNanos(this, nanos);
        resting = false;
    }

    /** Sleeps for a second, unless there is something to do: then the first that offers an event wakes it. */
    void sleep() {
        absence.compareAndSet(null, ConsumerState.ASLEEP);
        if (queue.isIdle()) {
            LockSupport.parkNanos(this, SLEEP_NANOS);
        }
        absence.compareAndSet(ConsumerState.ASLEEP, null);
    }
}
