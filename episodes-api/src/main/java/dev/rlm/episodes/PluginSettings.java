package dev.rlm.episodes;

import java.util.Map;
import java.util.TreeSet;

/** What providers that have no settings say of them. */
final class PluginSettings {
    private PluginSettings() {}

    static void expectNone(String name, Map<String, String> settings) {
        if (!settings.isEmpty()) {
            throw new SetupException("--set " + name + "." + new TreeSet<>(settings.keySet()).first() + " is unknown: '"
                    + name + "' has no settings");
        }
    }
}
