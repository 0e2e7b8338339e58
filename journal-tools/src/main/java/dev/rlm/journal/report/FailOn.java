package dev.rlm.journal.report;

import dev.rlm.journal.health.HealthRule;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Rules of which a finding makes the command fail. */
record FailOn(Set<HealthRule> rules) {
    FailOn {
        rules = Set.copyOf(rules);
    }

    /** Reads the name of a rule, or {@code any}. */
    static final class Converter implements ITypeConverter<FailOn> {
        private static final String ANY = "any";

        @Override
        public FailOn convert(String text) {
            String word = text.toLowerCase(Locale.ROOT).replace('-', '_');
            Set<HealthRule> rules = EnumSet.allOf(HealthRule.class);
            rules.removeIf(rule -> !word.equals(ANY) && !word.equals(rule.word()));
            if (rules.isEmpty()) {
                throw new TypeConversionException("'" + text + "' is not known: known are "
                        + Stream.concat(
                                        Stream.of(ANY),
                                        Stream.of(HealthRule.values()).map(HealthRule::word))
                                .collect(Collectors.joining(", ")));
            }
            return new FailOn(rules);
        }
    }
}
