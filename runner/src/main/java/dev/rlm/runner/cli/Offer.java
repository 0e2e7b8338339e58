package dev.rlm.runner.cli;

import dev.rlm.sinks.Plugins;
import dev.rlm.sinks.SinkConfig;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Providers of one kind, by name: the program's own, and those of plug-ins. One that cannot be loaded is in nobody's way; it is
 * told of where a name is not found.
 */
final class Offer<P> {
    private static final int MAX_BROKEN = 100;

    private final String kind;
    private final Function<P, String> name;
    private final Map<String, P> byName = new LinkedHashMap<>();
    private @Nullable String broken;

    Offer(String kind, Function<P, String> name, List<P> own) {
        this.kind = kind;
        this.name = name;
        own.forEach(this::add);
    }

    /** Adds those on the class path and in the folder of plug-ins. */
    void discover(Class<P> type, SinkConfig config) {
        Iterator<P> found =
                ServiceLoader.load(type, Plugins.of(config).classLoader()).iterator();
        for (int failures = 0; failures < MAX_BROKEN; ) {
            try {
                if (!found.hasNext()) {
                    return;
                }
                add(found.next());
            } catch (ServiceConfigurationError | LinkageError e) {
                failures++;
                broken = e.toString();
            }
        }
    }

    private void add(P provider) {
        String key = name.apply(provider);
        P other = byName.putIfAbsent(key, provider);
        if (other != null) {
            throw new UsageException("two of kind " + kind + " are named '" + key + "': "
                    + other.getClass().getName() + " and " + provider.getClass().getName());
        }
    }

    P get(String wanted) {
        P provider = byName.get(wanted);
        if (provider == null && broken != null) {
            throw new UsageException(
                    "unknown " + kind + " '" + wanted + "', and a plug-in cannot be loaded: " + broken);
        }
        UsageException.checkKnown(kind, wanted, byName.keySet());
        return Objects.requireNonNull(provider);
    }
}
