package dev.rlm.sinks.otel;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends ended spans from a thread of its own, one request under way at a time, and counts what arrived.
 *
 * <p>Its buffer is small and drops nothing: where it is full the lane waits, so that the lane's queue is the only place
 * where events can be lost, and there they are counted.
 */
final class SpanExport implements SpanProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(SpanExport.class);
    private static final int BUFFERED_BATCHES = 4;
    private static final String CLOSED = "closed";

    private final SpanExporter exporter;
    private final Acknowledgements acknowledgements;
    private final Settings settings;
    private final Thread thread = new Thread(this::work, "rlm-otel-export");
    private final Deque<Ended> buffer = new ArrayDeque<>();
    private int covering; // on the lane only: events that the span ended next stands for

    // Guarded by this
    private long bufferedBytes;
    private long waitingSince;
    private boolean urgent;
    private boolean sending;
    private boolean closed;
    private boolean failedSinceFlush;
    private long exported;
    private @Nullable Failure failure;

    SpanExport(SpanExporter exporter, Acknowledgements acknowledgements, Settings settings) {
        this.exporter = exporter;
        this.acknowledgements = acknowledgements;
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
        Ended ended = Ended.of(span.toSpanData(), covering);
        synchronized (this) {
            awaitRoom();
            if (closed) {
                acknowledgements.dropped(CLOSED, ended.events());
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

    /** Sends all there is. Whether all that came since the last flush arrived, within the time. */
    synchronized boolean flush(Duration timeout) {
        long by = System.nanoTime() + timeout.toNanos();
        urgent = !buffer.isEmpty();
        notifyAll();
        while (!buffer.isEmpty() || sending) {
            long left = TimeUnit.NANOSECONDS.toMillis(by - System.nanoTime());
            if (left <= 0 || !pause(left)) {
                failure = failure == null ? Failure.pending() : failure;
                return false;
            }
        }
        boolean arrived = !failedSinceFlush;
        failedSinceFlush = false;
        return arrived;
    }

    /** Why the last request failed; {@code null} where it did not. */
    synchronized @Nullable Failure failure() {
        return failure;
    }

    /** How many spans have arrived. */
    synchronized long exported() {
        return exported;
    }

    private void work() {
        List<Ended> batch = next();
        while (!batch.isEmpty()) {
            Failure result = send(batch);
            done(batch, result);
            batch = next();
        }
    }

    /** The next batch when it is due; an empty one when there will be none. */
    private synchronized List<Ended> next() {
        while (!isDue()) {
            if (closed) {
                return List.of();
            }
            long age = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - waitingSince);
            pause(buffer.isEmpty() ? 0 : Math.max(1, settings.delay().toMillis() - age));
        }
        List<Ended> batch = new ArrayList<>();
        long bytes = 0;
        do {
            Ended ended = buffer.remove();
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

    @SuppressWarnings("CatchThrowable") // whatever an exporter throws, this thread goes on
    private @Nullable Failure send(List<Ended> batch) {
        try {
            CompletableResultCode result =
                    exporter.export(batch.stream().map(Ended::span).toList());
            result.join(settings.timeout().toMillis(), TimeUnit.MILLISECONDS);
            if (!result.isDone()) {
                return Failure.timeout();
            }
            return result.isSuccess() ? null : Failure.of(result.getFailureThrowable());
        } catch (Throwable e) {
            return Failure.of(e);
        }
    }

    private void done(List<Ended> batch, @Nullable Failure result) {
        long events = batch.stream().mapToLong(Ended::events).sum();
        if (result == null) {
            acknowledgements.delivered(events);
        } else {
            acknowledgements.dropped(result.reason(), events);
        }
        log(result);
        synchronized (this) {
            failure = result;
            failedSinceFlush |= result != null;
            exported += result == null ? batch.size() : 0;
            sending = false;
            urgent &= !buffer.isEmpty();
            notifyAll();
        }
    }

    /** Says once that sending has begun to fail, and once that it works again: how often is in the ledger. */
    private void log(@Nullable Failure result) {
        Failure before = failure();
        if (result != null && (before == null || !before.reason().equals(result.reason()))) {
            LOG.warn("spans cannot be sent to {}: {}", settings.target(), result.detail());
        } else if (result == null && before != null) {
            LOG.info("spans are sent to {} again", settings.target());
        }
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
            acknowledgements.dropped(
                    CLOSED, buffer.stream().mapToLong(Ended::events).sum());
            buffer.clear();
            bufferedBytes = 0;
            notifyAll();
        }
        return exporter.shutdown();
    }

    @Override
    public CompletableResultCode forceFlush() {
        return flush(settings.timeout()) ? CompletableResultCode.ofSuccess() : CompletableResultCode.ofFailure();
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
     * @param target where to, for people
     * @param delay how long a span waits for company
     * @param maxBatch how many spans a request has at most
     * @param maxBytes how many bytes a request of more than one span has at most: receivers refuse over 4 MiB
     * @param timeout how long a request may take, retries included
     */
    record Settings(String target, Duration delay, int maxBatch, long maxBytes, Duration timeout) {}

    /**
     * A span to be sent.
     *
     * @param events how many events it stands for
     * @param bytes about how many bytes it takes in a request
     */
    private record Ended(SpanData span, int events, long bytes) {
        static Ended of(SpanData span, int events) {
            long bytes = 200 + bytes(span.getAttributes());
            for (var event : span.getEvents()) {
                bytes += 30 + bytes(event.getAttributes());
            }
            return new Ended(span, events, bytes);
        }

        private static long bytes(Attributes attributes) {
            long[] sum = {0};
            attributes.forEach((key, value) ->
                    sum[0] += 20 + key.getKey().length() + (value instanceof String text ? utf8Bytes(text) : 8));
            return sum[0];
        }

        private static long utf8Bytes(String text) {
            long bytes = 0;
            for (int i = 0; i < text.length(); i++) {
                char unit = text.charAt(i);
                bytes += unit < 0x80 ? 1 : unit < 0x800 || Character.isSurrogate(unit) ? 2 : 3;
            }
            return bytes;
        }
    }
}
