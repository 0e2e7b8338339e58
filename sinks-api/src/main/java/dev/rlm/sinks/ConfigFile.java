package dev.rlm.sinks;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** File of settings, in the form of {@link Properties}: {@code RLM_OTEL_ENABLED=true} or {@code rlm.otel.enabled=true}. */
final class ConfigFile {
    private static final Path USUAL = Path.of("rlm.properties");
    private static @Nullable Map<String, String> environment;

    private ConfigFile() {}

    /**
     * Returns this process's environment variables, with those of the file that {@code RLM_CONFIG} names below them, else of
     * {@code rlm.properties} in the working folder where there is one. That may have come with the folder, so it loads no code.
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

    private static Map<String, String> read(String named) {
        Properties found = new Properties();
        try (Reader file = Files.newBufferedReader(named.isBlank() ? USUAL : Path.of(named))) {
            found.load(file);
        } catch (IOException | IllegalArgumentException e) {
            throw new SinkConfigException((named.isBlank() ? "rlm.properties" : "RLM_CONFIG=" + named)
                    + " cannot be read: expected a file of lines such as RLM_OTEL_ENABLED=true");
        }
        Map<String, String> settings = new HashMap<>();
        found.forEach((key, value) ->
                settings.put(key.toString().toUpperCase(Locale.ROOT).replace('.', '_'), value.toString()));
        if (named.isBlank() && settings.containsKey(Plugins.FOLDER)) {
            throw new SinkConfigException(
                    "rlm.properties loads code by RLM_PLUGINS: expected that in the environment, or in the file of RLM_CONFIG");
        }
        return settings;
    }
}
