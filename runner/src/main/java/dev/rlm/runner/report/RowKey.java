package dev.rlm.runner.report;

import dev.rlm.sinks.event.RunInfo;
import java.util.List;

/**
 * What a row of the report is for.
 *
 * @param values one for each dimension; empty where the runs have none
 */
record RowKey(List<String> values) implements Comparable<RowKey> {
    private static final String WHOLE_NUMBER = "\\d{1,18}";

    RowKey {
        values = List.copyOf(values);
    }

    static RowKey of(RunInfo run, List<Dimension> dimensions) {
        return new RowKey(
                dimensions.stream().map(dimension -> dimension.of(run)).toList());
    }

    /** By the first value that differs; numbers by their size. */
    @Override
    public int compareTo(RowKey other) {
        for (int i = 0; i < values.size(); i++) {
            int order = compare(values.get(i), other.values.get(i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static int compare(String one, String other) {
        if (one.matches(WHOLE_NUMBER) && other.matches(WHOLE_NUMBER)) {
            int order = Long.compare(Long.parseLong(one), Long.parseLong(other));
            return order == 0 ? one.compareTo(other) : order;
        }
        return one.compareTo(other);
    }
}
