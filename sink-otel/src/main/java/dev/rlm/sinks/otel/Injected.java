package dev.rlm.sinks.otel;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import org.jspecify.annotations.Nullable;

/**
 * An OpenTelemetry that is not the sink's own.
 *
 * @param description whose it is, for people
 */
record Injected(OpenTelemetry telemetry, String description) {
    private static final String AGENT = "io.opentelemetry.javaagent.";

    static Injected given(OpenTelemetry telemetry) {
        return new Injected(telemetry, "an OpenTelemetry of the program's own");
    }

    /**
     * Returns the global OpenTelemetry; {@code null} if none is set. A plain {@code get} would then set one, and a
     * later attempt to set another would fail.
     */
    static @Nullable Injected global() {
        if (!GlobalOpenTelemetry.isSet()) {
            return null;
        }
        OpenTelemetry global = GlobalOpenTelemetry.getOrNoop();
        boolean agent = global.getTracerProvider().getClass().getName().startsWith(AGENT);
        return new Injected(
                global, agent ? "the OpenTelemetry of the Java agent" : "the global OpenTelemetry of the program");
    }
}
