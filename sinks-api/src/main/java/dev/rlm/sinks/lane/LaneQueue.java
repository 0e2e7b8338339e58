package dev.rlm.sinks.lane;

import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jctools.queues.atomic.MpscAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * A queue bounded in events and in text, which counts all that it is offered. Many threads offer, one takes.
 *
 * <p>Room for the ends of runs lies above the bound and is reserved when they start: whoever has seen a run's start will
 * see its end.
 */
final class LaneQueue {
    private static final int MAX_EVENTS = 1 << 16;
    private static final int MAX_OPEN_RUNS = 1 << 16;
    private static final long MAX_WEIGHT = 64L << 20;
    private static final int MAX_EVENTS_WAITING = 1 << 12;
    private static final long MAX_WEIGHT_WAITING = 4L << 20;

    private final int maxEvents;
    private final long maxWeight;
    private final MpscAtomicArrayQueue<Event> events; // the variant without sun.misc.Unsafe, of which newer Java warns
    private final AtomicInteger reservedEnds = new AtomicInteger();
    private final AtomicLong weight = new AtomicLong();
    private final Map<String, LongAdder> refused = new ConcurrentHashMap<>();

    private LaneQueue(int maxEvents, long maxWeight, int maxOpenRuns) {
        this.maxEvents = maxEvents;
        this.maxWeight = maxWeight;
        this.events = new MpscAtomicArrayQueue<>(maxEvents + maxOpenRuns);
    }

    /** A queue that must last while a sink catches its breath: who offers cannot wait. */
    static LaneQueue large() {
        return new LaneQueue(MAX_EVENTS, MAX_WEIGHT, MAX_OPEN_RUNS);
    }

    /** A queue for those who wait where it is full; nothing is reserved in it. */
    static LaneQueue small() {
        return new LaneQueue(MAX_EVENTS_WAITING, MAX_WEIGHT_WAITING, 0);
    }

    /** Whether the event was taken; below half of the bound only, if so asked. Counts nothing if it was not. */
    boolean offer(Event event, boolean belowHalf) {
        long added = Weight.of(event);
        if (added > 0 && weight.getAndAdd(added) >= maxWeight) {
            weight.addAndGet(-added);
            return false;
        }
        boolean taken = events.offerIfBelowThreshold(event, belowHalf ? maxEvents / 2 : maxEvents);
        if (!taken && added > 0) {
            weight.addAndGet(-added);
        }
        return taken;
    }

    /** Whether there is room for one more end; it is then kept free until that end is taken out or released. */
    boolean reserveEnd() {
        if (reservedEnds.incrementAndGet() <= MAX_OPEN_RUNS) {
            return true;
        }
        releaseEnd();
        return false;
    }

    void releaseEnd() {
        reservedEnds.decrementAndGet();
    }

    /** Takes an end for which room was reserved. */
    void offerEnd(RunEnded end) {
        weight.addAndGet(Weight.of(end));
        if (!events.offer(end)) {
            throw new IllegalStateException("no room was reserved");
        }
    }

    /** Counts an event that is not taken. */
    void refuse(String reason) {
        refused.computeIfAbsent(reason, r -> new LongAdder()).increment();
    }

    @Nullable
    Event poll() {
        Event event = events.poll();
        if (event != null) {
            long taken = Weight.of(event);
            if (taken > 0) {
                weight.addAndGet(-taken);
            }
            if (event instanceof RunEnded) {
                releaseEnd(); // where nobody reserves nobody counts either
            }
        }
        return event;
    }

    boolean isBelowHalf() {
        return events.size() < maxEvents / 2 && weight.get() < maxWeight / 2;
    }

    /** How many events were ever taken in, also those that have been taken out. */
    long accepted() {
        return events.currentProducerIndex();
    }

    /** How many events were ever taken out. */
    long polled() {
        return events.currentConsumerIndex();
    }

    /** How many events were refused, by reason. */
    Map<String, Long> refused() {
        Map<String, Long> counts = new HashMap<>();
        refused.forEach((reason, count) -> counts.put(reason, count.sum()));
        return counts;
    }
}
