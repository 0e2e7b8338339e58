package dev.rlm.sinks.otel.settings;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Properties of a sink's OpenTelemetry SDK, such as {@code otel.service.name}, with the variables that they come from.
 * They count before what the SDK reads by itself.
 *
 * <p>A sink with an endpoint of its own ignores all OTLP settings of others, in the configuration and in what the SDK
 * reads by itself: above all headers, which may hold the key of another back end.
 */
public final class SdkProperties {
    /** Number of attributes that a span may have. */
    public static final int ATTRIBUTES = 1_024;

    /** Defaults that differ from OpenTelemetry's own. */
    public static final Map<String, String> DEFAULTS = Map.of(
            "otel.metric.export.interval",
            "10000",
            // What a run's end adds comes last, and must not fall victim to many tags.
            "otel.span.attribute.count.limit",
            String.valueOf(ATTRIBUTES));

    public static final String ENDPOINT = "otel.exporter.otlp.endpoint";
    public static final String PROTOCOL = "otel.exporter.otlp.protocol";

    private static final String OTLP = "otel.exporter.otlp.";
    private static final List<String> HEADERS =
            List.of(OTLP + "headers", OTLP + "traces.headers", OTLP + "metrics.headers", OTLP + "logs.headers");
    private static final Pattern ANY_ENDPOINT =
            Pattern.compile("otel\\.exporter\\.otlp\\.((traces|metrics|logs)\\.)?endpoint");
    private static final Pattern PROPERTY = Pattern.compile("\\botel(\\.[a-z0-9_]+)+");
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern HEADER_VALUE = Pattern.compile("[\\x20-\\x7e\\t]+");

    private final Map<String, String> configured = new HashMap<>();
    private final Map<String, String> variables = new HashMap<>();
    private final Map<String, String> built = new HashMap<>();
    private final Map<String, String> headers = new LinkedHashMap<>();
    private @Nullable String prefix; // of its own, in place of OTEL_
    private @Nullable PresetSettings preset;

    /** Sets a property to the value of a variable. */
    public void configure(String property, String value, String variable) {
        configured.put(property, value);
        variables.put(property, variable);
    }

    /** Has the configuration say all there is of OTLP, by variables with this prefix in place of {@code OTEL_}. */
    public void standAlone(String value) {
        prefix = value;
    }

    /** Has a vendor's variables say what {@code OTEL_*} variables do not. */
    public void preset(PresetSettings value) {
        preset = value;
    }

    /** Returns the settings of a vendor's variables; {@code null} if no vendor is named. */
    public @Nullable PresetSettings preset() {
        return preset;
    }

    /** The message with the names of variables as they hold for this sink. */
    public String withOwnVariables(String message) {
        String named = preset == null ? message : preset.withKeys(message, "OTEL_EXPORTER_OTLP_HEADERS");
        return prefix == null ? named : named.replace("OTEL_EXPORTER_OTLP_", prefix + "EXPORTER_OTLP_");
    }

    /** Sets a property in code, which counts before the variables. */
    public void build(String property, String value) {
        built.put(property, value);
    }

    /** Returns whether a property has been set in code. */
    public boolean isBuilt() {
        return !built.isEmpty();
    }

    /** A header to be sent with everything; those of variables are then not. */
    public void header(String name, String value) {
        if (!HEADER_NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a header has a name that is none"); // it might be the value
        }
        if (value.isBlank() || !HEADER_VALUE.matcher(value).matches()) {
            throw new IllegalArgumentException("the header " + name + " has a value that cannot be sent");
        }
        headers.put(name, value);
        String all = headers.entrySet().stream()
                .map(header -> header.getKey() + "=" + URLEncoder.encode(header.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining(","));
        HEADERS.forEach(property -> build(property, all));
    }

    /** The values of the headers that were given, and the credentials behind a scheme such as {@code Bearer}. */
    public Set<String> secrets() {
        Set<String> secrets = new LinkedHashSet<>(preset == null ? Set.of() : preset.secrets());
        for (String value : headers.values()) {
            secrets.add(value);
            secrets.add(value.substring(value.lastIndexOf(' ') + 1));
        }
        return secrets;
    }

    /**
     * Refuses addresses that cannot be used as they stand.
     *
     * @throws SinkConfigException without the parts that may be secrets
     */
    public static void checkEndpoint(SinkConfig config, String variable) {
        config.url(variable).ifPresent(url -> {
            if (url.getQuery() != null) {
                throw config.invalid(variable, "an address without a query");
            } else if (url.getUserInfo() != null) {
                throw config.invalid(variable, "an address without user and password, which belong in a header");
            }
        });
    }

    /**
     * Refuses headers that cannot be sent, as a variable gives them: {@code name=value,name=value}, percent-encoded.
     *
     * @throws SinkConfigException without the values, which may be secrets
     */
    public static void checkHeaders(String variable, String value) {
        for (String header : value.split(",", -1)) {
            int equals = header.indexOf('=');
            String name = equals < 0 ? "" : header.substring(0, equals).strip();
            if (!header.isBlank() && !HEADER_NAME.matcher(name).matches()) {
                throw new SinkConfigException(variable + " is not valid: expected name=value,name=value");
            } else if (!header.isBlank()
                    && !isValue(header.substring(equals + 1).strip())) {
                throw new SinkConfigException(variable + " is not valid: the header " + name
                        + " has a value that cannot be sent; expected printable ASCII, percent-encoded");
            }
        }
    }

    /** Returns whether a header can have that value: one or more printable ASCII characters or tabs. */
    static boolean isHeaderValue(String value) {
        return HEADER_VALUE.matcher(value).matches();
    }

    private static boolean isValue(String encoded) {
        try {
            String value = URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
            return value.isEmpty() || isHeaderValue(value);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns the properties for the SDK; a {@code null} value unsets one that the SDK reads by itself. */
    public Map<String, @Nullable String> overrides() {
        boolean ownEndpoint = built.keySet().stream()
                .anyMatch(name -> ANY_ENDPOINT.matcher(name).matches());
        boolean standsAlone = prefix != null || ownEndpoint;
        Map<String, @Nullable String> all = new HashMap<>();
        readByTheSdk((name, value) -> {
            if (name.startsWith("otel.") && (value.isBlank() || (standsAlone && name.startsWith(OTLP)))) {
                all.put(name, DEFAULTS.get(name));
            }
        });
        configured.forEach((name, value) -> {
            if (!ownEndpoint || !name.startsWith(OTLP)) {
                all.put(name, value);
            }
        });
        if (preset != null && !ownEndpoint) {
            all.putAll(preset.properties(configured));
        }
        all.putAll(built);
        return all;
    }

    /** Gives the properties, with their values, that the SDK finds in the environment and among the system properties. */
    private static void readByTheSdk(BiConsumer<String, String> properties) {
        Properties ofJava = System.getProperties();
        Map<String, String> all = new HashMap<>(System.getenv());
        ofJava.stringPropertyNames().forEach(name -> all.put(name, ofJava.getProperty(name, "")));
        all.forEach((name, value) -> properties.accept(
                name.toLowerCase(Locale.ROOT).replace('_', '.').replace('-', '.'), value));
    }

    /** The message with properties under the names of the variables that people set. */
    public String withVariables(String message) {
        return PROPERTY.matcher(message)
                .replaceAll(found -> variables.getOrDefault(
                        found.group(), found.group().toUpperCase(Locale.ROOT).replace('.', '_')));
    }
}
