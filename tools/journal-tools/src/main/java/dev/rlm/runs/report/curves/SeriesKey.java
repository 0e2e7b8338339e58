package dev.rlm.runs.report.curves;

import dev.rlm.runs.NaturalOrder;
import dev.rlm.sinks.event.MetricsReported;
import java.util.Comparator;
import java.util.List;

/**
 * Name of a number of training.
 *
 * @param stepField the name of the number that says how far training is, such as {@code global_step}
 */
public record SeriesKey(String category, String stepField, String name) implements Comparable<SeriesKey> {
    private static final Comparator<SeriesKey> ORDER = Comparator.comparingInt(
                    (SeriesKey key) -> place(MetricsReported.CATEGORIES, key.category))
            .thenComparing(SeriesKey::category)
            .thenComparing(SeriesKey::stepField)
            .thenComparingInt(key -> place(MetricsReported.EVALUATOR_VALUES, key.name))
            .thenComparing(SeriesKey::name, NaturalOrder.INSTANCE);

    /** Those that are known come first and in their own order. */
    private static int place(List<String> known, String name) {
        int place = known.indexOf(name);
        return place < 0 ? known.size() : place;
    }

    @Override
    public int compareTo(SeriesKey other) {
        return ORDER.compare(this, other);
    }

    boolean isBeside(SeriesKey other) {
        return category.equals(other.category) && stepField.equals(other.stepField);
    }
}
