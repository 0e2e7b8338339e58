package dev.rlm.engine.spark.journal;

import dev.rlm.cli.UsageException;
import dev.rlm.runs.exchange.parquet.ParquetType;
import dev.rlm.runs.exchange.tables.ExportedTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Spark's data source {@code rlm}: {@code spark.read().format("rlm").option("table", "steps").load(folder)}, with {@code runs},
 * {@code steps}, {@code rewards}, {@code model_calls} and {@code tool_calls} of the journals in a folder.
 */
public final class JournalSource implements TableProvider, DataSourceRegister {
    static final String NAME = "rlm";
    static final String TABLE = "table";
    static final String INDEX = "index";
    private static final String PATH = "path";

    @Override
    public String shortName() {
        return NAME;
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return schema(table(options));
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        return new Journals(table(new CaseInsensitiveStringMap(properties)));
    }

    private static ExportedTable table(CaseInsensitiveStringMap options) {
        String name = options.getOrDefault(TABLE, ExportedTable.RUNS.label());
        List<ExportedTable> all = List.of(ExportedTable.values());
        return all.stream()
                .filter(table -> table.label().equals(name))
                .findFirst()
                .orElseThrow(() -> UsageException.unknown(
                        TABLE, name, all.stream().map(ExportedTable::label).toList(), null));
    }

    /** Returns the columns of a table, as Spark reads them from an export. */
    static StructType schema(ExportedTable table) {
        return new StructType(table.columns().entrySet().stream()
                .map(column -> DataTypes.createStructField(column.getKey(), type(column.getValue()), true))
                .toArray(StructField[]::new));
    }

    private static DataType type(ParquetType type) {
        return switch (type) {
            case BOOLEAN -> DataTypes.BooleanType;
            case INT64 -> DataTypes.LongType;
            case TIMESTAMP -> DataTypes.TimestampType;
            case DOUBLE -> DataTypes.DoubleType;
            case STRING, JSON -> DataTypes.StringType;
        };
    }

    /** A table of the journals in a folder. */
    private record Journals(ExportedTable table) implements SupportsRead {
        @Override
        public String name() {
            return NAME + " " + table.label();
        }

        @Override
        @SuppressWarnings("deprecation") // what takes its place converts these
        public StructType schema() {
            return JournalSource.schema(table);
        }

        @Override
        public Set<TableCapability> capabilities() {
            return Set.of(TableCapability.BATCH_READ);
        }

        @Override
        public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
            String path = options.get(PATH);
            if (path == null) {
                throw new UsageException("the source " + NAME + " has no path: expected load(FOLDER)");
            }
            return new JournalTableScan(table, JournalInput.at(Path.of(path)).journals(), options.get(INDEX));
        }
    }
}
