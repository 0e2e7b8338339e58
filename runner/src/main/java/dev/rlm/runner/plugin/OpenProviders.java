package dev.rlm.runner.plugin;

import dev.rlm.cli.Registry;
import dev.rlm.episodes.Provider;
import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.RewardProvider;
import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.ToolSource;
import dev.rlm.sinks.Plugins;
import dev.rlm.sinks.SinkConfig;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Providers that are looked for, the program's own and those of plug-ins, and opened until this is closed. For one thread. */
public final class OpenProviders implements AutoCloseable {
    private static final Duration CLOSE_TIME = Duration.ofSeconds(5);

    private final PluginCalls calls;
    private final ClassLoader plugins; // one for all, since they may share classes
    private final Deque<Opened> opened = new ArrayDeque<>(); // the last one first

    /** None yet. */
    public OpenProviders(SinkConfig config) {
        calls = PluginCalls.of(config);
        plugins = new Plugins(config).classLoader();
    }

    /** Finds providers; where that takes too long, those that are found until then. */
    public <P extends Provider> Registry<P> find(String kind, Class<P> type, List<? extends P> own) {
        Registry<P> registry = new Registry<>(kind);
        Consumer<P> add = provider -> registry.add(provider.name(), provider.getClass(), provider);
        own.forEach(add);
        try {
            calls.run(
                    "finding plug-ins of kind " + kind,
                    () -> registry.forEach(ServiceLoader.load(type, plugins).iterator(), add));
        } catch (SetupException e) {
            registry.isBroken(String.valueOf(e.getMessage()));
        }
        return registry;
    }

    /**
     * Opens one, which is closed with this.
     *
     * @param settings of all, of which it gets its own
     */
    public void open(String kind, Provider provider, Map<String, String> settings) {
        String what = kind + " '" + provider.name() + "'";
        Map<String, String> own = new TreeMap<>();
        settings.forEach((key, value) -> {
            if (key.startsWith(provider.name() + ".")) {
                own.put(key.substring(provider.name().length() + 1), value);
            }
        });
        calls.run("opening " + what, () -> provider.open(own));
        add(what, provider);
    }

    /** Opens the provider of a reward function, and has it make that. */
    public RewardFunction reward(RewardProvider provider, Map<String, String> settings) {
        open("reward", provider, settings);
        List<RewardFunction> made = new ArrayList<>();
        run("making reward '" + provider.name() + "'", () -> made.add(provider.create()));
        return made.get(0);
    }

    /** Closes something else with this. */
    public void add(String what, AutoCloseable part) {
        opened.push(new Opened(what, part));
    }

    /** Calls a plug-in. */
    public void run(String what, PluginCalls.Task task) {
        calls.run(what, task);
    }

    /** Returns what finds the classes of plug-ins. */
    public ClassLoader classLoader() {
        return plugins;
    }

    /** The job is over, whatever its parts say to that. */
    @Override
    public void close() {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    private record Opened(String what, AutoCloseable part) {
        void close() {
            if (part instanceof ToolSource tools) {
                tools.close(); // bounds itself, and must not be left with its processes
                return;
            }
            try {
                PluginCalls.of(CLOSE_TIME).run("closing " + what, part::close);
            } catch (SetupException e) {
                Logger log = LoggerFactory.getLogger(OpenProviders.class); // not before the command is parsed
                log.warn("{}", e.getMessage());
            }
        }
    }
}
