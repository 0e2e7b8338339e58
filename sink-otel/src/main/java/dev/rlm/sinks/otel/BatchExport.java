package dev.rlm.sinks.otel;

import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Tally;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Sends items in batches from a thread of its own, one request under way at a time, and counts what arrived.
 *
 * <p>Its buffer is bounded. Where it is full the lane waits, for as long as the batches that go ahead of it arrive; and where
 * none does, for as long as the settings say. What then finds no room is given up and counted as {@code buffer_full}. Once a
 * close has begun it waits only where the settings say so, and the reason is {@code closed}.
 */
abstract class BatchExport<T extends Outgoing> {
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1); // a request that takes longer is told of
    private static final Duration FORCED = Duration.ofSeconds(30);
    private static final String BUFFER_FULL = "buffer_full";

    private final Delivery<T> delivery;
    private final Settings settings;
    private final Thread thread;

    // Guarded by this
    private final OutgoingQueue<T> buffer = new OutgoingQueue<>();
    private final OutgoingQueue<T> behind = new OutgoingQueue<>();
    private long waitingSince;
    private long arrived; // batches
    private long stalledNanos; // for how long the lane has waited since one last arrived
    private boolean urgent;
    private boolean sending;
    private boolean ending;
    private boolean closed;
    private boolean failedSinceFlush;

    BatchExport(String name, Delivery<T> delivery, Settings settings) {
        this.delivery = delivery;
        this.settings = settings;
        thread = new Thread(this::work, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Takes an item, or counts it as lost. On the lane only. */
    final synchronized void add(T item) {
        boolean room = awaitRoom();
        if (closed || !room) {
            delivery.giveUp(
                    List.of(item), closed || isHurried() ? Failure.closed().reason() : BUFFER_FULL);
            return;
        }
        noteWaiting();
        buffer.add(item);
        if (buffer.size() == 1 || hasBatch()) {
            notifyAll();
        }
    }

    /** What goes out after the buffer, and for which the lane need not wait. Under the monitor. */
    final OutgoingQueue<T> behind() {
        return behind;
    }

    /** To be called before there is more to be sent. Under the monitor. */
    final void noteWaiting() {
        if (isIdle()) {
            waitingSince = System.nanoTime();
        }
    }

    /** Whether nothing is to be sent. */
    private boolean isIdle() {
        return buffer.isEmpty() && behind.isEmpty();
    }

    /** Whether a request could be filled. */
    private boolean hasBatch() {
        return buffer.fills(1, settings) || behind.fills(1, settings);
    }

    /** Whether it was shut down. Under the monitor. */
    final boolean isClosed() {
        return closed;
    }

    /** Waits until it is so, or all is closed. Under the monitor. */
    final void awaitUnlessClosed(BooleanSupplier condition) {
        boolean interrupted = false;
        while (!condition.getAsBoolean() && !closed) {
            interrupted |= !pause(0);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean awaitRoom() {
        boolean interrupted = false;
        while (isFull() && !closed && !isHurried()) {
            long left = settings.longestStall().toNanos() - stalledNanos;
            if (left <= 0) {
                notePending();
                break;
            }
            long before = arrived;
            long start = System.nanoTime();
            interrupted |= !pause(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            stalledNanos = arrived == before ? stalledNanos + System.nanoTime() - start : 0;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !isFull();
    }

    /** Whether the lane is to be done soon: it has more to hand over than can be sent by the end. */
    private boolean isHurried() {
        return ending && !settings.waitsAtClose();
    }

    private boolean isFull() {
        return buffer.fills(settings.buffered(), settings);
    }

    /** Begins to send all there is. */
    final synchronized void hasten() {
        urgent = !isIdle();
        notifyAll();
    }

    /** Sends all there is. Whether all that came since the last flush arrived before {@link System#nanoTime} is {@code by}. */
    final synchronized boolean flush(long by) {
        long before = arrived;
        long start = System.nanoTime();
        hasten();
        while (!isIdle() || sending) {
            long left = TimeUnit.NANOSECONDS.toMillis(by - System.nanoTime());
            boolean interrupted = left > 0 && !pause(left);
            if (left <= 0 || interrupted) {
                if (arrived == 0 || (arrived == before && System.nanoTime() - start > SLOW_NANOS)) {
                    notePending();
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                return false;
            }
        }
        boolean well = !failedSinceFlush;
        failedSinceFlush = false;
        return well;
    }

    /** Counts what is not sent by choice. */
    final void leaveOut(OutgoingQueue<T> items) {
        delivery.leaveOut(items.all());
    }

    private void notePending() {
        if (tally().failure() == null) {
            tally().failing(Failure.pending());
        }
    }

    /** What came of the items. */
    final Tally tally() {
        return delivery.tally();
    }

    /** From then on, in terms of {@link System#nanoTime}, nothing is sent any more, and all there is is given up. */
    final void endBy(long by) {
        delivery.endBy(by);
        synchronized (this) {
            ending = true;
            notifyAll();
        }
    }

    private void work() {
        List<T> batch = next();
        while (!batch.isEmpty()) {
            done(send(batch));
            batch = next();
        }
    }

    /** The next batch when it is due; an empty one when there will be none. */
    private synchronized List<T> next() {
        while (!isDue()) {
            if (closed) {
                return List.of();
            }
            long age = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - waitingSince);
            pause(isIdle() ? 0 : Math.max(1, settings.delay().toMillis() - age));
        }
        List<T> batch = new ArrayList<>();
        long bytes = buffer.moveTo(batch, 0, settings);
        behind.moveTo(batch, bytes, settings);
        waitingSince = System.nanoTime();
        sending = true;
        notifyAll(); // there is room again
        return batch;
    }

    private boolean isDue() {
        return !isIdle()
                && (urgent
                        || hasBatch()
                        || System.nanoTime() - waitingSince >= settings.delay().toNanos());
    }

    @SuppressWarnings("CatchThrowable") // this thread goes on, whatever happens
    private boolean send(List<T> batch) {
        try {
            return delivery.send(batch);
        } catch (Throwable e) {
            tally().failing(Failure.of(e));
            return false;
        }
    }

    private synchronized void done(boolean well) {
        if (well) {
            arrived++;
            stalledNanos = 0;
        } else {
            failedSinceFlush = true;
        }
        sending = false;
        urgent &= !isIdle();
        notifyAll();
    }

    /** Waits to be notified, for so many milliseconds at the most (0: for ever); {@code false} if interrupted. */
    @SuppressWarnings("WaitNotInLoop") // the callers loop
    private boolean pause(long millis) {
        try {
            wait(millis);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    /** Puts {@link #behind} what else there may be, before all is given up. Under the monitor. */
    void closing() {}

    /** Gives up what is left and lets go of a request that is under way; does not wait for the thread's end. */
    public final CompletableResultCode shutdown() {
        synchronized (this) {
            closed = true;
            closing();
            buffer.takeAll(behind);
            delivery.giveUp(buffer.all(), Failure.closed().reason());
            buffer.clear();
            notifyAll();
        }
        return delivery.shutdown();
    }

    /** Sends all there is, within half a minute. */
    public final CompletableResultCode forceFlush() {
        return flush(System.nanoTime() + FORCED.toNanos())
                ? CompletableResultCode.ofSuccess()
                : CompletableResultCode.ofFailure();
    }

    /**
     * How items are sent.
     *
     * @param delay how long an item waits for company
     * @param maxBatch how many items a request has at most
     * @param maxBytes how many bytes a request of more than one item has at most: receivers refuse over 4 MiB
     * @param buffered for how many full requests there is room while one is under way
     * @param longestStall how long the lane waits in all for room while nothing arrives
     * @param waitsAtClose whether it still waits for room when a close has begun
     */
    record Settings(
            Duration delay, int maxBatch, long maxBytes, int buffered, Duration longestStall, boolean waitsAtClose) {}
}
