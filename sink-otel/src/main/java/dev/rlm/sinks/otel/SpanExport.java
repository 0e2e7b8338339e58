package dev.rlm.sinks.otel;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.List;

/**
 * Sends ended spans. Its buffer drops nothing: where it is full the lane waits, so that the lane's queue is the only place
 * where events can be lost, and there they are counted.
 */
final class SpanExport extends BatchExport<EndedSpan> implements SpanProcessor {
    /** For the settings: however long it takes. */
    static final Duration NO_END = Duration.ofNanos(Long.MAX_VALUE);

    private int covering; // on the lane only: events that the span ended next stands for

    SpanExport(Delivery<EndedSpan> delivery, Settings settings) {
        super("rlm-otel-export", delivery, settings);
    }

    /** Says how many events the span that is ended next stands for. On the lane only. */
    void covering(int events) {
        covering = events;
    }

    @Override
    public void onEnd(ReadableSpan span) {
        if (span.getSpanContext().isSampled()) { // else recorded and not to be sent; its events have been counted
            add(EndedSpan.of(span.toSpanData(), covering));
        }
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
