package dev.rlm.episodes;

import java.util.Map;

/** Brings one thing that users choose by its name. Found by {@link java.util.ServiceLoader}; one is used for a whole job. */
public interface Provider extends AutoCloseable {
    /** Returns the name that it is chosen by: small letters, digits, hyphens and underscores. */
    String name();

    /**
     * Is told, before anything else and once, what the user has set for it ({@code --set NAME.KEY=VALUE}, without
     * {@code NAME.}).
     *
     * @throws SetupException if it knows no such setting, or not the value, or cannot work here
     */
    default void open(Map<String, String> settings) throws SetupException {
        PluginSettings.check(name(), settings);
    }

    /** The job is over. */
    @Override
    default void close() {}
}
