package dev.rlm.sinks.otel;

import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import org.jspecify.annotations.Nullable;

/** Reads a remote parent as W3C Trace Context writes it. */
final class Traceparent {
    private static final TextMapGetter<String> GETTER = (header, name) -> name.equals("traceparent") ? header : null;

    private Traceparent() {}

    /** A context with the parent; an empty one where there is none, or none that is valid. */
    static Context context(@Nullable String traceparent) {
        return traceparent == null
                ? Context.root()
                : W3CTraceContextPropagator.getInstance().extract(Context.root(), traceparent, GETTER);
    }
}
