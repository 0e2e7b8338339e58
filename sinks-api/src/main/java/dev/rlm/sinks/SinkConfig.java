package dev.rlm.sinks;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/**
 * Settings, by the names of environment variables. A value given by {@link #with} counts before a system property, that
 * before an environment variable, that before a default. The property of {@code RLM_OTEL_ENABLED} is
 * {@code rlm.otel.enabled}. A blank value counts as none.
 *
 * <p>A sink's configuration has the sink's prefix: to the sink {@code jsonl}, {@code string("DIR", …)} is
 * {@code RLM_JSONL_DIR}. {@link #shared()} gives the names as they are.
 *
 * <p>Every reading method throws a {@link SinkConfigException} where the value is not of its kind.
 */
public final class SinkConfig {
    private static final Supplier<Map<String, String>> OF_PROCESS = ConfigFile::environment;
    private static final int MAX_PORT = 65_535;
    private static final Set<String> TRUE = Set.of("1", "true", "yes", "on");
    private static final Set<String> FALSE = Set.of("0", "false", "no", "off");
    private static final Pattern HTTP = Pattern.compile("https?://", Pattern.CASE_INSENSITIVE);

    // In an address that is not valid a password may hold anything: all before the last at sign may be part of it.
    private static final Pattern USER = Pattern.compile("^(\\w+://)?.*@", Pattern.DOTALL);

    /** Former names of variables, which are read where the present ones are not set. */
    private static final Map<String, String> OLD_NAMES = Map.of(
            "RLM_OTEL_ENABLED", "DSPY_RLM_OTEL_ENABLED",
            "RLM_OTEL_METRICS_ENABLED", "DSPY_RLM_OTEL_METRICS_ENABLED");

    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet(); // one line a process, however many hubs
    private static final Pattern OURS = Pattern.compile("(rlm|otel)\\..+");

    private final String name;
    private final String fallback;
    private final Purpose purpose;
    private final Map<String, String> given;
    private final Supplier<Properties> properties;
    private final Supplier<Map<String, String>> environment;

    private SinkConfig(
            String name,
            String fallback,
            Purpose purpose,
            Map<String, String> given,
            Supplier<Properties> properties,
            Supplier<Map<String, String>> environment) {
        this.name = name;
        this.fallback = fallback;
        this.purpose = purpose;
        this.given = given;
        this.properties = properties;
        this.environment = environment;
    }

    /** This process's system properties, environment variables and file of settings. */
    public static SinkConfig system() {
        return new SinkConfig("", "", Purpose.LIVE, Map.of(), System::getProperties, OF_PROCESS);
    }

    /** Returns whether it has this process's environment variables. */
    public boolean isOfThisProcess() {
        return environment == OF_PROCESS;
    }

    /** The given variables and nothing else. */
    public static SinkConfig of(Map<String, String> variables) {
        Map<String, String> copy = Map.copyOf(variables);
        return new SinkConfig("", "", Purpose.LIVE, Map.of(), Properties::new, () -> copy);
    }

    /** The same with a variable, named in full, set. */
    public SinkConfig with(String variable, String value) {
        Map<String, String> more = new LinkedHashMap<>(given);
        more.put(variable, value);
        return new SinkConfig(name, fallback, purpose, more, properties, environment);
    }

    /** The configuration of the sink of that name. */
    public SinkConfig sink(String name) {
        return new SinkConfig(name, name, purpose, given, properties, environment);
    }

    /** The configuration of a further sink: what is not said of it is as it is said of the first one. */
    public SinkConfig furtherSink(String name, String first) {
        return new SinkConfig(name, first, purpose, given, properties, environment);
    }

    /** The configuration without a prefix. */
    public SinkConfig shared() {
        return new SinkConfig("", "", purpose, given, properties, environment);
    }

    /** The name of the sink that is configured; empty for the configuration without a prefix. */
    public String name() {
        return name;
    }

    /** The same for a hub that is made for that. */
    public SinkConfig with(Purpose value) {
        return new SinkConfig(name, fallback, value, given, properties, environment);
    }

    /** Returns whether sinks that keep the record have it already. */
    public boolean isRecorded() {
        return isResending() && purpose != Purpose.IMPORTING;
    }

    /**
     * Returns whether the events to come were recorded earlier and are sent again, with their own times and numbers. Then a run
     * may be left in its middle, and is to be sent as a whole another time: its end must not be made up.
     */
    public boolean isResending() {
        return purpose != Purpose.LIVE;
    }

    /** Returns whether the events to come were counted when they first came, so that to measure them again would double them. */
    public boolean isCounted() {
        return purpose == Purpose.RESENDING || purpose == Purpose.IMPORTING || isRecovering();
    }

    /**
     * Returns whether the events to come are of processes that died, which could not tell that their runs were
     * abandoned.
     */
    public boolean isRecovering() {
        return purpose == Purpose.RECOVERING;
    }

    /** The prefix of the variables of that sink. */
    public static String prefixOf(String sink) {
        return sink.isEmpty() ? "" : "RLM_" + sink.toUpperCase(Locale.ROOT).replace('-', '_') + "_";
    }

    /** The full name of a setting of this sink. */
    public String variable(String setting) {
        return prefixOf(name) + setting;
    }

    /** The value, trimmed, where there is one. */
    public Optional<String> string(String setting) {
        return asGiven(setting).map(String::strip);
    }

    private Optional<String> asGiven(String setting) {
        return value(variable(setting)).or(() -> value(prefixOf(fallback) + setting));
    }

    private Optional<String> value(String variable) {
        return valueOf(nameInUse(variable));
    }

    /** The variable's name, or its former one where that alone is set. */
    private String nameInUse(String variable) {
        String old = OLD_NAMES.get(variable);
        return old != null && valueOf(variable).isEmpty() && valueOf(old).isPresent() ? old : variable;
    }

    private Optional<String> valueOf(String variable) {
        String property = variable.toLowerCase(Locale.ROOT).replace('_', '.');
        return Stream.of(
                        given.get(variable),
                        properties.get().getProperty(property),
                        environment.get().get(variable))
                .filter(value -> value != null && !value.isBlank())
                .findFirst();
    }

    /** The value, or the default. */
    public String string(String name, String defaultValue) {
        return string(name).orElse(defaultValue);
    }

    /** A switch: 1, true, yes, on; 0, false, no, off; in any case. */
    public boolean bool(String name, boolean defaultValue) {
        return string(name)
                .map(value -> value.toLowerCase(Locale.ROOT))
                .map(value -> {
                    if (!TRUE.contains(value) && !FALSE.contains(value)) {
                        throw invalid(name, "true or false (or 1, yes, on, 0, no, off)");
                    }
                    return TRUE.contains(value);
                })
                .orElse(defaultValue);
    }

    /** A whole number within bounds. */
    public int integer(String name, int defaultValue, int min, int max) {
        return string(name)
                .map(value -> value.matches("[+-]?\\d{1,10}") ? Long.parseLong(value) : Long.MAX_VALUE)
                .map(number -> {
                    if (number < min || number > max) {
                        throw invalid(name, "a whole number from " + min + " to " + max);
                    }
                    return number.intValue();
                })
                .orElse(defaultValue);
    }

    /** One of the given words, in any case. */
    public String choice(String name, String defaultValue, List<String> allowed) {
        return string(name)
                .map(value -> value.toLowerCase(Locale.ROOT))
                .map(value -> {
                    if (!allowed.contains(value)) {
                        throw invalid(name, "one of " + String.join(", ", allowed));
                    }
                    return value;
                })
                .orElse(defaultValue);
    }

    /** A time such as {@code 200ms}, {@code 1.5s}, {@code 30m}, {@code 12h} or {@code 7d}; or {@code 0}: see {@link Quantity}. */
    public Duration duration(String name, Duration defaultValue) {
        return string(name)
                .map(value -> Quantity.duration(value)
                        .orElseThrow(() -> invalid(name, "a time such as 90s, 30m, 12h or 7d, or 0")))
                .orElse(defaultValue);
    }

    /** A size in bytes, such as {@code 64MB} (64 million), {@code 1GiB} (2^30) or {@code 0}: see {@link Quantity}. */
    public long bytes(String name, long defaultValue) {
        return string(name)
                .map(value -> Quantity.bytes(value)
                        .orElseThrow(() -> invalid(name, "a size such as 500KB, 64MB or 1GiB, or 0")))
                .orElse(defaultValue);
    }

    /** A path of this machine, with the blanks at its ends: a command that is given it as an argument takes them too. */
    public Optional<Path> path(String name) {
        return asGiven(name).map(value -> {
            try {
                return Path.of(value);
            } catch (InvalidPathException e) {
                throw invalid(name, "a path");
            }
        });
    }

    /** An http or https address. */
    public Optional<URI> url(String name) {
        return string(name).map(value -> {
            try {
                URI url = new URI(value);
                if (url.getHost() != null
                        && url.getPort() <= MAX_PORT
                        && HTTP.matcher(value).lookingAt()) {
                    return url;
                }
            } catch (URISyntaxException e) {
                // said below
            }
            throw invalid(name, "an address such as http://localhost:4317");
        });
    }

    /** The exception that says that the setting's value, shown without user and query, is not what it should be. */
    public SinkConfigException invalid(String name, String expected) {
        String shown =
                USER.matcher(string(name).orElse("")).replaceFirst("$1…@").replaceFirst("\\?.*", "?…");
        String first = prefixOf(fallback) + name;
        String variable = value(variable(name)).isEmpty() && value(first).isPresent() ? first : variable(name);
        return new SinkConfigException(nameInUse(variable) + "=" + shown + " is not valid: expected " + expected);
    }

    /**
     * The full names of all variables that are set by {@link #with}, as a system property or in the environment; of those
     * that are set by a former name the present one too.
     */
    public Set<String> variables() {
        Set<String> all = new LinkedHashSet<>();
        forEachValue(OURS.asMatchPredicate(), (variable, value) -> all.add(variable));
        all.addAll(setByOldNames());
        return all;
    }

    /**
     * Says in the log which variables are set by their former names, and which ones the file of settings of an untrusted folder
     * sets in vain: each once in a process.
     */
    public void tellOldNames() {
        String names = setByOldNames().stream()
                .filter(TOLD::add)
                .map(variable -> OLD_NAMES.get(variable) + " is an old name of " + variable)
                .collect(Collectors.joining(", "));
        if (!names.isEmpty()) { // only then: a program sets its log up by what it reads here
            LoggerFactory.getLogger("dev.rlm.sinks").warn("{}; where both are set the new name counts", names);
        }
        String inVain = isOfThisProcess()
                ? ConfigFile.leftOut().stream().filter(TOLD::add).collect(Collectors.joining(", "))
                : "";
        if (!inVain.isEmpty()) {
            LoggerFactory.getLogger("dev.rlm.sinks")
                    .warn(
                            "rlm.properties sets {} in vain: a folder may say that only once it is trusted (rlm trust)",
                            inVain);
        }
    }

    private Set<String> setByOldNames() {
        return OLD_NAMES.entrySet().stream()
                .filter(name -> valueOf(name.getValue()).isPresent())
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Every value by the full name of its variable, also where another counts before it; all system properties too. */
    public void forEachValue(BiConsumer<String, String> consumer) {
        forEachValue(property -> true, consumer);
    }

    private void forEachValue(Predicate<String> chosen, BiConsumer<String, String> consumer) {
        environment.get().forEach(consumer);
        Properties all = properties.get();
        for (String property : all.stringPropertyNames()) {
            if (chosen.test(property)) {
                String variable = property.toUpperCase(Locale.ROOT).replace('.', '_');
                consumer.accept(variable, all.getProperty(property, ""));
            }
        }
        given.forEach(consumer);
    }

    /** The purpose of a hub. */
    public enum Purpose {
        /** Recording what happens now. */
        LIVE,
        /** Sending events again that were recorded earlier: see {@link Sinks.Builder#resending}. */
        RESENDING,
        /** Sending events again, and measuring them again: see {@link Sinks.Builder#resendingAndMeasuring}. */
        RESENDING_AND_MEASURING,
        /** Sending what died on its way with a process: see {@link Sinks.Builder#recovering}. */
        RECOVERING,
        /** Taking events that were recorded elsewhere: see {@link Sinks.Builder#importing}. */
        IMPORTING
    }
}
