package dev.rlm.sinks.otel;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.Failure.Remedy;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings batches of spans to the back end, in halves where it finds them too large, and counts what came of their events.
 * One batch at a time.
 */
final class SpanDelivery {
    private final SpanExporter exporter;
    private final Acknowledgements acknowledgements;
    private final Tally tally;
    private final Attempts attempts;
    private final Duration timeout;

    /**
     * @param timeout how long a batch may take, with all attempts and halves
     * @param again whether a request that failed may be made again
     */
    SpanDelivery(
            SpanExporter exporter, Acknowledgements acknowledgements, Tally tally, Duration timeout, boolean again) {
        this.exporter = exporter;
        this.acknowledgements = acknowledgements;
        this.tally = tally;
        this.timeout = timeout;
        this.attempts = new Attempts(again, tally::failing);
    }

    Tally tally() {
        return tally;
    }

    /** Sends the spans; whether all have arrived. */
    boolean send(List<EndedSpan> batch) {
        long by = System.nanoTime() + timeout.toNanos();
        boolean arrived = true;
        Deque<List<EndedSpan>> parts = new ArrayDeque<>(List.of(batch));
        while (!parts.isEmpty()) {
            List<EndedSpan> part = parts.pop();
            Failure failure = attempts.make(
                    () -> exporter.export(part.stream().map(EndedSpan::span).toList()), by);
            if (failure != null && failure.remedy() == Remedy.SPLIT && part.size() > 1) {
                parts.push(part.subList(part.size() / 2, part.size()));
                parts.push(part.subList(0, part.size() / 2));
            } else {
                arrived &= count(part, failure);
            }
        }
        return arrived;
    }

    private boolean count(List<EndedSpan> part, @Nullable Failure failure) {
        if (failure == null) {
            tally.arrived(part.size());
            acknowledgements.delivered(events(part));
            return true;
        } else if (failure.isPartial()) {
            return countRejected(part, failure);
        }
        tally.failed(part.size(), failure);
        acknowledgements.dropped(failure.reason(), events(part));
        return false;
    }

    /**
     * Which spans were rejected is not said. They count as those that stand for the most events, so that no more is said to
     * be delivered than is.
     */
    private boolean countRejected(List<EndedSpan> part, Failure failure) {
        int rejected = (int) Math.min(failure.rejected(), part.size());
        long dropped = part.stream()
                .map(EndedSpan::events)
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

    static long events(Iterable<EndedSpan> spans) {
        long events = 0;
        for (EndedSpan span : spans) {
            events += span.events();
        }
        return events;
    }

    /** Counts what is not sent by choice. */
    void leaveOut(Iterable<EndedSpan> spans) {
        acknowledgements.dropped(Ledger.NOT_SAMPLED, events(spans));
    }

    /** Counts what is not even tried. */
    void giveUp(Iterable<EndedSpan> spans) {
        acknowledgements.dropped(Failure.closed().reason(), events(spans));
    }

    /** Ends the request under way, and all that follow, when {@link System#nanoTime} comes to {@code by}. */
    void endBy(long by) {
        attempts.endBy(by);
    }

    /** Ends the request under way at once. */
    CompletableResultCode shutdown() {
        attempts.endBy(System.nanoTime());
        return exporter.shutdown();
    }
}
