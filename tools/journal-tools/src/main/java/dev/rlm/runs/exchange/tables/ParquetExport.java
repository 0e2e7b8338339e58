package dev.rlm.runs.exchange.tables;

import dev.rlm.runs.exchange.output.Export;
import dev.rlm.runs.exchange.output.ExportFormat;
import dev.rlm.runs.exchange.parquet.ParquetFile;
import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs, their steps, rewards and calls as tables in Parquet's format. A column has no value where a line of the journal has none. */
public final class ParquetExport implements ExportFormat {
    @Override
    public String name() {
        return "parquet";
    }

    @Override
    public List<String> tables() {
        return Stream.of(ExportedTable.values()).map(ParquetExport::file).toList();
    }

    private static String file(ExportedTable table) {
        return table.label() + ".parquet";
    }

    @Override
    public void write(Export export) throws IOException {
        Map<ExportedTable, ParquetFile> files = new LinkedHashMap<>();
        for (ExportedTable table : ExportedTable.values()) {
            files.put(table, new ParquetFile(export.open(file(table)), table.columns()));
        }
        export.each((run, events) -> {
            long records = 0;
            for (Map.Entry<ExportedTable, ParquetFile> file : files.entrySet()) {
                ExportedTable table = file.getKey();
                Iterator<List<@Nullable Object>> rows =
                        table.rows(run, events, table.columns().keySet()).iterator();
                for (; rows.hasNext(); records++) {
                    file.getValue().add(rows.next());
                }
            }
            export.written(1, records);
        });
        for (ParquetFile file : files.values()) {
            file.finish();
        }
    }
}
