package dev.rlm.journal.report;

import dev.rlm.sinks.jsonl.RunSummary;
import java.util.List;

/**
 * What a row of the report is for.
 *
 * @param values one for each dimension; empty where the runs have none
 */
record RowKey(List<String> values) implements Comparable<RowKey> {
    RowKey {
        values = List.copyOf(values);
    }

    static RowKey of(RunSummary run, List<Dimension> dimensions) {
        return new RowKey(
                dimensions.stream().map(dimension -> dimension.of(run)).toList());
    }

    /** By the first value that differs, in their {@linkplain NaturalOrder natural order}. */
    @Override
    public int compareTo(RowKey other) {
        for (int i = 0; i < values.size(); i++) {
            int order = NaturalOrder.INSTANCE.compare(values.get(i), other.values.get(i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }
}
