package dev.rlm.engine.spark.journal;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;

import dev.rlm.runs.exchange.tables.ExportedRun;
import dev.rlm.runs.report.RunRowReport;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Computation of a report over a data frame of runs. */
final class SparkReport {
    private static final Map<String, Integer> PLACES = IntStream.range(0, ExportedRun.COLUMNS.size())
            .boxed()
            .collect(Collectors.toMap(ExportedRun.COLUMNS::get, place -> place));

    private SparkReport() {}

    /**
     * Returns the report. All runs of a sample, and all attempts at a rollout, are brought into one partition; what their figures come to is
     * merged here.
     *
     * @param runs {@link JournalFrames#runs}
     */
    static RunRowReport of(Dataset<Row> runs, RunRowReport.Builder empty) {
        Column[] columns = ExportedRun.COLUMNS.stream().map(name -> col(name)).toArray(Column[]::new);
        JavaRDD<RunRowReport> parts = runs.select(columns)
                .repartition(
                        col("environment"), col("split"), coalesce(col("sample_id"), col("rollout_id"), col("run_id")))
                .javaRDD()
                .mapPartitions(rows -> List.of(part(rows, empty)).iterator());
        return parts.getNumPartitions() == 0 ? empty.build() : parts.reduce(RunRowReport::merge);
    }

    private static RunRowReport part(Iterator<Row> rows, RunRowReport.Builder report) {
        rows.forEachRemaining(row -> {
            ExportedRun run = ExportedRun.of(name -> row.get(Objects.requireNonNull(PLACES.get(name))));
            report.add(run.run(), run.result(), run.failure());
        });
        return report.build();
    }
}
