package dev.rlm.journal.report;

import dev.rlm.journal.health.HealthRule;
import java.util.EnumSet;
import java.util.Locale;
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
record FailOn(Set<HealthRule> rules, boolean worse) {
    FailOn {
        rules = Set.copyOf(rules);
    }

    /** Reads the name of a rule, {@code any} or {@code worse}. */
    static final class Converter implements ITypeConverter<FailOn> {
        private static final String ANY = "any";
        private static final String WORSE = "worse";

        @Override
        public FailOn convert(String text) {
            String word = text.toLowerCase(Locale.ROOT).replace('-', '_');
            if (word.equals(WORSE)) {
                return new FailOn(Set.of(), true);
            }
            Set<HealthRule> rules = EnumSet.allOf(HealthRule.class);
            rules.removeIf(rule -> !word.equals(ANY) && !word.equals(rule.word()));
            if (rules.isEmpty()) {
                throw new TypeConversionException("'" + text + "' is not known: known are "
                        + Stream.of(
                                        Stream.of(ANY),
                                        Stream.of(HealthRule.values()).map(HealthRule::word),
                                        Stream.of(WORSE))
                                .flatMap(words -> words)
                                .collect(Collectors.joining(", ")));
            }
            return new FailOn(rules, false);
        }
    }
}
