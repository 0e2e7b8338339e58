package dev.rlm.runs.report.health;

import dev.rlm.runs.health.HealthRule;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Conditions under which the command fails.
 *
 * @param rules whose findings make it fail
 * @param worse whether it fails if this side is surely worse than the other
 */
public record FailOn(Set<HealthRule> rules, boolean worse) {
    public FailOn {
        rules = Set.copyOf(rules);
    }

    private static String words() {
        return Stream.of(HealthRule.values()).map(HealthRule::word).collect(Collectors.joining(", "));
    }

    /** Reads the name of a rule. */
    public static final class RuleConverter implements ITypeConverter<HealthRule> {
        @Override
        public HealthRule convert(String text) {
            return HealthRule.named(text)
                    .orElseThrow(
                            () -> new TypeConversionException("'" + text + "' is not known: known are " + words()));
        }
    }

    /** Reads the name of a rule, {@code any} or {@code worse}. */
    public static final class Converter implements ITypeConverter<FailOn> {
        private static final String ANY = "any";
        private static final String WORSE = "worse";

        @Override
        public FailOn convert(String text) {
            if (text.equalsIgnoreCase(WORSE)) {
                return new FailOn(Set.of(), true);
            } else if (text.equalsIgnoreCase(ANY)) {
                return new FailOn(EnumSet.allOf(HealthRule.class), false);
            }
            return new FailOn(
                    Set.of(HealthRule.named(text)
                            .orElseThrow(() -> new TypeConversionException(
                                    "'" + text + "' is not known: known are " + ANY + ", " + words() + ", " + WORSE))),
                    false);
        }
    }
}
