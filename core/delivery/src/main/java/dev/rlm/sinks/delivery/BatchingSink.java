package dev.rlm.sinks.delivery;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.event.Event;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Sink that sends its events in batches: a subclass says what an event is when it is sent, and how a batch is. An event
 * counts as delivered when the back end has taken it, and as dropped with the reason where it never will.
 *
 * <p>The lane is the queue: while as many requests are in flight as there may be, and one more batch is full, the sink takes
 * no more events.
 *
 * @param <T> an event in the form in which it is sent
 */
public abstract class BatchingSink<T> implements Sink {
    private static final Duration CLOSE = Duration.ofSeconds(2); // where no time is given

    private final DeliveryCounts counts = new DeliveryCounts();
    private final DeliveryStatus status;
    private final Batcher<T> batcher;
    private final RetryPolicy retries;
    private volatile @Nullable Long closeBy;

    /** Makes the sink; the target is for people: where events go, without user and password. */
    protected BatchingSink(String target, BatchLimits limits, RetryPolicy retries) {
        this.status = new DeliveryStatus(LoggerFactory.getLogger(getClass()), "events", "events", target);
        this.retries = retries;
        this.batcher = new Batcher<>(new Sender(), limits, retries);
    }

    /** Returns the form in which the event is sent; {@code null} where it is not, which counts as delivered. On the lane. */
    protected abstract @Nullable T encode(Event event);

    /** Sends a batch in one request: see {@link BatchSender#send}. On threads of the kit's. */
    protected abstract CompletionStage<Optional<Failure>> send(List<T> batch);

    /** Returns about what the item takes in a request, in the unit of the limits. */
    protected long size(T item) {
        return 1;
    }

    @Override
    public final void onEvent(Event event) {
        T item = encode(event);
        if (item == null) {
            counts.delivered(1);
        } else {
            batcher.add(item);
        }
    }

    @Override
    public boolean flush(Duration timeout) {
        return batcher.flush(System.nanoTime() + timeout.toNanos());
    }

    @Override
    public Health status() {
        return status.health();
    }

    @Override
    public Acknowledged acknowledged() {
        return counts.current();
    }

    /** Returns some times what one batch may take, because that is how long an event may wait for room. */
    @Override
    public Duration patience() {
        Duration several = retries.giveUpAfter().multipliedBy(3);
        return several.compareTo(PATIENCE) > 0 ? several : PATIENCE;
    }

    /** Requests end a little earlier, so that all that is left is counted. */
    @Override
    public void beginClose(Duration timeout) {
        long now = System.nanoTime();
        closeBy = now + timeout.toNanos();
        batcher.endBy(now + timeout.toNanos() / 10 * 8);
    }

    @Override
    public void close() {
        if (closeBy == null) {
            beginClose(CLOSE);
        }
        Long by = closeBy;
        batcher.flush(by == null ? System.nanoTime() : by);
        batcher.close();
    }

    private final class Sender implements BatchSender<T> {
        @Override
        public CompletionStage<Optional<Failure>> send(List<T> batch) {
            return BatchingSink.this.send(batch);
        }

        @Override
        public boolean done(List<T> items, @Nullable Failure failure) {
            return counts.settled(items.size(), status.settled(items.size(), failure), failure);
        }

        @Override
        public void retrying(Failure failure) {
            status.failing(failure);
        }

        @Override
        public void pending() {
            status.failing(Failure.pending());
        }

        @Override
        public long size(T item) {
            return BatchingSink.this.size(item);
        }
    }
}
