package dev.rlm.cli.program;

import dev.rlm.cli.terminal.Spelling;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.Sinks;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Variables named {@code RLM_…}, and properties named {@code rlm.…}, that are set and that nothing reads: as a rule they are
 * misspelt, and what they were to change stays as it is. Their values are never told.
 */
public final class UnknownVariables {
    private static final String PREFIX = "RLM_";
    private static final String ENABLED = "_ENABLED";
    private static final int SHOWN = 10;

    /** System properties that the script sets, which have no variable. */
    public static final Set<String> OF_THE_SCRIPT = Set.of("RLM_TERMINAL", "RLM_PROGRAM", "RLM_COLUMNS");

    /** Those that programs read which record themselves. */
    private static final Set<String> OF_PROGRAMS =
            Set.of("RLM_RECORD_URL", "RLM_RECORD_COMMAND", "RLM_RECORD_TOKEN_FILE", "RLM_AGENT_SHARE");

    private final SinkConfig config;

    UnknownVariables(SinkConfig config) {
        this.config = config;
    }

    /**
     * A line for each, with the name that was probably meant.
     *
     * @param more names that are known besides
     */
    List<String> told(Set<String> more) {
        Set<String> set = new TreeSet<>(config.variables());
        set.removeIf(name -> !name.startsWith(PREFIX)
                || OF_THE_SCRIPT.contains(name)
                || OF_PROGRAMS.contains(name)
                || more.contains(name));
        if (set.isEmpty()) {
            return List.of(); // without a look for those that read them
        }
        Set<String> known =
                SinkVariables.shared().stream().map(Variable::name).collect(Collectors.toCollection(TreeSet::new));
        set.removeIf(name -> known.stream().anyMatch(shared -> shared.equals(name) || matches(shared, name)));
        if (set.isEmpty()) {
            return List.of(); // without a look for sinks
        }
        try {
            for (SinkProvider provider : Sinks.providers(config)) {
                List<String> own = variables(provider);
                known.addAll(own);
                set.removeIf(name -> own.contains(name) || isOfSink(provider, own, name));
            }
        } catch (RuntimeException | LinkageError e) {
            return List.of(); // what is wrong with the configuration or a plug-in is told where sinks are needed
        }
        known.removeIf(name -> name.contains(SinkVariables.ITS_NAME));
        return lines(set, known);
    }

    private List<String> variables(SinkProvider provider) {
        SinkConfig sink = config.sink(provider.name());
        return Stream.concat(
                        Stream.of(sink.variable("ENABLED"), sink.variable("REQUIRED")),
                        provider.variables().stream().map(Variable::name))
                .toList();
    }

    /**
     * Returns whether one of the provider's sinks may read it, though the provider does not list it.
     *
     * @param own what it lists
     */
    private boolean isOfSink(SinkProvider provider, List<String> own, String name) {
        String prefix = config.sink(provider.name()).variable("");
        return name.startsWith(prefix)
                && (provider.variables().isEmpty()
                        || own.contains(PREFIX + name.substring(prefix.length())) // for it what the other says for all
                        || own.stream().anyMatch(template -> matches(template, name))
                        || (provider.allowsSeveral() && isOfFurther(prefix, own, name)));
    }

    /** Returns whether the name is one that the provider gives with a place for a further sink's name. */
    private static boolean matches(String template, String name) {
        int place = template.indexOf(SinkVariables.ITS_NAME);
        return place >= 0
                && name.startsWith(template.substring(0, place))
                && name.endsWith(template.substring(place + SinkVariables.ITS_NAME.length()))
                && name.length() > template.length() - SinkVariables.ITS_NAME.length();
    }

    /** Returns whether it is a setting of a further sink that is turned on or off: these take more than can be listed. */
    private boolean isOfFurther(String prefix, List<String> own, String name) {
        return config.variables().stream()
                .filter(other -> other.startsWith(prefix) && other.endsWith(ENABLED) && !own.contains(other))
                .map(other -> other.substring(0, other.length() - ENABLED.length()))
                .anyMatch(further -> name.startsWith(further + "_"));
    }

    private static List<String> lines(Set<String> unknown, Set<String> known) {
        List<String> lines = new ArrayList<>();
        unknown.stream()
                .limit(SHOWN)
                .forEach(name -> lines.add(name + " is unknown"
                        + Spelling.nearest(name, known)
                                .map(nearest -> "; did you mean " + nearest + "?")
                                .orElse(": nothing reads it")));
        if (unknown.size() > SHOWN) {
            lines.add((unknown.size() - SHOWN) + " more variables that begin with " + PREFIX + " are unknown");
        }
        return lines;
    }
}
