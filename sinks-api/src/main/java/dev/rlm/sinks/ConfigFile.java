package dev.rlm.sinks;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** File of settings, in the form of {@link Properties}: {@code RLM_OTEL_ENABLED=true} or {@code rlm.otel.enabled=true}. */
final class ConfigFile {
    private static final Path USUAL = Path.of("rlm.properties");

    /** Names of what says where keys and records go, what code is loaded, and whether secrets are taken out. */
    private static final Pattern OF_THE_USER = Pattern.compile(
            ".*(?<!TRACE)_(URL|URI|ENDPOINT|HEADERS|PROXY|HOST|PLUGINS|INSECURE_TLS|CERT_PATH|CERTIFICATE)|RLM_REDACT");

    private static @Nullable Map<String, String> environment;
    private static Set<String> leftOut = Set.of();

    private ConfigFile() {}

    /**
     * Returns this process's environment variables, with those of the file that {@code RLM_CONFIG} names below them, else of
     * {@code rlm.properties} in the working folder where there is one. That may have come with the folder: what is the user's
     * to say counts only where the folder is trusted.
     */
    static synchronized Map<String, String> environment() {
        Map<String, String> all = environment;
        if (all == null) {
            String named = System.getenv().getOrDefault("RLM_CONFIG", "");
            all = named.isBlank() && !Files.exists(USUAL) ? new HashMap<>() : read(named);
            all.putAll(System.getenv());
            environment = all;
        }
        return all;
    }

    /** Returns the names that the folder's file sets and that do not count. */
    static synchronized Set<String> leftOut() {
        return leftOut;
    }

    private static Map<String, String> read(String named) {
        Properties found = new Properties();
        try {
            if (named.isBlank() && !Files.isRegularFile(USUAL)) {
                throw new IOException("a pipe may never end");
            }
            try (Reader file = Files.newBufferedReader(named.isBlank() ? USUAL : Path.of(named))) {
                found.load(file);
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new SinkConfigException((named.isBlank() ? "rlm.properties" : "RLM_CONFIG=" + named)
                    + " cannot be read: expected a file of lines such as RLM_OTEL_ENABLED=true");
        }
        Map<String, String> settings = new HashMap<>();
        found.forEach((key, value) ->
                settings.put(key.toString().toUpperCase(Locale.ROOT).replace('.', '_'), value.toString()));
        if (named.isBlank() && !TrustedFolders.contains(Path.of(""))) {
            leftOut = settings.keySet().stream()
                    .filter(OF_THE_USER.asMatchPredicate())
                    .collect(Collectors.toCollection(TreeSet::new));
            settings.keySet().removeAll(leftOut);
        }
        return settings;
    }
}
