package dev.rlm.runner.openai;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The body of a response as it comes, taken by one thread with patience of its own: the client's own streams wait for
 * ever, and heed no interrupt. Closing it before its end closes the connection.
 */
final class BodyChunks implements HttpResponse.BodySubscriber<BodyChunks>, AutoCloseable {
    private static final Object END = new Object();

    private final BlockingQueue<Object> arrived = new LinkedBlockingQueue<>(); // bytes, then END or what went wrong
    private volatile Flow.@Nullable Subscription subscription;

    @Override
    public CompletionStage<BodyChunks> getBody() {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public void onSubscribe(Flow.Subscription value) {
        subscription = value;
        value.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        int length = buffers.stream().mapToInt(ByteBuffer::remaining).sum();
        byte[] bytes = new byte[length];
        int at = 0;
        for (ByteBuffer buffer : buffers) {
            int size = buffer.remaining();
            buffer.get(bytes, at, size);
            at += size;
        }
        arrived.add(bytes);
    }

    @Override
    public void onError(Throwable failure) {
        arrived.add(failure);
    }

    @Override
    public void onComplete() {
        arrived.add(END);
    }

    /**
     * The next bytes, of which at most one lot is fetched ahead; {@code null} at the end.
     *
     * @throws TimeoutException if none come in that time
     */
    byte @Nullable [] next(Duration patience) throws IOException, InterruptedException, TimeoutException {
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
