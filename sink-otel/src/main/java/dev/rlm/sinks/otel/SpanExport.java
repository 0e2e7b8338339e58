package dev.rlm.sinks.otel;

import dev.rlm.sinks.otel.otlp.Failure;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends ended spans from a thread of its own, one request under way at a time, and counts what arrived.
 *
 * <p>Its buffer is small and drops nothing: where it is full the lane waits, so that the lane's queue is the only place
 * where events can be lost, and there they are counted. Spans of runs that may be left out are {@linkplain HeldSpans held}
 * beside it until the run's end; those of a run that is kept then go out after what is in the buffer, and the lane need
 * not wait for them.
 */
final class SpanExport implements SpanProcessor {
    private static final int BUFFERED_BATCHES = 4;
    private static final Duration FORCED = Duration.ofSeconds(30);

    private final SpanDelivery delivery;
    private final Settings settings;
    private final Thread thread = new Thread(this::work, "rlm-otel-export");

    // On the lane only, of the span ended next
    private int covering; // events
    private @Nullable String partOf; // run

    // Guarded by this
    private final SpanQueue buffer = new SpanQueue();
    private final HeldSpans held = HeldSpans.bounded();
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

    /**
     * Says of the span that is ended next how many events it stands for, and with which run it is kept or left out
     * ({@code null}: it is sent in any case). On the lane only.
     */
    void covering(int events, @Nullable String run) {
        covering = events;
        partOf = run;
    }

    @Override
    public void onEnd(ReadableSpan span) {
        if (!span.getSpanContext().isSampled()) {
            return; // recorded and not to be sent; its events have been counted
        }
        EndedSpan ended = EndedSpan.of(span.toSpanData(), covering);
        synchronized (this) {
            if (partOf != null && isToBeHeld(partOf)) {
                held.add(partOf, ended);
            } else {
                add(ended);
            }
        }
    }

    private void add(EndedSpan ended) {
        awaitUnlessClosed(() -> !buffer.fills(BUFFERED_BATCHES, settings));
        if (closed) {
            delivery.giveUp(List.of(ended));
            return;
        }
        noteWaiting();
        buffer.add(ended);
        if (buffer.size() == 1 || hasBatch()) {
            notifyAll();
        }
    }

    /** Waits for room, if it is. */
    private boolean isToBeHeld(String run) {
        awaitUnlessClosed(() -> !held.isOpen(run) || hasRoomToHold());
        return held.isOpen(run) && !closed;
    }

    /** Where there is none, a run is kept, and there will be some when part of it has been sent. */
    private boolean hasRoomToHold() {
        if (!held.isFull()) {
            return true;
        } else if (held.released().isEmpty()) {
            noteWaiting();
            held.releaseLargest();
        }
        hasten();
        return false;
    }

    private void awaitUnlessClosed(BooleanSupplier condition) {
        boolean interrupted = false;
        while (!condition.getAsBoolean() && !closed) {
            interrupted |= !pause(0);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** To be called before spans are added to those that are to be sent. */
    private void noteWaiting() {
        if (isIdle()) {
            waitingSince = System.nanoTime();
        }
    }

    /** Whether nothing is to be sent. */
    private boolean isIdle() {
        return buffer.isEmpty() && held.released().isEmpty();
    }

    /** Whether a request could be filled. */
    private boolean hasBatch() {
        return buffer.fills(1, settings) || held.released().fills(1, settings);
    }

    /** Holds the spans of that run from now on, until it is known whether it is kept. */
    synchronized void hold(String run) {
        held.open(run);
    }

    /** Whether the spans of that run are held; they are not where it is known to be kept. */
    synchronized boolean isHeld(String run) {
        return held.isOpen(run);
    }

    /** Sends what is held of that run. */
    synchronized void release(String run) {
        noteWaiting();
        held.release(run);
        notifyAll();
    }

    /** Sends all that is held. */
    synchronized void releaseAll() {
        noteWaiting();
        held.releaseAll();
        notifyAll();
    }

    /** Leaves out what is held of that run. */
    synchronized void leaveOut(String run) {
        delivery.leaveOut(held.remove(run).all());
    }

    /** Begins to send all there is. */
    synchronized void hasten() {
        urgent = !isIdle();
        notifyAll();
    }

    /**
     * Sends all there is but what is held. Whether all that came since the last flush, and is not held, arrived before
     * {@link System#nanoTime} is {@code by}.
     */
    synchronized boolean flush(long by) {
        hasten();
        while (!isIdle() || sending) {
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

    /** The same for a status, and what is held. */
    Map<String, Object> facts() {
        Map<String, Object> facts = tally().facts("");
        synchronized (this) {
            facts.putAll(held.facts());
        }
        return facts;
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
            pause(isIdle() ? 0 : Math.max(1, settings.delay().toMillis() - age));
        }
        List<EndedSpan> batch = new ArrayList<>();
        long bytes = buffer.moveTo(batch, 0, settings);
        held.released().moveTo(batch, bytes, settings);
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

    /** Gives up what is left and lets go of a request that is under way; does not wait for the thread's end. */
    @Override
    public CompletableResultCode shutdown() {
        synchronized (this) {
            closed = true;
            held.releaseAll();
            buffer.takeAll(held.released());
            delivery.giveUp(buffer.all());
            buffer.clear();
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
