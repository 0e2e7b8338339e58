package dev.rlm.cli;

import dev.rlm.journal.index.EventRow;
import dev.rlm.sinks.schema.RewardVersion;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Score, label or finding that a run is to have; of several of one version the last one counts.
 *
 * @param version {@code null} for any
 * @param range of its value; {@code null} for any, and for none
 * @param text as it was given
 */
record ScoreFilter(
        String name, @Nullable String version, @Nullable Range<Double> range, String text) {
    boolean fits(Collection<EventRow> rows) {
        Map<RewardVersion, Double> values = new HashMap<>();
        for (EventRow row : rows) {
            RewardVersion given = row instanceof EventRow.Reward reward ? RewardVersion.of(reward.source()) : null;
            if (given != null && given.name().equals(name) && (version == null || version.equals(given.version()))) {
                values.put(given, ((EventRow.Reward) row).value());
            }
        }
        return values.values().stream().anyMatch(value -> range == null || (!value.isNaN() && range.contains(value)));
    }

    @Override
    public String toString() {
        return text;
    }

    private static ScoreFilter parse(String prefix, String text, String example) {
        String[] parts = text.split("=", 2);
        String[] names = parts[0].split("@", 2);
        try {
            RewardVersion version = new RewardVersion(prefix + names[0], names.length > 1 ? names[1] : "1");
            return new ScoreFilter(
                    version.name(),
                    names.length > 1 ? version.version() : null,
                    parts.length > 1 ? new Range.OfNumbers().convert(parts[1]) : null,
                    text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'" + text + "' is not one such as " + example + ": " + e.getMessage());
        }
    }

    /** Reads a score or label. */
    static final class OfLabels implements ITypeConverter<ScoreFilter> {
        @Override
        public ScoreFilter convert(String text) {
            return parse("", text, "label=1 or judge@2=0.5..");
        }
    }

    /** Reads a rule of {@code rlm scan}. */
    static final class OfFindings implements ITypeConverter<ScoreFilter> {
        @Override
        public ScoreFilter convert(String text) {
            return parse(RewardVersion.FINDING, text, "loop or loop@1");
        }
    }
}
