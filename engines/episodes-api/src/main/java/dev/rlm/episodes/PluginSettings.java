package dev.rlm.episodes;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Check of the settings that a provider is given. */
public final class PluginSettings {
    private PluginSettings() {}

    /**
     * Refuses settings that a provider does not have.
     *
     * @param name of the provider
     * @param known names of those that it has
     * @throws SetupException if another one is given; the message names both
     */
    public static void check(String name, Map<String, String> settings, String... known) throws SetupException {
        Set<String> unknown = new TreeSet<>(settings.keySet());
        List.of(known).forEach(unknown::remove);
        if (!unknown.isEmpty()) {
            throw new SetupException("--set " + name + "." + unknown.iterator().next() + " is unknown: "
                    + (known.length == 0
                            ? "'" + name + "' has no settings"
                            : name + " has " + String.join(", ", known)));
        }
    }
}
