package dev.rlm.sinks.otel;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends ended spans. Its buffer drops nothing: where it is full the lane waits, so that the lane's queue is the only place
 * where events can be lost, and there they are counted. Spans of runs that may be left out are {@linkplain HeldSpans held}
 * beside it until the run's end; those of a run that is kept then go out after what is in the buffer, and the lane need
 * not wait for them.
 */
final class SpanExport extends BatchExport<EndedSpan> implements SpanProcessor {
    /** For the settings: however long it takes. */
    static final Duration NO_END = Duration.ofNanos(Long.MAX_VALUE);

    private final HeldSpans held = HeldSpans.bounded(behind()); // guarded by this

    // On the lane only, of the span ended next
    private int covering; // events
    private @Nullable String partOf; // run

    SpanExport(Delivery<EndedSpan> delivery, Settings settings) {
        super("rlm-otel-export", delivery, settings);
    }

    /**
     * Says of the span that is ended next how many events it stands for, and with which run it is kept or left out
     * ({@code null}: it is sent in any case). On the lane only.
     */
    void covering(int events, @Nullable String run) {
        covering = events;
        partOf = run;
    }

    @Override
    public void onEnd(ReadableSpan span) {
        if (!span.getSpanContext().isSampled()) {
            return; // recorded and not to be sent; its events have been counted
        }
        EndedSpan ended = EndedSpan.of(span.toSpanData(), covering);
        synchronized (this) {
            if (partOf != null && isToBeHeld(partOf)) {
                held.add(partOf, ended);
            } else {
                add(ended);
            }
        }
    }

    /** Waits for room, if it is. */
    private boolean isToBeHeld(String run) {
        if (!held.isOpen(run)) { // as nearly always
            return false;
        }
        awaitUnlessClosed(() -> !held.isOpen(run) || hasRoomToHold());
        return held.isOpen(run) && !isClosed();
    }

    /** Where there is none, a run is kept, and there will be some when part of it has been sent. */
    private boolean hasRoomToHold() {
        if (!held.isFull()) {
            return true;
        } else if (behind().isEmpty()) {
            noteWaiting();
            held.releaseLargest();
        }
        hasten();
        return false;
    }

    /** Holds the spans of that run from now on, until it is known whether it is kept. */
    synchronized void hold(String run) {
        held.open(run);
    }

    /** Whether the spans of that run are held; they are not where it is known to be kept. */
    synchronized boolean isHeld(String run) {
        return held.isOpen(run);
    }

    /** Sends what is held of that run. */
    synchronized void release(String run) {
        noteWaiting();
        held.release(run);
        notifyAll();
    }

    /** Sends all that is held. */
    synchronized void releaseAll() {
        noteWaiting();
        held.releaseAll();
        notifyAll();
    }

    /** Leaves out what is held of that run. */
    synchronized void leaveOut(String run) {
        leaveOut(held.remove(run));
    }

    /** What came of the spans, and what is held, for a status. */
    Map<String, Object> facts() {
        Map<String, Object> facts = tally().facts("");
        synchronized (this) {
            facts.putAll(held.facts());
        }
        return facts;
    }

    @Override
    void closing() {
        held.releaseAll();
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

    /** By an exporter. */
    record Way(SpanExporter exporter) implements Delivery.Way<EndedSpan> {
        @Override
        public CompletableResultCode export(List<EndedSpan> spans) {
            return exporter.export(spans.stream().map(EndedSpan::span).toList());
        }

        @Override
        public CompletableResultCode shutdown() {
            return exporter.shutdown();
        }
    }
}
