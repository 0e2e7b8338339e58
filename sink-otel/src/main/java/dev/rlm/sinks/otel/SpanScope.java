package dev.rlm.sinks.otel;

import dev.rlm.sinks.Scope;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.otel.spans.Traceparent;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import java.util.Optional;

/** A span that is current on a thread. */
final class SpanScope implements Scope {
    private final Context context;
    private final io.opentelemetry.context.Scope scope;

    private SpanScope(Context context, io.opentelemetry.context.Scope scope) {
        this.context = context;
        this.scope = scope;
    }

    /** Makes the context, and the span in it, current on this thread. */
    @SuppressWarnings("MustBeClosedChecker") // it is the caller's to close
    static Scope open(Context context) {
        return new SpanScope(context, context.makeCurrent());
    }

    @Override
    public Optional<TraceContext> traceContext() {
        return Traceparent.of(Span.fromContext(context));
    }

    @Override
    public void close() {
        scope.close();
    }
}
