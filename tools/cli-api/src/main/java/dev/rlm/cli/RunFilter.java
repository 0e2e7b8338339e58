package dev.rlm.cli;

import dev.rlm.cli.terminal.Spelling;
import dev.rlm.journal.RunSummary;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of {@link RunSelection}, and one more, about the rewards of runs. */
public final class RunFilter extends RunSelection {
    private static final String DASHES = "--";

    @Option(
            names = "--reward",
            paramLabel = "RANGE",
            converter = Range.OfNumbers.class,
            description = "Runs with a total reward in this range, such as -1..0.5, 0.5.. or ..0.")
    private @Nullable Range<Double> reward;

    /**
     * Returns the filter that these options make.
     *
     * @param options each without its dashes, such as {@code model=m} or {@code no-solved}
     * @param by what they were given by, for messages
     * @throws UsageException if one is not known, is not valid, or is given twice where that says nothing
     */
    public static RunFilter of(Collection<String> options, String by) {
        RunFilter filter = new RunFilter();
        String expected = "; expected options of list, such as model=m or no-solved";
        for (String option : options) {
            if (!knows(option)) {
                throw new UsageException(by + ": '" + option + "' is not known"
                        + Spelling.suggestion(name(option), names()) + expected + ": " + String.join(", ", names()));
            }
        }
        try {
            new CommandLine(filter)
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .parseArgs(options.stream().map(option -> DASHES + option).toArray(String[]::new));
            return filter;
        } catch (ParameterException e) {
            throw new UsageException(by + ": " + e.getMessage() + expected, e);
        }
    }

    /** Returns whether an option without its dashes has the name of one of these, whatever its value. */
    public static boolean knows(String option) {
        return names().contains(name(option));
    }

    private static String name(String option) {
        return option.split("=", 2)[0];
    }

    private static Set<String> names() {
        CommandSpec spec = CommandSpec.forAnnotatedObject(new RunFilter());
        return Stream.of(spec.optionsMap(), spec.negatedOptionsMap())
                .flatMap(options -> options.keySet().stream())
                .map(name -> name.substring(DASHES.length()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    public boolean accepts(RunSummary run) {
        Double total = reward == null ? null : run.rewards().usable();
        return super.accepts(run) && (reward == null || (total != null && reward.contains(total)));
    }

    /** Returns this filter with the options of another one, which take the place of its own; tags do so each by its name. */
    public RunFilter with(RunFilter other) {
        Map<String, List<String>> options = options();
        options.putAll(other.options());
        return of(options.values().stream().flatMap(List::stream).toList(), "runs");
    }

    /** Returns the options that were given as {@link #of} takes them, by what one of another filter takes the place of. */
    private Map<String, List<String>> options() {
        Map<String, List<String>> given = new LinkedHashMap<>();
        for (OptionSpec option : CommandSpec.forAnnotatedObject(this).options()) {
            String name = option.names()[0].substring(DASHES.length());
            Object value = option.getValue();
            if (value instanceof Map<?, ?> tags) {
                tags.forEach((tag, text) -> given.put(name + "=" + tag, List.of(name + "=" + tag + "=" + text)));
            } else if (value instanceof Boolean flag) {
                if (flag || option.negatable()) {
                    given.put(name, List.of(flag ? name : "no-" + name));
                }
            } else {
                List<?> values = value instanceof List<?> list ? list : value == null ? List.of() : List.of(value);
                if (!values.isEmpty()) {
                    given.put(
                            name, values.stream().map(each -> name + "=" + each).toList());
                }
            }
        }
        return given;
    }

    /** Returns the options that were given, to tell two filters apart: of models and tags what they ask for alone. */
    public String label() {
        return options().values().stream()
                .flatMap(List::stream)
                .map(option -> option.replaceFirst("^(model|tag)=", ""))
                .collect(Collectors.joining(", "));
    }
}
