package dev.rlm.sinks.otel.mapping;

/** Choice of names for the spans of runs and steps. */
public enum SpanNames {
    /** {@code rlm.run} and {@code rlm.step}. */
    RLM,
    /** {@code invoke_agent {agent}} and {@code {action} {tool}}: what was done. */
    SEMANTIC
}
