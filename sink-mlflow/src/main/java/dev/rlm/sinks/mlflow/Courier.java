package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.mlflow.rest.Pauses;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Failure.Remedy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Brings items to the server in batches, by threads of its own, one request under way at a time for each. What the server may
 * take later is brought again, for up to two minutes; what it does not take together, in halves.
 *
 * <p>{@link #offer} never waits. All methods may be called on any thread.
 */
final class Courier<T> {
    private static final Duration OUTAGE = Duration.ofMinutes(2);
    private static final long BEAT_MILLIS = 500;

    private final TrackingServer server;
    private final Load<T> load;
    private final int most;
    private final long delayNanos;
    private final List<Thread> hands;

    // Guarded by this
    private final Deque<T> queue = new ArrayDeque<>();
    private long waitingSince;
    private boolean urgent;
    private int underWay; // batches
    private boolean closed;
    private boolean failedSinceFlush;

    /**
     * @param hands how many requests may be under way at once
     * @param most how many items a batch has at most
     * @param delay how long an item waits for company
     */
    Courier(String name, TrackingServer server, Load<T> load, int hands, int most, Duration delay) {
        this.server = server;
        this.load = load;
        this.most = most;
        delayNanos = delay.toNanos();
        this.hands = Stream.generate(() -> new Thread(this::work, "rlm-mlflow-" + name))
                .limit(hands)
                .toList();
    }

    void start() {
        hands.forEach(hand -> {
            hand.setDaemon(true);
            hand.start();
        });
    }

    /** Takes the item, unless all is closed: whether it has. */
    synchronized boolean offer(T item) {
        if (closed) {
            return false;
        }
        if (queue.isEmpty()) {
            waitingSince = System.nanoTime();
        }
        queue.add(item);
        notifyAll();
        return true;
    }

    /** Brings all there is. Whether all since the last flush has been taken before {@link System#nanoTime} is {@code by}. */
    synchronized boolean flush(long by) {
        boolean interrupted = false;
        while ((!queue.isEmpty() || underWay > 0) && System.nanoTime() - by < 0 && !interrupted) {
            urgent = true;
            notifyAll();
            interrupted = !pause(TimeUnit.NANOSECONDS.toMillis(by - System.nanoTime()));
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        boolean well = queue.isEmpty() && underWay == 0 && !failedSinceFlush;
        failedSinceFlush = false;
        return well;
    }

    /** Gives up what is left, and waits until {@code by} for a request that is under way, which the server's end ends. */
    void close(long by) {
        List<T> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(queue);
            queue.clear();
            notifyAll();
        }
        if (!left.isEmpty()) {
            load.done(left, Failure.closed());
        }
        try {
            for (Thread hand : hands) {
                hand.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(by - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void work() {
        List<T> batch = next();
        while (!batch.isEmpty()) {
            done(bringAll(batch));
            batch = next();
        }
    }

    /** The next batch when it is due; an empty one when there will be none. */
    private List<T> next() {
        while (true) {
            load.beat();
            synchronized (this) {
                if (isDue()) {
                    List<T> batch = new ArrayList<>();
                    while (!queue.isEmpty() && batch.size() < most) {
                        batch.add(queue.remove());
                    }
                    waitingSince = System.nanoTime();
                    underWay++;
                    return batch;
                } else if (closed) {
                    return List.of();
                }
                pause(queue.isEmpty() ? BEAT_MILLIS : Math.min(BEAT_MILLIS, millisToWait()));
            }
        }
    }

    private boolean isDue() {
        return !queue.isEmpty() && (urgent || queue.size() >= most || System.nanoTime() - waitingSince >= delayNanos);
    }

    private long millisToWait() {
        return TimeUnit.NANOSECONDS.toMillis(delayNanos - (System.nanoTime() - waitingSince)) + 1;
    }

    private synchronized void done(boolean well) {
        failedSinceFlush |= !well;
        underWay--;
        urgent &= !queue.isEmpty();
        notifyAll();
    }

    /** Brings the batch, in halves where that helps; whether all of it was taken. */
    private boolean bringAll(List<T> batch) {
        long by = System.nanoTime() + OUTAGE.toNanos();
        boolean well = true;
        Deque<List<T>> parts = new ArrayDeque<>(List.of(batch));
        while (!parts.isEmpty()) {
            List<T> part = parts.pop();
            Failure failure = bring(part, by);
            if (failure != null && failure.remedy() == Remedy.SPLIT && part.size() > 1) {
                parts.push(part.subList(part.size() / 2, part.size()));
                parts.push(part.subList(0, part.size() / 2));
            } else {
                well &= failure == null;
                load.done(part, failure);
            }
        }
        return well;
    }

    /** Brings the items, again for as long as that may help. */
    private @Nullable Failure bring(List<T> items, long by) {
        Pauses pauses = new Pauses();
        while (true) {
            Failure failure = bringOnce(items);
            if (failure == null || failure.remedy() != Remedy.RETRY) {
                return failure;
            }
            load.failing(failure);
            if (System.nanoTime() - by >= 0 || !server.pause(pauses.next())) {
                return failure;
            }
        }
    }

    @SuppressWarnings("CatchThrowable") // this thread goes on, whatever happens
    private @Nullable Failure bringOnce(List<T> items) {
        try {
            return load.bring(items);
        } catch (Throwable e) {
            return Failure.of(e);
        }
    }

    /** Waits to be notified, for so many milliseconds at the most; {@code false} if interrupted. Under the monitor. */
    @SuppressWarnings("WaitNotInLoop") // the callers loop
    private boolean pause(long millis) {
        try {
            wait(Math.max(1, millis));
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** What is to be brought, and to whom it matters. Called on the courier's threads, but for {@link #done} at the close. */
    interface Load<T> {
        /** Makes the request; why the server does not take the items, {@code null} where it does. */
        @Nullable
        Failure bring(List<T> items);

        /** They are not taken now, and will be brought again. */
        void failing(Failure failure);

        /** What came of them; {@code null} where they were taken. */
        void done(List<T> items, @Nullable Failure failure);

        /** Called twice a second or oftener, to bring more. */
        default void beat() {}
    }
}
