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

    private final SpanExporter exporter;
    private final Acknowledgements acknowledgements;
    private final Settings settings;
    private final Thread thread = new Thread(this::work, "rlm-otel-export");
    private final Deque<Ended> buffer = new ArrayDeque<>();
    private int covering; // on the lane only: events that the span ended next stands for

    // Guarded by this
    private long waitingSince;
    private boolean urgent;
    private boolean sending;
    private boolean closed;
    private long failures;
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
        Ended ended = new Ended(span.toSpanData(), covering);
        synchronized (this) {
            boolean interrupted = false;
            while (buffer.size() >= settings.maxBatch() * BUFFERED_BATCHES && !closed) {
                interrupted |= !pause(0);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (buffer.isEmpty()) {
                waitingSince = System.nanoTime();
            }
            buffer.add(ended);
            if (buffer.size() == 1 || buffer.size() == settings.maxBatch()) {
                notifyAll();
            }
        }
    }

    /** Sends all there is. Whether all of it arrived, within the time. */
    synchronized boolean flush(Duration timeout) {
        long by = System.nanoTime() + timeout.toNanos();
        long failuresBefore = failures;
        urgent = true;
        notifyAll();
        while (!buffer.isEmpty() || sending) {
            long left = TimeUnit.NANOSECONDS.toMillis(by - System.nanoTime());
            if (left <= 0 || !pause(left)) {
                return false;
            }
        }
        return failures == failuresBefore;
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
        exporter.shutdown();
    }

    /** The next batch when it is due; an empty one when there will be none. */
    private synchronized List<Ended> next() {
        while (!isDue()) {
            if (closed && buffer.isEmpty()) {
                return List.of();
            }
            long age = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - waitingSince);
            pause(buffer.isEmpty() ? 0 : Math.max(1, settings.delay().toMillis() - age));
        }
        List<Ended> batch = new ArrayList<>();
        long bytes = 0;
        while (!buffer.isEmpty() && batch.size() < settings.maxBatch() && bytes < settings.maxBytes()) {
            Ended ended = buffer.remove();
            bytes += ended.size();
            batch.add(ended);
        }
        waitingSince = System.nanoTime();
        sending = true;
        notifyAll(); // there is room again
        return batch;
    }

    private boolean isDue() {
        return !buffer.isEmpty()
                && (closed
                        || urgent
                        || buffer.size() >= settings.maxBatch()
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
            failures += result == null ? 0 : 1;
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

    /** Ends the thread once the buffer is empty; does not wait for that. */
    @Override
    public synchronized CompletableResultCode shutdown() {
        closed = true;
        notifyAll();
        return CompletableResultCode.ofSuccess();
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
     * @param maxBytes after about how many bytes a request takes no more: receivers refuse over 4 MiB
     * @param timeout how long a request may take, retries included
     */
    record Settings(String target, Duration delay, int maxBatch, long maxBytes, Duration timeout) {}

    private record Ended(SpanData span, int events) {
        /** About how many bytes it takes in a request. */
        long size() {
            long size = 200;
            size += characters(span.getAttributes());
            for (var event : span.getEvents()) {
                size += 30 + characters(event.getAttributes());
            }
            return size;
        }

        private static long characters(Attributes attributes) {
            long[] sum = {0};
            attributes.forEach((key, value) ->
                    sum[0] += key.getKey().length() + (value instanceof String text ? text.length() : 8));
            return sum[0];
        }
    }
}
