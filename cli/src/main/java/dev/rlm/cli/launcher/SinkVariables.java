package dev.rlm.cli.launcher;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.SinkProvider.Variable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The variables that sinks read, by provider and by sink. */
final class SinkVariables {
    private static final String ENABLED = "ENABLED";
    static final String ITS_NAME = "<NAME>"; // where a provider tells of further sinks

    private final SinkConfig config;
    private final List<SinkProvider> providers;

    SinkVariables(SinkConfig config, List<SinkProvider> providers) {
        this.config = config;
        this.providers = providers;
    }

    /** Those of all providers, as these tell them. */
    List<Variable> all() {
        return providers.stream().flatMap(provider -> of(provider).stream()).toList();
    }

    /** Those of one sink, which may be a further one of its provider; none of one that no provider has made. */
    List<Variable> of(String sink) {
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

    /** What is not said of a further sink is as it is said of the first. */
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
