package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.otel.otlp.Failure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be sent: 100,000 points at the most. The lane puts in, one thread takes out, when a thousand points are there
 * or the first has waited for a second.
 *
 * <p>Where it is full the lane waits for {@link Room}; where there will be none nothing is taken until there is.
 */
final class Outbox {
    private static final int MAX_WEIGHT = 100_000;
    private static final int BATCH = 1_000;
    private static final long DELAY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Room room;

    // Guarded by this
    private final Deque<Parcel> parcels = new ArrayDeque<>();
    private int weight;
    private int weightUnderWay;
    private long waitingSince;
    private boolean urgent;
    private boolean sending;
    private boolean closed;

    /** @param longestStall how long the lane waits in all for room while nothing arrives */
    Outbox(Duration longestStall) {
        room = new Room(MAX_WEIGHT, longestStall);
    }

    /** Takes the parcel: why there is no room for it, {@code null} where there is. On the lane only. */
    @Nullable
    String add(Parcel parcel) {
        String refusal = room.take(parcel.weight());
        return refusal != null || put(parcel) ? refusal : Failure.closed().reason();
    }

    private synchronized boolean put(Parcel parcel) {
        if (closed) {
            return false;
        } else if (parcels.isEmpty()) {
            waitingSince = System.nanoTime();
        }
        parcels.add(parcel);
        weight += parcel.weight();
        if (parcels.size() == 1 || weight >= BATCH) {
            notifyAll();
        }
        return true;
    }

    /** The next parcels to be sent, when they are due; {@code null} when there will be none. */
    synchronized @Nullable List<Parcel> next() {
        while (!isDue()) {
            if (closed && parcels.isEmpty()) {
                return null;
            }
            long left = waitingSince + DELAY_NANOS - System.nanoTime();
            pause(parcels.isEmpty() ? DELAY_NANOS : Math.max(1, left));
        }
        List<Parcel> batch = new ArrayList<>();
        int points = 0;
        while (!parcels.isEmpty() && (points == 0 || points + parcels.element().weight() <= BATCH)) {
            points += parcels.element().weight();
            batch.add(parcels.remove());
        }
        waitingSince = System.nanoTime();
        weight -= points;
        weightUnderWay = points;
        sending = true;
        return batch;
    }

    private boolean isDue() {
        return !parcels.isEmpty()
                && (urgent || closed || weight >= BATCH || System.nanoTime() - waitingSince >= DELAY_NANOS);
    }

    /** The parcels that were taken last have been dealt with; whether they have arrived. */
    synchronized void done(boolean well) {
        room.free(weightUnderWay, well);
        sending = false;
        urgent &= !parcels.isEmpty();
        notifyAll();
    }

    /** Has all sent that there is, and waits for it until then, or until there is no hope; whether all is gone. */
    synchronized boolean drain(long by, Hope hope) {
        urgent = !parcels.isEmpty();
        notifyAll();
        while (!parcels.isEmpty() || sending) {
            long left = by - System.nanoTime();
            if (left <= 0 || !hope.isLeft()) {
                return false;
            } else if (!pause(left)) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    /** Who waits looks again. */
    synchronized void wake() {
        notifyAll();
    }

    /** From now on the lane does not wait for room. */
    void beginClose() {
        room.beginClose();
    }

    /** Takes nothing any more, and has sent what there is. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** Waits so long for the close; whether it came. */
    synchronized boolean awaitClose(Duration time) {
        long by = System.nanoTime() + time.toNanos();
        while (!closed && System.nanoTime() - by < 0) {
            pause(by - System.nanoTime());
        }
        return closed;
    }

    /** How many points wait, about. */
    synchronized int weight() {
        return weight;
    }

    @SuppressWarnings("WaitNotInLoop") // the callers loop
    private boolean pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, nanos));
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Whether waiting may help. */
    @FunctionalInterface
    interface Hope {
        boolean isLeft();
    }
}
