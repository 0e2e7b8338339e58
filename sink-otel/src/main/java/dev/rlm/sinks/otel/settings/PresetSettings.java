package dev.rlm.sinks.otel.settings;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link Preset}, read from the vendor's variables, as properties of OpenTelemetry. What {@code OTEL_*} variables
 * say counts before each of them; headers and resource attributes are put together by name.
 */
public final class PresetSettings {
    private static final String OTLP = "otel.exporter.otlp.";
    private static final String HEADERS = OTLP + "headers";
    private static final String RESOURCE = "otel.resource.attributes";
    private static final String NONE = "none";
    private static final List<String> SIGNALS = List.of("traces", "metrics", "logs");
    private static final Pattern REGION = Pattern.compile("pylf_v\\d+_([a-z]+)_.*");

    private final Preset preset;
    private final SinkConfig shared;
    private final String variable;
    private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final Map<String, String> resource = new LinkedHashMap<>();
    private final Set<String> secrets = new LinkedHashSet<>();
    private final List<String> keys = new ArrayList<>();
    private String address = "";
    private boolean addressIsSet;
    private String path = "";
    private @Nullable String page;
    private boolean tracesOnly;

    /** @param variable the one that names the preset */
    PresetSettings(Preset preset, SinkConfig shared, String variable) {
        this.preset = preset;
        this.shared = shared;
        this.variable = variable;
    }

    // ---- what the preset says

    /** Names the variables without which nothing can be sent. */
    PresetSettings needs(String... variables) {
        List<String> missing =
                Stream.of(variables).filter(each -> value(each).isEmpty()).toList();
        if (!missing.isEmpty()) {
            throw new SinkConfigException(String.join(", ", missing) + (missing.size() == 1 ? " is" : " are")
                    + " not set: " + variable + "=" + preset.label() + " needs " + String.join(", ", variables));
        }
        return this;
    }

    /** Names the variables of the server's address, of which the first that is set counts. */
    PresetSettings address(String byDefault, String... variables) {
        address = byDefault;
        for (String each : variables) {
            if (!addressIsSet && value(each).isPresent()) {
                SdkProperties.checkEndpoint(shared, each);
                address = without(shared.string(each, ""), "/v1/traces");
                addressIsSet = true;
            }
        }
        return this;
    }

    /** Sets the path of OTLP on the server; an address may end with it already. */
    PresetSettings path(String value) {
        path = value;
        address = without(address, path);
        return this;
    }

    PresetSettings header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /** A header that a variable holds, if it is set. */
    PresetSettings named(String header, String from) {
        value(from).ifPresent(value -> header(header, sendable(value, from)));
        return this;
    }

    /** A header with a key, if the variable is set. */
    PresetSettings key(String header, String scheme, String from) {
        value(from).ifPresent(key -> {
            secrets.add(key);
            keys.add(from);
            header(header, scheme + sendable(key, from));
        });
        return this;
    }

    /** The header of a user and a password, if both variables are set. */
    PresetSettings basic(String user, String password) {
        Optional<String> name = value(user);
        Optional<String> secret = value(password);
        if (name.isPresent() && secret.isPresent()) {
            byte[] pair = (name.get() + ":" + secret.get()).getBytes(StandardCharsets.UTF_8);
            String encoded = Base64.getEncoder().encodeToString(pair);
            secrets.addAll(List.of(secret.get(), encoded));
            keys.addAll(List.of(user, password));
            header("Authorization", "Basic " + encoded);
        }
        return this;
    }

    /** An attribute of the resource that a variable holds, if it is set. */
    PresetSettings resource(String attribute, String from) {
        value(from).ifPresent(value -> resource.put(attribute, value));
        return this;
    }

    /** Sets the path of a trace's page on the server. */
    PresetSettings page(String template) {
        page = template;
        return this;
    }

    /** Sends neither metrics nor logs, of which the vendor takes none. */
    PresetSettings tracesOnly() {
        tracesOnly = true;
        return this;
    }

    /** The address with the region that a key names. */
    String regional(String template, String key, String byDefault) {
        Matcher region = REGION.matcher(value(key).orElse(""));
        return String.format(template, region.matches() ? region.group(1) : byDefault);
    }

    private Optional<String> value(String name) {
        return shared.string(name);
    }

    private String sendable(String value, String from) {
        if (!SdkProperties.isHeaderValue(value)) { // not shown: it may be a key
            throw new SinkConfigException(from + " is not valid: expected printable ASCII, which a header can hold");
        }
        return value;
    }

    private static String without(String url, String end) {
        String plain = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
        return plain.endsWith(end) ? plain.substring(0, plain.length() - end.length()) : plain;
    }

    // ---- what becomes of it

    public Preset preset() {
        return preset;
    }

    /** The keys, in each form in which they are sent. */
    Set<String> secrets() {
        return secrets;
    }

    /** The message with the variables of the keys in the place of that one. */
    String withKeys(String message, String headersVariable) {
        return keys.isEmpty() ? message : message.replace(headersVariable, String.join(", ", keys));
    }

    /** The template of the address of a trace's page, where there is one. */
    public Optional<String> traceUrl() {
        return Optional.ofNullable(page).map(template -> address + template);
    }

    /**
     * Returns the server's address, without the path of OTLP.
     *
     * @param endpoint where spans are sent, which tells it if the vendor's variables do not
     */
    public String server(@Nullable String endpoint) {
        return addressIsSet || endpoint == null ? address : without(without(endpoint, "/v1/traces"), path);
    }

    /**
     * Returns the properties that it adds to the ones that are said, or puts in their place.
     *
     * @param said what {@code OTEL_*} variables say, by property
     */
    Map<String, String> properties(Map<String, String> said) {
        Map<String, String> all = new HashMap<>();
        all.put(SdkProperties.ENDPOINT, address + path);
        all.put(SdkProperties.PROTOCOL, "http/protobuf");
        all.keySet().removeAll(said.keySet());
        if (!headers.isEmpty()) {
            all.put(HEADERS, list(headers, said.get(HEADERS)));
            SIGNALS.stream()
                    .map(signal -> OTLP + signal + ".headers")
                    .filter(said::containsKey)
                    .forEach(property -> all.put(property, list(headers, said.get(property))));
        }
        if (!resource.isEmpty()) {
            all.put(RESOURCE, list(resource, said.get(RESOURCE)));
        }
        SIGNALS.stream()
                .filter(signal -> tracesOnly && !signal.equals("traces"))
                .filter(signal -> !said.containsKey(OTLP + signal + ".endpoint")) // it goes elsewhere
                .map(signal -> "otel." + signal + ".exporter")
                .filter(property -> said.getOrDefault(property, "otlp").equals("otlp"))
                .forEach(property -> all.put(property, NONE));
        return all;
    }

    /** A list such as {@code a=b,c=d}; what is said of a name takes the place of what the preset says. */
    private static String list(Map<String, String> entries, @Nullable String said) {
        Set<String> names = Stream.of(said == null ? new String[0] : said.split(",", -1))
                .map(entry -> entry.split("=", 2)[0].strip())
                .collect(Collectors.toCollection(() -> new java.util.TreeSet<>(String.CASE_INSENSITIVE_ORDER)));
        Stream<String> own = entries.entrySet().stream()
                .filter(entry -> !names.contains(entry.getKey()))
                .map(entry -> entry.getKey() + "=" + encoded(entry.getValue()));
        return Stream.concat(own, Stream.ofNullable(said)).collect(Collectors.joining(","));
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
