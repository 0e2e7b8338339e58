package dev.rlm.sinks.otel;

import dev.rlm.sinks.otel.otlp.Failure;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Sends ended spans from a thread of its own, one request under way at a time, and counts what arrived.
 *
 * <p>Its buffer is small and drops nothing: where it is full the lane waits, so that the lane's queue is the only place
 * where events can be lost, and there they are counted.
 */
final class SpanExport implements SpanProcessor {
    private static final int BUFFERED_BATCHES = 4;
    private static final Duration FORCED = Duration.ofSeconds(30);

    private final SpanDelivery delivery;
    private final Settings settings;
    private final Thread thread = new Thread(this::work, "rlm-otel-export");
    private final Deque<EndedSpan> buffer = new ArrayDeque<>();
    private int covering; // on the lane only: events that the span ended next stands for

    // Guarded by this
    private long bufferedBytes;
    private long waitingSince;
    private boolean urgent;
    private boolean sending;
    private boolean closed;
    private boolean failedSinceFlush;

    SpanExport(SpanDelivery delivery, Settings settings) {
        this.delivery = delivery;
        this.settings = settings;
        thread.setDaemon(true);
        thread.start();
    }

    /** Says how many events the span that is ended next stands for. On the lane only. */
    void covering(int events) {
        covering = events;
    }

    @Override
    public void onEnd(ReadableSpan span) {
        if (!span.getSpanContext().isSampled()) {
            return; // recorded and not to be sent; its events have been counted
        }
        EndedSpan ended = EndedSpan.of(span.toSpanData(), covering);
        synchronized (this) {
            awaitRoom();
            if (closed) {
                delivery.giveUp(List.of(ended));
                return;
            }
            if (buffer.isEmpty()) {
                waitingSince = System.nanoTime();
            }
            buffer.add(ended);
            bufferedBytes += ended.bytes();
            if (buffer.size() == 1 || hasBatches(1)) {
                notifyAll();
            }
        }
    }

    private void awaitRoom() {
        boolean interrupted = false;
        while (hasBatches(BUFFERED_BATCHES) && !closed) {
            interrupted |= !pause(0);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether that many requests could be filled. */
    private boolean hasBatches(int batches) {
        return buffer.size() >= settings.maxBatch() * batches || bufferedBytes >= settings.maxBytes() * batches;
    }

    /** Begins to send all there is. */
    synchronized void hasten() {
        urgent = !buffer.isEmpty();
        notifyAll();
    }

    /** Sends all there is. Whether all that came since the last flush arrived before {@link System#nanoTime} is {@code by}. */
    synchronized boolean flush(long by) {
        hasten();
        while (!buffer.isEmpty() || sending) {
            long left = TimeUnit.NANOSECONDS.toMillis(by - System.nanoTime());
            boolean interrupted = left > 0 && !pause(left);
            if (left <= 0 || interrupted) {
                notePending();
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                return false;
            }
        }
        boolean arrived = !failedSinceFlush;
        failedSinceFlush = false;
        return arrived;
    }

    private void notePending() {
        if (tally().failure() == null) {
            tally().failing(Failure.pending());
        }
    }

    /** What came of the spans. */
    Tally tally() {
        return delivery.tally();
    }

    /** From then on, in terms of {@link System#nanoTime}, nothing is sent any more, and all there is is given up. */
    void endBy(long by) {
        delivery.endBy(by);
    }

    private void work() {
        List<EndedSpan> batch = next();
        while (!batch.isEmpty()) {
            done(send(batch));
            batch = next();
        }
    }

    /** The next batch when it is due; an empty one when there will be none. */
    private synchronized List<EndedSpan> next() {
        while (!isDue()) {
            if (closed) {
                return List.of();
            }
            long age = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - waitingSince);
            pause(buffer.isEmpty() ? 0 : Math.max(1, settings.delay().toMillis() - age));
        }
        List<EndedSpan> batch = new ArrayList<>();
        long bytes = 0;
        do {
            EndedSpan ended = buffer.remove();
            bytes += ended.bytes();
            batch.add(ended);
        } while (!buffer.isEmpty()
                && batch.size() < settings.maxBatch()
                && bytes + buffer.element().bytes() <= settings.maxBytes());
        bufferedBytes -= bytes;
        waitingSince = System.nanoTime();
        sending = true;
        notifyAll(); // there is room again
        return batch;
    }

    private boolean isDue() {
        return !buffer.isEmpty()
                && (urgent
                        || hasBatches(1)
                        || System.nanoTime() - waitingSince >= settings.delay().toNanos());
    }

    @SuppressWarnings("CatchThrowable") // this thread goes on, whatever happens
    private boolean send(List<EndedSpan> batch) {
        try {
            return delivery.send(batch);
        } catch (Throwable e) {
            tally().failing(Failure.of(e));
            return false;
        }
    }

    private synchronized void done(boolean arrived) {
        failedSinceFlush |= !arrived;
        sending = false;
        urgent &= !buffer.isEmpty();
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

    /** Gives up what is left and lets go of a request that is under way; does not wait for the thread's end. */
    @Override
    public CompletableResultCode shutdown() {
        synchronized (this) {
            closed = true;
            delivery.giveUp(buffer);
            buffer.clear();
            bufferedBytes = 0;
            notifyAll();
        }
        return delivery.shutdown();
    }

    @Override
    public CompletableResultCode forceFlush() {
        return flush(System.nanoTime() + FORCED.toNanos())
                ? CompletableResultCode.ofSuccess()
                : CompletableResultCode.ofFailure();
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
        return false;
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }

    /**
     * How spans are sent.
     *
     * @param delay how long a span waits for company
     * @param maxBatch how many spans a request has at most
     * @param maxBytes how many bytes a request of more than one span has at most: receivers refuse over 4 MiB
     */
    record Settings(Duration delay, int maxBatch, long maxBytes) {}
}
