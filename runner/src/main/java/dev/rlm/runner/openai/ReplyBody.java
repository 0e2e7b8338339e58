package dev.rlm.runner.openai;

import dev.rlm.cli.Durations;
import dev.rlm.json.chat.SseReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The body of a reply as it comes, within limits of time and size: whole, or an event of a stream at a time. Read by one
 * thread, which may be interrupted: the client's own streams wait for ever. Closing it before its end closes the connection.
 */
final class ReplyBody implements HttpResponse.BodySubscriber<ReplyBody>, AutoCloseable {
    private static final Object END = new Object();
    private static final Duration DRAIN = Duration.ofMillis(200);

    private final Deadline deadline;
    private final Duration silence; // how long nothing may come once something has come
    private final int maxBytes;
    private final BlockingQueue<Object> arrived = new LinkedBlockingQueue<>(); // bytes, then END or what went wrong
    private volatile Flow.@Nullable Subscription subscription;

    private final Queue<String> events = new ArrayDeque<>();
    private final SseReader sse = new SseReader(events::add);
    private int size;
    private boolean ended;

    ReplyBody(Deadline deadline, Duration silence, int maxBytes) {
        this.deadline = deadline;
        this.silence = silence;
        this.maxBytes = maxBytes;
    }

    @Override
    public CompletionStage<ReplyBody> getBody() {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public void onSubscribe(Flow.Subscription value) {
        subscription = value;
        value.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        ByteBuffer bytes = ByteBuffer.allocate(
                buffers.stream().mapToInt(ByteBuffer::remaining).sum());
        buffers.forEach(bytes::put);
        arrived.add(bytes.array());
    }

    @Override
    public void onError(Throwable failure) {
        arrived.add(failure);
    }

    @Override
    public void onComplete() {
        arrived.add(END);
    }

    /** Returns whether anything of it has come. */
    boolean hasBegun() {
        return size > 0;
    }

    /** All of it. */
    String whole() throws IOException, InterruptedException, TimeoutException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] bytes = next(); bytes != null; bytes = next()) {
            all.writeBytes(bytes);
        }
        return all.toString(StandardCharsets.UTF_8);
    }

    /** The data of the next event; {@code null} at the end. */
    @Nullable
    String event() throws IOException, InterruptedException, TimeoutException {
        while (events.isEmpty() && !ended) {
            byte[] bytes = next();
            if (bytes == null) {
                ended = true;
                sse.end();
            } else {
                sse.add(bytes, 0, bytes.length);
            }
        }
        return events.poll();
    }

    /** Waits a moment for the end, so that the connection can serve another call. */
    void drain() throws InterruptedException {
        try {
            while (!ended && next(DRAIN) != null) {
                // what comes after the last event says nothing
            }
        } catch (IOException | TimeoutException e) {
            // then it is closed
        }
    }

    /**
     * The next bytes; {@code null} at the end.
     *
     * @throws TimeoutException if none come before the deadline
     */
    private byte @Nullable [] next() throws IOException, InterruptedException, TimeoutException {
        Duration left = deadline.left();
        boolean silently = hasBegun() && silence.compareTo(left) < 0;
        try {
            byte[] bytes = next(silently ? silence : left);
            size += bytes == null ? 0 : bytes.length;
            if (size > maxBytes) {
                throw ChatException.lasting("the reply has more than " + maxBytes + " bytes");
            }
            return bytes;
        } catch (TimeoutException e) {
            if (silently) {
                String what = "nothing came for " + Durations.text(silence) + " (--model-silence)";
                throw new ChatException(what, true, null);
            }
            throw e;
        }
    }

    /** The next bytes, of which at most one lot is fetched ahead; {@code null} at the end. */
    private byte @Nullable [] next(Duration patience) throws IOException, InterruptedException, TimeoutException {
        Object next = arrived.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
        if (next == null) {
            throw new TimeoutException();
        } else if (next instanceof byte[] bytes) {
            Objects.requireNonNull(subscription).request(1);
            return bytes;
        } else if (next instanceof Throwable failure) {
            throw new IOException(failure);
        }
        return null;
    }

    @Override
    public void close() {
        Flow.Subscription open = subscription;
        if (open != null) {
            open.cancel();
        }
    }
}
