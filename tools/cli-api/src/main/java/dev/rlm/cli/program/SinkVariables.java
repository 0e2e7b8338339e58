package dev.rlm.cli.program;

import dev.rlm.journal.index.IndexCache;
import dev.rlm.sinks.HubProvider;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.SinkProvider.Variable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/** The variables that anything here reads, each declared by what reads it. */
public final class SinkVariables {
    private static final String ENABLED = "ENABLED";
    /** Stands in names of variables for the name of a further sink. */
    public static final String ITS_NAME = "<NAME>";

    /** Those of the program itself. */
    public static final List<Variable> PROGRAMS = List.of(
            new Variable(
                    "RLM_CONFIG",
                    "rlm.properties",
                    "file of settings, which count where the environment says nothing; of an untrusted"
                            + " folder's rlm.properties what is the user's to say is left out"),
            new Variable(
                    IndexCache.VARIABLE,
                    "$XDG_CACHE_HOME/rlm/index, else ~/.cache/rlm/index",
                    "where indexes of journals are kept; none keeps none"),
            new Variable("RLM_LOG_LEVEL", "warn", "what is logged to stderr: trace, debug, info, warn, error, off"));

    private final SinkConfig config;
    private final List<SinkProvider> providers;

    public SinkVariables(SinkConfig config, List<SinkProvider> providers) {
        this.config = config;
        this.providers = providers;
    }

    /** Those of the program, of hubs, of all providers and of all verbs, as these tell them; each once. */
    public List<Variable> all() {
        Map<String, Variable> all = new LinkedHashMap<>();
        shared().forEach(variable -> add(all, variable));
        providers.forEach(provider -> of(provider).forEach(variable -> add(all, variable)));
        return List.copyOf(all.values());
    }

    /** Those that are of no sink. */
    public static List<Variable> shared() {
        List<Variable> shared = new ArrayList<>(PROGRAMS);
        ServiceLoader.load(HubProvider.class).findFirst().ifPresent(hub -> shared.addAll(hub.variables()));
        Rlm.verbs().forEach(verb -> shared.addAll(verb.variables()));
        return shared;
    }

    /** Those of one sink, which may be a further one of its provider; none of one that no provider has made. */
    public List<Variable> of(String sink) {
        for (SinkProvider provider : providers) {
            if (provider.name().equals(sink)) {
                return of(provider);
            } else if (provider.allowsSeveral() && sink.startsWith(provider.name() + "-")) {
                return ofFurther(sink, provider);
            }
        }
        return List.of();
    }

    private List<Variable> of(SinkProvider provider) {
        Map<String, Variable> found = new LinkedHashMap<>();
        add(found, enabled(provider.name(), provider.isEnabledByDefault()));
        provider.variables().forEach(variable -> add(found, variable));
        return new ArrayList<>(found.values());
    }

    /** Returns the variables of a further sink. Most of them default to the values of the first sink. */
    private List<Variable> ofFurther(String sink, SinkProvider provider) {
        String first = config.sink(provider.name()).variable("");
        String own = config.sink(sink).variable("");
        Map<String, Variable> found = new LinkedHashMap<>();
        add(found, enabled(sink, false));
        for (Variable variable : provider.variables()) {
            String name = variable.name();
            if (name.startsWith(first + ITS_NAME)) {
                String its = own + name.substring((first + ITS_NAME + "_").length());
                add(found, new Variable(its, variable.defaultValue(), variable.meaning()));
            } else if (name.startsWith(first)) {
                String its = own + name.substring(first.length());
                add(found, new Variable(its, "that of " + name, variable.meaning()));
            }
        }
        return new ArrayList<>(found.values());
    }

    private Variable enabled(String sink, boolean byDefault) {
        return new Variable(config.sink(sink).variable(ENABLED), String.valueOf(byDefault), "whether it is used");
    }

    private static void add(Map<String, Variable> found, Variable variable) {
        found.putIfAbsent(variable.name(), variable);
    }
}
