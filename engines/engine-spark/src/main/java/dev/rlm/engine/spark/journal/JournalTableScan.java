package dev.rlm.engine.spark.journal;

import dev.rlm.journal.Journal;
import dev.rlm.runs.exchange.tables.ExportedTable;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** A query of a table of journals. Each partition is some writers of one journal. */
final class JournalTableScan implements ScanBuilder, SupportsPushDownRequiredColumns, Scan, Batch {
    private final ExportedTable table;
    private final List<Path> journals;
    private final @Nullable String index;
    private StructType columns;

    JournalTableScan(ExportedTable table, List<Path> journals, @Nullable String index) {
        this.table = table;
        this.journals = journals;
        this.index = index;
        this.columns = JournalSource.schema(table);
    }

    @Override
    public void pruneColumns(StructType required) {
        columns = required;
    }

    @Override
    public Scan build() {
        return this;
    }

    @Override
    public StructType readSchema() {
        return columns;
    }

    @Override
    public String description() {
        return "rlm " + table.label() + " of " + journals;
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public InputPartition[] planInputPartitions() {
        return journals.stream()
                .flatMap(journal -> WriterGroups.of(journal, Journal.writerFolders(journal), index).stream())
                .toArray(InputPartition[]::new);
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return new Factory(table, List.of(columns.fieldNames()));
    }

    /** Opens partitions in the processes that read them. */
    private record Factory(ExportedTable table, List<String> columns) implements PartitionReaderFactory {
        @Override
        public PartitionReader<InternalRow> createReader(InputPartition partition) {
            return new JournalRows(((JournalPart) partition).open(), table, columns);
        }
    }
}
