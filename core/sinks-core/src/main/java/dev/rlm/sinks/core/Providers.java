package dev.rlm.sinks.core;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Plugins;
import dev.rlm.sinks.Redactor;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.core.content.ErrorText;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The sink providers that are on the class path and in the folder of plug-ins. */
final class Providers {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");
    private static final int MAX_BROKEN = 100;
    private static final String HANGS = "its provider did not answer";

    /** Classes of providers whose answer is overdue in this process, so that each costs its wait once. */
    private static final Set<String> HANGING = ConcurrentHashMap.newKeySet();

    private final Map<String, SinkProvider> byName = new LinkedHashMap<>();
    private final List<SinkStatus> broken = new ArrayList<>();

    private Providers() {}

    /** Finds them all; one that cannot be loaded, or does not answer, becomes a status. */
    static Providers discover(SinkConfig config) {
        Providers providers = new Providers();
        Plugins plugins = new Plugins(config);
        plugins.unreadable().forEach(providers::addBroken);
        Iterator<ServiceLoader.Provider<SinkProvider>> found =
                ServiceLoader.load(SinkProvider.class, plugins.classLoader()).stream()
                        .iterator();
        for (int failures = 0; failures < MAX_BROKEN; ) {
            try {
                if (!found.hasNext()) {
                    break;
                }
                failures += providers.make(found.next()) ? 0 : 1;
            } catch (ServiceConfigurationError | LinkageError e) {
                failures++;
                providers.addBroken(ErrorText.reason(e));
            }
        }
        return providers;
    }

    /** Makes the provider and notes it by its name; whether that went well. */
    @SuppressWarnings("CatchThrowable") // a provider may throw anything, and must not stop the program
    private boolean make(ServiceLoader.Provider<SinkProvider> found) {
        String type = found.type().getName();
        if (HANGING.contains(type)) {
            addBroken(type + ": " + HANGS);
            return false;
        }
        AtomicBoolean answered = new AtomicBoolean();
        Named made;
        try {
            made = Objects.requireNonNull(BoundedCreation.make(
                    "rlm-provider-making",
                    () -> {
                        try {
                            return Named.of(found.get());
                        } finally {
                            answered.set(true);
                        }
                    },
                    HANGS,
                    late -> HANGING.remove(type)));
        } catch (SinkConfigException e) {
            throw e;
        } catch (ServiceConfigurationError e) {
            addBroken(ErrorText.reason(e)); // which names the type
            return false;
        } catch (Throwable e) {
            if (!answered.get()) {
                HANGING.add(type);
            }
            addBroken(type + ": " + ErrorText.reason(e));
            return false;
        }
        add(made);
        return true;
    }

    /**
     * Finds who looks for secrets besides the hub itself.
     *
     * @throws SinkConfigException if one cannot be loaded: without it secrets would get out
     */
    @SuppressWarnings("CatchThrowable") // a redactor may throw anything
    static List<Redactor> redactors(SinkConfig config) {
        ClassLoader loader = new Plugins(config).classLoader();
        Supplier<List<Redactor>> all = () -> ServiceLoader.load(Redactor.class, loader).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        try {
            return Objects.requireNonNull(
                    BoundedCreation.make("rlm-redactor-making", all, "it was not made", unwanted -> {}));
        } catch (Throwable e) {
            throw new SinkConfigException("a redactor cannot be loaded: " + ErrorText.reason(e)
                    + "; mend it, take it away, or turn redaction off with RLM_REDACT=false");
        }
    }

    private void addBroken(String reason) {
        broken.add(new SinkStatus("?", false, false, reason, Ledger.EMPTY));
    }

    private void add(Named made) {
        String type = made.provider().getClass().getName();
        if (!NAME.matcher(made.name()).matches()) {
            throw new SinkConfigException("the sink name '" + made.name() + "' of " + type
                    + " is not valid: expected small letters, digits and hyphens");
        }
        SinkProvider other = byName.putIfAbsent(made.name(), made.provider());
        if (other != null) {
            throw new SinkConfigException("two sinks are named '" + made.name() + "': "
                    + other.getClass().getName() + " and " + type);
        }
    }

    Map<String, SinkProvider> byName() {
        return byName;
    }

    /** Those that could not be loaded, with the reason. */
    List<SinkStatus> broken() {
        return broken;
    }

    /** A provider that has answered once what it is asked again later: one that cannot is found out here. */
    private record Named(SinkProvider provider, String name) {
        static Named of(SinkProvider provider) {
            provider.isEnabledByDefault();
            provider.isDurable();
            provider.allowsSeveral();
            provider.variables();
            provider.exportFormats();
            return new Named(provider, Objects.requireNonNull(provider.name(), "its name is null"));
        }
    }
}
