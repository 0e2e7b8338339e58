package dev.rlm.sinks.delivery;

import dev.rlm.sinks.delivery.Failure.Remedy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One batch in flight, whose parts are sent one after the other. Of one thread at a time, save {@link #cut}. */
final class Flight<T> {
    private static final Optional<Failure> TIMEOUT = Optional.of(Failure.timeout());
    private static final int MANY = 50; // lost one by one while none was taken: it is not the items

    private final Batcher<T> batcher;
    private final BatchSender<T> sender;
    private final RetryPolicy retries;
    private final Deque<List<T>> parts = new ArrayDeque<>();
    private final long amount;
    private final long by;
    private boolean well = true;
    private boolean taken; // some of it
    private int refused; // one by one
    private int attempts; // at the current part
    private @Nullable Failure last; // of these
    private volatile Runnable waker = () -> {};

    /**
     * Makes the flight of a batch.
     *
     * @param amount of the permits that it has
     * @param by when it is given up, in terms of {@link System#nanoTime}
     */
    Flight(Batcher<T> batcher, BatchSender<T> sender, RetryPolicy retries, List<T> batch, long amount, long by) {
        this.batcher = batcher;
        this.sender = sender;
        this.retries = retries;
        this.amount = amount;
        this.by = by;
        parts.add(batch);
    }

    long amount() {
        return amount;
    }

    private boolean isOver() {
        return System.nanoTime() - by >= 0 || batcher.isEnded();
    }

    private long left() {
        return Math.max(1, by - System.nanoTime());
    }

    /** Ends the wait for an answer, or for the time to send again. */
    void cut() {
        waker.run();
    }

    /** Sends the next part. */
    @SuppressWarnings({"CatchThrowable", "FutureReturnValueIgnored"}) // whatever a sender throws there is an answer
    void send() {
        List<T> part = parts.element();
        CompletableFuture<Optional<Failure>> answer = new CompletableFuture<>();
        waker = () -> answer.complete(Optional.of(Failure.unanswered()));
        if (isOver()) {
            Failure late = batcher.isEnded() ? Failure.closed() : Failure.timeout();
            settle(part, last == null ? late : last);
            return;
        }
        long held = batcher.held();
        if (held > 0) {
            sendAfter(held);
            return;
        }
        answer.completeOnTimeout(TIMEOUT, left(), TimeUnit.NANOSECONDS)
                .thenAcceptAsync(failure -> answered(part, failure.orElse(null)), Batcher::execute);
        try {
            if (batcher.beginCall()) {
                sender.send(part)
                        .whenComplete((failure, error) ->
                                answer.complete(failure == null ? Optional.of(Failure.of(error)) : failure));
            } // else no more threads are lost to it
        } catch (Throwable e) {
            answer.complete(Optional.of(Failure.of(e)));
        } finally {
            batcher.endCall();
        }
    }

    private void answered(List<T> part, @Nullable Failure failure) {
        if (failure != null && failure.remedy() == Remedy.RETRY && retries.retries()) {
            sendAgain(failure);
        } else {
            settle(part, failure != null && failure.isEnd() && last != null ? last : failure);
        }
    }

    private void sendAgain(Failure failure) {
        last = failure;
        batcher.retrying(failure);
        long nanos = Math.min(retries.pause(attempts++, failure).toNanos(), left());
        if (!failure.retryAfter().isZero()) {
            batcher.hold(nanos);
        }
        sendAfter(nanos);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what follows sees to itself
    private void sendAfter(long nanos) {
        CompletableFuture<Boolean> pause = Batcher.after(Math.min(nanos, left()));
        waker = () -> pause.complete(true);
        if (isOver()) {
            pause.complete(true);
        }
        pause.thenRunAsync(this::send, Batcher::execute);
    }

    private void settle(List<T> part, @Nullable Failure failure) {
        parts.remove();
        last = null;
        attempts = 0;
        boolean hopeless = !taken && refused >= MANY;
        if (failure != null && failure.remedy() == Remedy.SPLIT && part.size() > 1 && !hopeless) {
            parts.push(part.subList(part.size() / 2, part.size()));
            parts.push(part.subList(0, part.size() / 2));
        } else {
            taken |= failure == null || failure.isPartial();
            refused += failure != null && part.size() == 1 ? 1 : 0;
            well &= done(part, failure);
        }
        if (parts.isEmpty()) {
            batcher.landed(this, well);
        } else {
            Batcher.execute(this::send);
        }
    }

    @SuppressWarnings("CatchThrowable") // a batch lands, whatever counting throws
    private boolean done(List<T> part, @Nullable Failure failure) {
        try {
            return sender.done(part, failure);
        } catch (Throwable e) {
            return false;
        }
    }
}
