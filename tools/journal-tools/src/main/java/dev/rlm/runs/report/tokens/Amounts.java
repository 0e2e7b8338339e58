package dev.rlm.runs.report.tokens;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.runs.report.sheets.NamedFigures;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whole numbers, one a run at the most. */
final class Amounts {
    private final List<Long> all = new ArrayList<>();

    void add(long amount) {
        all.add(amount);
    }

    int count() {
        return all.size();
    }

    /** Returns the mean, percentiles by nearest rank, and the largest, under names that begin so. */
    NamedFigures fields(String name) {
        List<Long> sorted = all.stream().sorted().toList();
        double mean = sorted.stream().mapToLong(Long::longValue).average().orElse(Double.NaN);
        return new NamedFigures()
                .put(name + "_mean", mean, Numbers.of(mean, 1))
                .put(name + "_p50", percentile(sorted, 50))
                .put(name + "_p95", percentile(sorted, 95))
                .put(name + "_max", percentile(sorted, 100));
    }

    private static @Nullable Long percentile(List<Long> sorted, int percent) {
        return sorted.isEmpty() ? null : sorted.get((int) (((long) sorted.size() * percent + 99) / 100 - 1));
    }
}
