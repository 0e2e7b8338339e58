package dev.rlm.engine.spark.journal;

import dev.rlm.cli.UsageException;
import dev.rlm.runs.exchange.tables.ExportedTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Journals, and exports of journals as Parquet tables, as data frames. They have the columns of {@code rlm export --format parquet}. Runs
 * that go on are rows of journals, with the outcome {@code running}. All processes of the cluster must see the folders at the same paths.
 */
public final class JournalFrames {
    private final SparkSession spark;
    private final List<JournalInput> inputs;
    private final @Nullable String index;

    private JournalFrames(SparkSession spark, List<JournalInput> inputs, @Nullable String index) {
        this.spark = spark;
        this.inputs = inputs;
        this.index = index;
    }

    /**
     * Finds the journals and exports in some folders.
     *
     * @param folders each the folder of a journal, of an export, or one with such folders below it
     * @throws UsageException if there is nothing to read in one of them
     */
    public static JournalFrames open(SparkSession spark, Path... folders) {
        return open(spark, List.of(folders), null);
    }

    /**
     * Does the same with indexes of journals in a folder.
     *
     * @param index the folder, or {@code none}; {@code null} for what the environment of each process says
     */
    static JournalFrames open(SparkSession spark, List<Path> folders, @Nullable String index) {
        return new JournalFrames(spark, folders.stream().map(JournalInput::at).toList(), index);
    }

    /** Returns the runs. Events are read only where a query asks for a column that summaries lack, such as {@code task}. */
    public Dataset<Row> runs() {
        return frame(ExportedTable.RUNS);
    }

    /** Returns the steps that ended. */
    public Dataset<Row> steps() {
        return frame(ExportedTable.STEPS);
    }

    /** Returns the rewards given, absent ones included. */
    public Dataset<Row> rewards() {
        return frame(ExportedTable.REWARDS);
    }

    private Dataset<Row> frame(ExportedTable table) {
        List<Dataset<Row>> frames = new ArrayList<>();
        for (JournalInput input : inputs) {
            if (!input.journals().isEmpty()) {
                frames.add(journals(input.folder(), table));
            }
            input.exports().forEach(export -> frames.add(export(export, table)));
        }
        return frames.stream().reduce(Dataset::union).orElseThrow();
    }

    private Dataset<Row> journals(Path folder, ExportedTable table) {
        var reader = spark.read().format(JournalSource.NAME).option(JournalSource.TABLE, table.label());
        return (index == null ? reader : reader.option(JournalSource.INDEX, index)).load(folder.toString());
    }

    /** Columns that an older version did not write are without values. */
    private Dataset<Row> export(Path export, ExportedTable table) {
        Path file = JournalInput.file(export, table);
        if (!Files.exists(file)) {
            throw new UsageException(
                    "there is no " + file + " beside " + JournalInput.file(export, ExportedTable.RUNS));
        }
        Dataset<Row> rows = spark.read().parquet(file.toString());
        StructType wanted = JournalSource.schema(table);
        StructType there = rows.schema();
        if (!Set.of(there.fieldNames()).contains("run_id")) {
            throw new UsageException(file + " is no table of an export: it has no column run_id");
        }
        return rows.select(Stream.of(wanted.fields())
                .map(field -> column(field, Arrays.asList(there.fieldNames())))
                .toArray(Column[]::new));
    }

    private static Column column(StructField field, List<String> there) {
        Column column = there.contains(field.name()) ? functions.col(field.name()) : functions.lit(null);
        return column.cast(field.dataType()).as(field.name());
    }
}
