package dev.rlm.journal.report;

import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.schema.MetricLabels;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of training that a journal has, whoever reported them: one name is one series.
 *
 * @param reports how many times numbers were reported
 * @param stepless how many of these are in no series, because their step is not finite
 */
record TrainingReport(
        Path journal,
        long damagedLines,
        List<SinkLosses> losses,
        long reports,
        long stepless,
        SortedMap<SeriesKey, Series> series,
        MetricLabels labels) {
    TrainingReport {
        series = Collections.unmodifiableSortedMap(series);
    }

    /** What was reported from then on; all unless it is said. */
    static TrainingReport of(Journal journal, @Nullable Instant since, MetricLabels labels) {
        List<MetricsReported> reports = journal.metrics().stream()
                .filter(report -> since == null || !report.time().isBefore(since))
                .sorted(Comparator.comparing(MetricsReported::time))
                .toList();
        SortedMap<SeriesKey, Series> series = new TreeMap<>();
        long stepless = reports.stream().filter(report -> !add(series, report)).count();
        return new TrainingReport(
                journal.directory(),
                journal.damagedLines(),
                SinkLosses.of(journal),
                reports.size(),
                stepless,
                series,
                labels);
    }

    private static boolean add(SortedMap<SeriesKey, Series> series, MetricsReported report) {
        double step = report.values().getOrDefault(report.stepField(), Double.NaN);
        if (!Double.isFinite(step)) {
            return false;
        }
        report.values().forEach((name, value) -> {
            if (!name.equals(report.stepField())) {
                SeriesKey key = new SeriesKey(report.category(), report.stepField(), name);
                series.computeIfAbsent(key, unknown -> new Series()).add(step + 0.0, value); // there is no step -0
            }
        });
        return true;
    }

    long replaced() {
        return series.values().stream().mapToLong(Series::replaced).sum();
    }

    /** Where the numbers come from, as of runs. */
    Report.Source source() {
        return new Report.Source(journal, 0, 0, 0, damagedLines, 0, losses);
    }
}
