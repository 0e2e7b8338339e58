package dev.rlm.sinks.otel.spans;

import dev.rlm.sinks.event.TraceContext;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads and writes a parent's span as W3C Trace Context does. */
public final class Traceparent {
    private static final TextMapGetter<Map<String, String>> GETTER =
            (headers, name) -> headers == null ? null : headers.get(name);

    private Traceparent() {}

    /** Returns a context with the parent's span; an empty one without a parent. */
    public static Context context(@Nullable TraceContext parent) {
        return parent == null
                ? Context.root()
                : W3CTraceContextPropagator.getInstance().extract(Context.root(), parent.toMap(), GETTER);
    }

    /** Returns the trace context for children of the span; empty if the span's ids are not valid. */
    public static Optional<TraceContext> of(Span span) {
        SpanContext context = span.getSpanContext();
        if (!context.isValid()) {
            return Optional.empty();
        } else if (context.getTraceState().isEmpty()) { // as nearly all are: no propagator and its map are needed
            return Optional.of(new TraceContext(
                    "00-" + context.getTraceId() + "-" + context.getSpanId() + "-"
                            + context.getTraceFlags().asHex(),
                    null,
                    null));
        }
        Map<String, String> headers = new HashMap<>();
        W3CTraceContextPropagator.getInstance().inject(Context.root().with(span), headers, Map::put);
        return Optional.of(TraceContext.from(headers));
    }
}
