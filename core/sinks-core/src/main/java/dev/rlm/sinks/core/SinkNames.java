package dev.rlm.sinks.core;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.SinkStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names that sinks can be chosen by: one for each provider and, of a provider that allows several, those that the
 * switches in the configuration make up.
 */
final class SinkNames {
    private static final String ENABLED = "ENABLED";
    private static final Pattern SWITCH = Pattern.compile("RLM_([A-Z0-9_]+)_ENABLED");
    private static final Pattern FURTHER = Pattern.compile("[A-Z0-9]+(_[A-Z0-9]+)*");

    private final SinkConfig config;
    private final Map<String, SinkProvider> providers;
    private final Set<String> declared = new HashSet<>();
    private final Map<String, SinkProvider> further = new TreeMap<>();

    /**
     * Finds the names.
     *
     * @param only names that are asked for, whatever the switches say
     */
    SinkNames(SinkConfig config, Map<String, SinkProvider> providers, @Nullable List<String> only) {
        this.config = config;
        this.providers = providers;
        declared.add(Selection.MASTER_SWITCH);
        providers.forEach((name, provider) -> {
            declared.add(SinkConfig.prefixOf(name) + ENABLED);
            provider.variables().forEach(variable -> declared.add(variable.name()));
        });
        config.variables().stream()
                .filter(variable -> !declared.contains(variable))
                .forEach(this::addFurther);
        if (only != null) {
            only.stream()
                    .filter(name -> !providers.containsKey(name))
                    .forEach(name -> addFurther(SinkConfig.prefixOf(name) + ENABLED));
        }
    }

    /** Notes the sink that the switch makes, if it is one. */
    private void addFurther(String variable) {
        providers.values().stream()
                .filter(SinkProvider::allowsSeveral)
                .filter(provider -> isFurther(variable, provider))
                .findFirst()
                .ifPresent(provider -> further.put(nameOf(variable), provider));
    }

    /** Returns whether the variable makes a further sink of the provider, and is not a setting of one. */
    private static boolean isFurther(String variable, SinkProvider provider) {
        String prefix = SinkConfig.prefixOf(provider.name());
        Matcher found = SWITCH.matcher(variable);
        return variable.startsWith(prefix)
                && found.matches()
                && variable.length() > prefix.length() + ENABLED.length()
                && FURTHER.matcher(found.group(1)).matches()
                && !isSetting(variable, provider);
    }

    /** Returns whether the variable is a setting that the provider declares, of one of its further sinks. */
    private static boolean isSetting(String variable, SinkProvider provider) {
        String prefix = SinkConfig.prefixOf(provider.name());
        return variable.startsWith(prefix)
                && provider.variables().stream()
                        .map(SinkProvider.Variable::name)
                        .filter(setting -> setting.startsWith(prefix))
                        .anyMatch(setting -> variable.endsWith("_" + setting.substring(prefix.length())));
    }

    private static String nameOf(String variable) {
        String name = variable.substring("RLM_".length(), variable.length() - ENABLED.length() - 1);
        return name.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Every sink that could be chosen, a provider's further ones behind its first. */
    List<Choice> choices() {
        List<Choice> all = new ArrayList<>();
        providers.forEach((first, provider) -> {
            all.add(new Choice(provider, config.sink(first), provider.isEnabledByDefault()));
            further.forEach((name, its) -> {
                if (its.name().equals(first)) {
                    all.add(new Choice(provider, config.furtherSink(name, first), false));
                }
            });
        });
        return all;
    }

    /**
     * Returns those of the names that no provider has.
     *
     * @param broken providers that could not be loaded, one of which may have the name
     * @throws SinkConfigException if there are such names and all providers could be loaded
     */
    List<String> unclaimed(List<String> names, List<SinkStatus> broken) {
        List<String> unclaimed = names.stream()
                .filter(name -> !providers.containsKey(name) && !further.containsKey(name))
                .toList();
        if (!unclaimed.isEmpty() && broken.isEmpty()) {
            throw new SinkConfigException("unknown sink '" + unclaimed.get(0) + "': known are " + known());
        }
        return unclaimed;
    }

    /**
     * Returns the names in switches that are on, of sinks that no provider has.
     *
     * @param broken providers that could not be loaded, one of which may have the name
     * @throws SinkConfigException if there are such switches and all providers could be loaded
     */
    List<String> unclaimed(List<SinkStatus> broken) {
        List<String> unclaimed = config.variables().stream()
                .filter(variable -> SWITCH.matcher(variable).matches()
                        && !declared.contains(variable)
                        && !isOfAFurther(variable)
                        && config.shared().bool(variable, false))
                .toList();
        if (!unclaimed.isEmpty() && broken.isEmpty()) {
            String variable = unclaimed.get(0);
            throw new SinkConfigException(variable + " names no sink: known are " + known() + hint(variable));
        }
        return unclaimed.stream().map(SinkNames::nameOf).toList();
    }

    private boolean isOfAFurther(String variable) {
        return further.containsKey(nameOf(variable))
                || providers.values().stream()
                        .filter(SinkProvider::allowsSeveral)
                        .anyMatch(provider -> isSetting(variable, provider));
    }

    private String known() {
        Set<String> all = new TreeSet<>(providers.keySet());
        all.addAll(further.keySet());
        return String.join(", ", all);
    }

    /** Returns the name that a further sink would have. */
    private String hint(String variable) {
        Optional<SinkProvider> several =
                providers.values().stream().filter(SinkProvider::allowsSeveral).findFirst();
        return several.map(provider -> "; for a further sink of '" + provider.name() + "' set "
                        + SinkConfig.prefixOf(provider.name()) + variable.substring("RLM_".length()))
                .orElse("");
    }

    /** A sink that can be chosen. */
    record Choice(SinkProvider provider, SinkConfig config, boolean isEnabledByDefault) {
        String name() {
            return config.name();
        }

        String variable(String setting) {
            return config.variable(setting);
        }

        boolean isSwitchedOn() {
            return config.sink(name()).bool(ENABLED, isEnabledByDefault);
        }

        boolean isRequired() {
            return config.sink(name()).bool("REQUIRED", false);
        }

        Sink create() {
            return provider.create(config);
        }
    }
}
