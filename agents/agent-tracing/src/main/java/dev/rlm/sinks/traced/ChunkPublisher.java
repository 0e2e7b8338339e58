package dev.rlm.sinks.traced;

import dev.rlm.sinks.Scope;
import java.util.concurrent.Flow.Publisher;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.atomic.AtomicBoolean;

/** A publisher's chunks, noted on their way to the first that subscribes. */
final class ChunkPublisher<T> implements Publisher<T> {
    private final Publisher<T> source;
    private final Chunks<T> chunks;
    private final AtomicBoolean subscribed = new AtomicBoolean();

    ChunkPublisher(Publisher<T> source, Chunks<T> chunks) {
        this.source = source;
        this.chunks = chunks;
    }

    @Override
    public void subscribe(Subscriber<? super T> subscriber) {
        boolean isNoted = subscriber != null && subscribed.compareAndSet(false, true);
        source.subscribe(isNoted ? new Noting<>(subscriber, chunks) : subscriber);
    }

    /** Notes what goes to a subscriber before it does, and has it go where the call lies. */
    private record Noting<T>(Subscriber<? super T> subscriber, Chunks<T> chunks) implements Subscriber<T> {
        @Override
        public void onSubscribe(Subscription subscription) {
            subscriber.onSubscribe(new Cancellable(subscription, chunks));
        }

        @Override
        public void onNext(T chunk) {
            chunks.add(chunk);
            try (Scope scope = chunks.within()) {
                subscriber.onNext(chunk);
            }
        }

        @Override
        public void onError(Throwable error) {
            chunks.failed(error);
            try (Scope scope = chunks.within()) {
                subscriber.onError(error);
            }
        }

        @Override
        public void onComplete() {
            chunks.end();
            try (Scope scope = chunks.within()) {
                subscriber.onComplete();
            }
        }
    }

    /** Ends the reply where the agent wants no more of it. */
    private record Cancellable(Subscription subscription, Chunks<?> chunks) implements Subscription {
        @Override
        public void request(long count) {
            subscription.request(count);
        }

        @Override
        public void cancel() {
            chunks.end();
            subscription.cancel();
        }
    }
}
