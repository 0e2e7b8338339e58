package dev.rlm.sinks.otel;

import dev.rlm.sinks.SinkConfig;
import java.util.List;
import java.util.Locale;

/** Choice of names for the spans of runs and steps. */
public enum SpanNames {
    /** {@code rlm.run} and {@code rlm.step}. */
    RLM,
    /** {@code invoke_agent {agent}} and {@code {action} {tool}}: what was done. */
    SEMANTIC;

    private static final List<String> NAMES = List.of("rlm", "semantic");

    /** Reads {@code SPAN_NAMES} of the sink; {@link #RLM} unless set. */
    static SpanNames of(SinkConfig config) {
        return valueOf(config.choice("SPAN_NAMES", "rlm", NAMES).toUpperCase(Locale.ROOT));
    }
}
