package dev.rlm.sinks.otel;

import dev.rlm.sinks.SinkConfig;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a sink says to its OpenTelemetry SDK: properties such as {@code otel.service.name}, and the names of the variables
 * that gave them. They count before what the SDK reads by itself.
 *
 * <p>Where a sink has an endpoint of its own, nothing of what is said of another's is taken over with it, neither from the
 * configuration nor from what the SDK reads by itself: least of all headers, which hold the other back end's key.
 */
final class SdkProperties {
    private static final String OTLP = "otel.exporter.otlp.";
    private static final Pattern ENDPOINT = Pattern.compile("otel\\.exporter\\.otlp\\.((traces|metrics|logs)\\.)?endpoint");
    private static final Pattern PROPERTY = Pattern.compile("\\botel(\\.[a-z0-9_]+)+");

    private final Map<String, String> configured = new HashMap<>();
    private final Map<String, String> built = new HashMap<>();
    private final Map<String, String> variables = new HashMap<>();
    private boolean isolated;

    /** Takes over what a program says by itself, which counts before all else. */
    void build(String property, String value) {
        built.put(property, value);
    }

    /** Takes over what a variable says. */
    void configure(String property, String value, String variable) {
        configured.put(property, value);
        variables.put(property, variable);
    }

    /** Takes over nothing of what is said of OTLP for all sinks. */
    void isolate() {
        isolated = true;
        configured.keySet().removeIf(property -> property.startsWith(OTLP));
    }

    /** What the SDK is to know; {@code null} stands for nothing, whatever it reads by itself. */
    Map<String, @Nullable String> overrides() {
        Map<String, @Nullable String> all = new HashMap<>();
        boolean ownEndpoint = built.keySet().stream().anyMatch(property -> ENDPOINT.matcher(property).matches());
        if (isolated || ownEndpoint) {
            foreign(System.getenv()).forEach(property -> all.put(property, null));
            foreign(System.getProperties()).forEach(property -> all.put(property, null));
        }
        configured.forEach((property, value) -> {
            if (!ownEndpoint || !property.startsWith(OTLP)) {
                all.put(property, value);
            }
        });
        all.putAll(built);
        return all;
    }
}
