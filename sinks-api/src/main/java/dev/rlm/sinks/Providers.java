package dev.rlm.sinks;

import dev.rlm.sinks.redaction.Redactor;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The sink providers that are on the class path and in the folder of plug-ins. */
final class Providers {
    static final String PLUGINS = "RLM_PLUGINS";

    private static final Pattern NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");
    private static final int MAX_BROKEN = 100;

    private final Map<String, SinkProvider> byName = new LinkedHashMap<>();
    private final List<SinkStatus> broken = new ArrayList<>();

    private Providers() {}

    /** Finds them all; one that cannot be loaded becomes a status. */
    static Providers discover(SinkConfig config) {
        Providers providers = new Providers();
        Iterator<SinkProvider> found = ServiceLoader.load(SinkProvider.class, providers.classLoader(config))
                .iterator();
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
                providers.broken.add(new SinkStatus("?", false, false, ErrorText.reason(e), Ledger.EMPTY));
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
        ClassLoader loader = new Providers().classLoader(config);
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

    private ClassLoader classLoader(SinkConfig config) {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        ClassLoader parent = context == null ? Providers.class.getClassLoader() : context;
        return config.shared()
                .path(PLUGINS)
                .<ClassLoader>map(folder -> new URLClassLoader("rlm-plugins", jars(config, folder), parent))
                .orElse(parent);
    }

    private URL[] jars(SinkConfig config, Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().endsWith(".jar"))
                    .sorted()
                    .filter(this::isReadable)
                    .map(Providers::url)
                    .toArray(URL[]::new);
        } catch (IOException e) {
            throw config.shared().invalid(PLUGINS, "a readable folder of jars");
        }
    }

    /** Class loaders pass over a file that is no jar without a word. */
    private boolean isReadable(Path file) {
        try (JarFile jar = new JarFile(file.toFile())) {
            return jar.size() >= 0;
        } catch (IOException e) {
            broken.add(new SinkStatus("?", false, false, file + " is not a readable jar", Ledger.EMPTY));
            return false;
        }
    }

    private static URL url(Path file) {
        try {
            return file.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException("a file always has an address", e);
        }
    }
}
