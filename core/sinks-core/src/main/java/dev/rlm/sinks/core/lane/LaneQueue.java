package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.atomic.MpscAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Queue of a lane: events, bounded in number and in bytes, with counts of all that is offered; and requests to the lane's thread
 * beside them, which are flushes that somebody waits for, and in the end its close. Many threads offer, one takes.
 *
 * <p>Room for the ends of runs lies above the bound and is reserved when they start: a sink that has seen a run's start
 * will see its end, unless the ends alone hold as many bytes as the bound allows.
 */
final class LaneQueue {
    private static final int EVENT = 256; // bytes of an event beside what it refers to

    private static final Duration MAX_RESERVE = Duration.ofMillis(250);

    private final int maxEvents;
    private final long maxWeight;
    private final int maxOpenRuns;
    private final MpscAtomicArrayQueue<Event> events; // the variant without sun.misc.Unsafe, of which newer Java warns
    private final AtomicInteger reservedEnds = new AtomicInteger();
    private final AtomicLong weight = new AtomicLong();
    private final ReasonCounts refused = new ReasonCounts();
    private final Queue<Flush> flushes = new ConcurrentLinkedQueue<>();
    private boolean closeClaimed; // guarded by this
    private volatile @Nullable Long closeBy; // nanoTime; set once

    LaneQueue(QueueBounds bounds) {
        maxEvents = bounds.events();
        maxWeight = bounds.bytes();
        maxOpenRuns = bounds.openRuns();
        events = new MpscAtomicArrayQueue<>(maxEvents + maxOpenRuns);
    }

    /** Returns whether the event of that weight was taken; below half of the bound only, if so asked. Counts nothing if not. */
    boolean offer(Event event, long added, boolean belowHalf) {
        long bound = event instanceof ArtifactSaved ? maxWeight / 2 : maxWeight; // files leave room for others
        if (added > 0 && weight.getAndAdd(added) >= bound) {
            weight.addAndGet(-added);
            return false;
        }
        boolean taken = events.offerIfBelowThreshold(event, belowHalf ? maxEvents / 2 : maxEvents);
        if (!taken && added > 0) {
            weight.addAndGet(-added);
        }
        return taken;
    }

    /** Returns whether there is room for one more end; it is then kept free until that end is taken out or released. */
    boolean reserveEnd() {
        if (reservedEnds.incrementAndGet() <= maxOpenRuns) {
            return true;
        }
        releaseEnd();
        return false;
    }

    void releaseEnd() {
        reservedEnds.decrementAndGet();
    }

    /** Returns whether an end for which room was reserved was taken; if not, its room is released. Counts nothing then. */
    boolean offerEnd(RunEnded end) {
        long added = SizeEstimator.of(end);
        if (weight.getAndAdd(added) >= 2 * maxWeight || !events.offer(end)) {
            weight.addAndGet(-added);
            releaseEnd();
            return false;
        }
        return true;
    }

    /** Counts an event that is not taken. */
    void refuse(String reason) {
        refused.add(reason);
    }

    /** The next event; never called by two threads at a time. */
    @Nullable
    Event poll() {
        Event event = events.peek();
        if (event != null) {
            long taken = SizeEstimator.of(event); // first: should memory be short, nothing has happened yet
            events.poll();
            if (taken > 0) {
                weight.addAndGet(-taken);
            }
            if (event instanceof RunEnded) {
                releaseEnd(); // without reservations the count is never read
            }
        }
        return event;
    }

    /** Returns whether there is nothing for the lane's thread to do. */
    boolean isIdle() {
        return events.isEmpty() && isUnasked();
    }

    /** About how many bytes are held by what is queued. */
    long retained() {
        return weight.get() + (long) EVENT * events.size();
    }

    boolean isBelowHalf() {
        return events.size() < maxEvents / 2 && weight.get() < maxWeight / 2;
    }

    /** Returns the number of all events that were ever queued, including those taken out. */
    long accepted() {
        return events.currentProducerIndex();
    }

    /** Returns the number of all events that were ever taken out. */
    long polled() {
        return events.currentConsumerIndex();
    }

    Map<String, Long> refused() {
        return refused.counts();
    }

    // ---- requests

    /** Returns whether nothing is asked for beside events. */
    boolean isUnasked() {
        return flushes.isEmpty() && closeBy == null;
    }

    /** Asks for a flush that is over by that time. */
    CompletableFuture<Boolean> flush(long by) {
        Flush flush = new Flush(by, new CompletableFuture<>());
        flushes.add(flush);
        return flush.answer();
    }

    @Nullable
    Flush pollFlush() {
        return flushes.poll();
    }

    /** Answers {@code false} to all flushes that wait. */
    void refuseFlushes() {
        for (Flush flush = flushes.poll(); flush != null; flush = flushes.poll()) {
            flush.answer().complete(false);
        }
    }

    /** Returns whether who asks is the first, and so the one to begin the close. */
    synchronized boolean claimClose() {
        boolean first = !closeClaimed;
        closeClaimed = true;
        return first;
    }

    /** Returns the part of a close's time that its sink gets: it has to be over a little before who waits for it goes on. */
    static Duration share(Duration timeout) {
        Duration reserve = timeout.dividedBy(10);
        return timeout.minus(reserve.compareTo(MAX_RESERVE) < 0 ? reserve : MAX_RESERVE);
    }

    void close(Duration timeout) {
        closeBy = System.nanoTime() + timeout.toNanos();
    }

    boolean isClosing() {
        return closeBy != null;
    }

    /** Returns the time left for the close. */
    Duration closeTime() {
        Long by = closeBy;
        return by == null ? Duration.ZERO : until(by);
    }

    /** Returns the time until that nanoTime; never less than nothing. */
    static Duration until(long end) {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /**
     * A flush to be done.
     *
     * @param by until when, as {@link System#nanoTime} tells
     */
    record Flush(long by, CompletableFuture<Boolean> answer) {}
}
