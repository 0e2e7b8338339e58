package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.BatchSender;
import dev.rlm.sinks.delivery.Batcher;
import dev.rlm.sinks.delivery.DeliveryStatus;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Part of the sink that sends one kind of items, and fails and recovers for itself. All methods may be called on any thread.
 *
 * @param <T> what it sends
 */
abstract class SinkPart<T> implements BatchSender<T> {
    /** Policy for what is given up after an outage. */
    static final RetryPolicy OUTAGE = RetryPolicy.upTo(Duration.ofMinutes(2));

    private final String name;
    private final DeliveryStatus status;
    private final Batcher<T> batcher;

    /**
     * Makes a part.
     *
     * @param name by which the sink's status knows it
     * @param signal what is sent, for people
     * @param items what is counted
     */
    SinkPart(String name, String signal, String items, TrackingServer server, BatchLimits limits, RetryPolicy retries) {
        this.name = name;
        status = new DeliveryStatus(LoggerFactory.getLogger("dev.rlm.sinks.mlflow"), signal, items, server.address());
        batcher = new Batcher<>(this, limits, retries);
    }

    /** Makes the request; returns why the items were not taken, {@code null} where they were. */
    abstract @Nullable Failure request(List<T> batch);

    /** Hears of an item once whether it was taken; else why not. */
    abstract void settled(T item, @Nullable Failure failure);

    @Override
    public final CompletionStage<Optional<Failure>> send(List<T> batch) {
        return CompletableFuture.completedFuture(Optional.ofNullable(request(batch)));
    }

    @Override
    public boolean done(List<T> items, @Nullable Failure failure) {
        status.settled(items.size(), failure);
        items.forEach(item -> settled(item, failure));
        return failure == null;
    }

    @Override
    public final void retrying(Failure failure) {
        status.failing(failure);
    }

    final String name() {
        return name;
    }

    final DeliveryStatus status() {
        return status;
    }

    final Batcher<T> batcher() {
        return batcher;
    }

    /** Sends all there is. Whether all since the last flush has been taken before {@link System#nanoTime} is {@code by}. */
    boolean flush(long by) {
        return batcher.flush(by);
    }

    /** Sends nothing from {@code end} on. */
    void beginClose(long end) {
        batcher.endBy(end);
    }

    /** Gives up what is left. */
    void close() {
        batcher.close();
    }

    /** Returns how it fares, and counts; where items go is said once for all parts. */
    Health health() {
        Failure failure = status.failure();
        Map<String, Object> facts = status.facts(name + "_");
        facts.remove(name + "_target");
        return new Health(failure == null, failure == null ? status.summary() : failure.text(), facts);
    }
}
