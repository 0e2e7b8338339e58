package dev.rlm.sinks.otel;

import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a remote parent as W3C Trace Context writes it. */
final class Traceparent {
    private static final TextMapGetter<Map<String, String>> GETTER = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(Map<String, String> carrier) {
            return carrier.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
            return carrier == null ? null : carrier.get(key);
        }
    };

    private Traceparent() {}

    /** A context with the parent; an empty one where there is none, or none that is valid. */
    static Context context(@Nullable String traceparent) {
        return traceparent == null
                ? Context.root()
                : W3CTraceContextPropagator.getInstance()
                        .extract(Context.root(), Map.of("traceparent", traceparent), GETTER);
    }
}
