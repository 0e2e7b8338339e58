package dev.rlm.sinks;

import dev.rlm.sinks.redaction.Redactor;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The sink providers that are on the class path and in the folder of plug-ins. */
final class Providers {
    private static final Pattern NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");
    private static final int MAX_BROKEN = 100;

    private final Map<String, SinkProvider> byName = new LinkedHashMap<>();
    private final List<SinkStatus> broken = new ArrayList<>();

    private Providers() {}

    /** Finds them all; one that cannot be loaded becomes a status. */
    static Providers discover(SinkConfig config) {
        Providers providers = new Providers();
        Plugins plugins = Plugins.of(config);
        plugins.unreadable().forEach(providers::addBroken);
        Iterator<SinkProvider> found =
                ServiceLoader.load(SinkProvider.class, plugins.classLoader()).iterator();
        for (int failures = 0; failures < MAX_BROKEN; ) {
            try {
                if (!found.hasNext()) {
                    break;
                }
                SinkProvider provider = found.next();
                probe(provider);
                providers.add(provider);
            } catch (SinkConfigException e) {
                throw e;
            } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
                failures++;
                providers.addBroken(ErrorText.reason(e));
            }
        }
        return providers;
    }

    /**
     * Finds who looks for secrets besides the hub itself.
     *
     * @throws SinkConfigException if one cannot be loaded: without it secrets would get out
     */
    @SuppressWarnings("CatchThrowable") // a redactor may throw anything
    static List<Redactor> redactors(SinkConfig config) {
        ClassLoader loader = Plugins.of(config).classLoader();
        Supplier<List<Redactor>> all = () -> ServiceLoader.load(Redactor.class, loader).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        try {
            return Objects.requireNonNull(Making.make("rlm-redactor-making", all, "it was not made", unwanted -> {}));
        } catch (Throwable e) {
            throw new SinkConfigException("a redactor cannot be loaded: " + ErrorText.reason(e)
                    + "; mend it, take it away, or turn redaction off with RLM_REDACT=false");
        }
    }

    /** Has a provider answer once what it is asked again later: one that cannot is found out here. */
    private static void probe(SinkProvider provider) {
        provider.isEnabledByDefault();
        provider.isDurable();
        provider.variables();
        provider.exportFormats();
    }

    private void addBroken(String reason) {
        broken.add(new SinkStatus("?", false, false, reason, Ledger.EMPTY));
    }

    private void add(SinkProvider provider) {
        String name = provider.name();
        if (!NAME.matcher(name).matches()) {
            throw new SinkConfigException("the sink name '" + name + "' of "
                    + provider.getClass().getName() + " is not valid: expected small letters, digits and hyphens");
        }
        SinkProvider other = byName.putIfAbsent(name, provider);
        if (other != null) {
            throw new SinkConfigException("two sinks are named '" + name + "': "
                    + other.getClass().getName() + " and " + provider.getClass().getName());
        }
    }

    /** The providers by name. */
    Map<String, SinkProvider> byName() {
        return byName;
    }

    /** Those that could not be loaded, with the reason. */
    List<SinkStatus> broken() {
        return broken;
    }
}
