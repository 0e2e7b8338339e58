package dev.rlm.runner.plugin;

import dev.rlm.cli.UsageException;
import dev.rlm.episodes.Provider;
import dev.rlm.episodes.SetupException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Providers of one kind, by name: the program's own, and those of plug-ins. One that cannot be loaded, or does not say its name,
 * is in nobody's way; it is told of where a name is not found. Nor are two of the same name, unless it is asked for.
 */
public final class ProviderRegistry<P extends Provider> {
    private static final int MAX_BROKEN = 100;
    private static final Pattern NAME = Pattern.compile("[a-z0-9]+([-_][a-z0-9]+)*");

    private final String kind;
    private final Map<String, List<P>> byName = new LinkedHashMap<>(); // guarded by this, as is the next
    private @Nullable String broken;

    /**
     * Finds them; where that takes too long, those that are found until then.
     *
     * @param kind their kind, for messages
     * @param own those of the program
     * @param plugins loads those of plug-ins
     */
    public ProviderRegistry(String kind, List<? extends P> own, Class<P> type, ClassLoader plugins, PluginCalls calls) {
        this.kind = kind;
        own.forEach(this::add);
        try {
            calls.run(
                    "finding plug-ins of kind " + kind,
                    () -> findAll(ServiceLoader.load(type, plugins).iterator()));
        } catch (SetupException e) {
            isBroken(String.valueOf(e.getMessage()));
        }
    }

    @SuppressWarnings("CatchThrowable") // a plug-in may throw anything
    private void findAll(Iterator<P> found) {
        for (int failures = 0; failures < MAX_BROKEN; ) {
            try {
                if (!found.hasNext()) {
                    return;
                }
                add(found.next());
            } catch (Throwable e) {
                failures++;
                isBroken(
                        e instanceof ServiceConfigurationError && e.getCause() != null
                                ? e.getMessage() + ": " + e.getCause()
                                : e.toString());
            }
        }
    }

    private void add(P provider) {
        String key = provider.name();
        if (!NAME.matcher(key).matches()) {
            throw new IllegalStateException("the name '" + key + "' of "
                    + provider.getClass().getName() + " is not valid: expected small letters, digits, - and _");
        }
        synchronized (this) {
            byName.computeIfAbsent(key, unknown -> new ArrayList<>()).add(provider);
        }
    }

    private synchronized void isBroken(String reason) {
        broken = broken == null ? reason : broken;
    }

    /**
     * Returns the one of that name.
     *
     * @throws UsageException if there is none, or there are several
     */
    public synchronized P get(String wanted) {
        List<P> found = byName.getOrDefault(wanted, List.of());
        if (found.isEmpty()) {
            throw UsageException.unknown(kind, wanted, byName.keySet(), broken);
        }
        if (found.size() > 1) {
            throw new UsageException("two of kind " + kind + " are named '" + wanted + "': "
                    + found.stream().map(one -> one.getClass().getName()).collect(Collectors.joining(" and ")));
        }
        return found.get(0);
    }
}
