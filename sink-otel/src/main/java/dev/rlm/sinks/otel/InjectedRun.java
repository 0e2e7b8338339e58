package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepStarted;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import org.jspecify.annotations.Nullable;

/** A run in an OpenTelemetry of the program's own: its spans are started by whoever comes first, lane or scope. */
final class InjectedRun extends OpenRun {
    private @Nullable Span span;

    InjectedRun(RunInfo info, Tracer tracer) {
        super(info, tracer);
    }

    /** One that has ended, of which only its span's context is left. */
    InjectedRun(RunInfo info, Tracer tracer, SpanContext ended) {
        super(info, tracer);
        span = Span.wrap(ended);
    }

    @Override
    synchronized Span span() {
        if (span == null) {
            span = startRun(remoteParent());
        }
        return span;
    }

    @Override
    synchronized boolean isStarted() {
        return span != null;
    }

    @Override
    Span current() {
        return span();
    }

    @Override
    Span current(StepStarted step) {
        OpenStep open = steps().compute(
                        step.step(), (number, known) -> known != null || hasEnded(number) ? known : startStep(step));
        return open == null ? span() : open.span();
    }

    /** Its id is known when it starts, which is when its event comes: what lay in it came before. */
    @Override
    @Nullable
    Span work(long seq) {
        return null;
    }

    @Override
    OpenStep step(StepStarted step) {
        return steps().computeIfAbsent(step.step(), number -> startStep(step));
    }
}
