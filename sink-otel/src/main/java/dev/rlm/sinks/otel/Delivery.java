package dev.rlm.sinks.otel;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Failure.Remedy;
import dev.rlm.sinks.otel.otlp.Tally;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings batches of spans or of log records to the back end, in halves where it finds them too large, and counts what came
 * of them and of their events. One batch at a time.
 */
final class Delivery<T extends Outgoing> {
    private final Way<T> way;
    private final Acknowledgements acknowledgements;
    private final Tally tally;
    private final Attempts attempts;
    private final Duration timeout;

    /**
     * @param timeout how long a batch may take, with all attempts and halves
     * @param again whether a request that failed may be made again
     */
    Delivery(Way<T> way, Acknowledgements acknowledgements, Tally tally, Duration timeout, boolean again) {
        this.way = way;
        this.acknowledgements = acknowledgements;
        this.tally = tally;
        this.timeout = timeout;
        this.attempts = new Attempts(again, tally::failing);
    }

    Tally tally() {
        return tally;
    }

    /** Sends the items; whether all have arrived. What the back end takes none of counts as such, and is not sent. */
    boolean send(List<T> batch) {
        long by = System.nanoTime() + timeout.toNanos();
        boolean arrived = true;
        Deque<List<T>> parts = new ArrayDeque<>(List.of(batch));
        while (!parts.isEmpty() && !way.isRefused()) {
            List<T> part = parts.pop();
            Failure failure = attempts.make(() -> way.export(part), by);
            if (failure != null && failure.remedy() == Remedy.SPLIT && part.size() > 1) {
                parts.push(part.subList(part.size() / 2, part.size()));
                parts.push(part.subList(0, part.size() / 2));
            } else {
                arrived &= count(part, failure);
            }
        }
        return arrived;
    }

    private boolean count(List<T> part, @Nullable Failure failure) {
        if (failure == null) {
            tally.arrived(part.size());
            acknowledgements.delivered(events(part));
            return true;
        } else if (failure.isPartial()) {
            return countRejected(part, failure);
        } else if (failure.remedy() == Remedy.NEVER && way.refuse(failure)) {
            return true;
        }
        tally.failed(part.size(), failure);
        acknowledgements.dropped(failure.reason(), events(part));
        return false;
    }

    /**
     * Which were rejected is not said. They count as those that stand for the most events, so that no more is said to
     * be delivered than is.
     */
    private boolean countRejected(List<T> part, Failure failure) {
        int rejected = (int) Math.min(failure.rejected(), part.size());
        long dropped = part.stream()
                .map(Outgoing::events)
                .sorted(Collections.reverseOrder())
                .limit(rejected)
                .mapToLong(Integer::longValue)
                .sum();
        boolean all = rejected == part.size();
        if (!all) {
            tally.arrived(part.size() - rejected);
        }
        tally.rejected(rejected, all, failure);
        acknowledgements.dropped(failure.reason(), dropped);
        acknowledgements.delivered(events(part) - dropped);
        return rejected == 0;
    }

    private static long events(Collection<? extends Outgoing> items) {
        return items.stream().mapToLong(Outgoing::events).sum();
    }

    /** Counts what is not sent by choice. */
    void leaveOut(Collection<T> items) {
        acknowledgements.dropped(Ledger.NOT_SAMPLED, events(items));
    }

    /** Counts what is not even tried. */
    void giveUp(Collection<T> items, String reason) {
        tally.givenUp(items.size(), reason);
        acknowledgements.dropped(reason, events(items));
    }

    /** Ends the request under way, and all that follow, when {@link System#nanoTime} comes to {@code by}. */
    void endBy(long by) {
        attempts.endBy(by);
    }

    /** Ends the request under way at once. */
    CompletableResultCode shutdown() {
        attempts.endBy(System.nanoTime());
        return way.shutdown();
    }

    /** By which one request is made. */
    interface Way<T> {
        CompletableResultCode export(List<T> items);

        CompletableResultCode shutdown();

        /** The back end takes none of this kind; whether that is its right, and no failure. */
        default boolean refuse(Failure failure) {
            return false;
        }

        /** Whether {@link #refuse} has been called, and nothing is to be sent any more. */
        default boolean isRefused() {
            return false;
        }
    }
}
