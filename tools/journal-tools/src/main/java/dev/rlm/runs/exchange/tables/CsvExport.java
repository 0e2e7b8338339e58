package dev.rlm.runs.exchange.tables;

import de.siegmar.fastcsv.writer.CsvWriter;
import dev.rlm.journal.JournalJson;
import dev.rlm.json.Json;
import dev.rlm.runs.exchange.input.Records;
import dev.rlm.runs.exchange.output.Export;
import dev.rlm.runs.exchange.output.ExportFormat;
import dev.rlm.runs.exchange.output.ExportStream;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs and their steps as two tables in the form of RFC 4180, in UTF-8. What is absent is an empty cell.
 *
 * @param forSpreadsheets whether to put an apostrophe before texts that a spreadsheet would compute
 */
public record CsvExport(boolean forSpreadsheets) implements ExportFormat {
    public static final String NAME = "csv";

    private static final String FORMULA = "=+-@\t\r";
    private static final List<ExportTable> TABLES = List.of(RunTables.RUNS, RunTables.STEPS);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<String> tables() {
        return TABLES.stream().map(CsvExport::file).toList();
    }

    private static String file(ExportTable table) {
        return table.name() + ".csv";
    }

    @Override
    public void write(Export export) throws IOException {
        List<ExportStream> files = new ArrayList<>();
        for (ExportTable table : TABLES) {
            ExportStream file = export.open(file(table));
            file.write(records(List.of(List.copyOf(table.columns().keySet())))
                    .text()
                    .array());
            files.add(file);
        }
        export.each(
                (run, events) -> TABLES.stream()
                        .map(table -> records(table.rows()
                                .of(run, events)
                                .map(values -> row(table, values))
                                .toList()))
                        .toList(),
                tables -> {
                    for (int i = 0; i < tables.size(); i++) {
                        files.get(i).write(tables.get(i).text().array());
                    }
                    export.written(1, tables.stream().mapToLong(Records::count).sum());
                });
    }

    /** Records of one table, as they are written. */
    private record Records(ByteBuffer text, long count) {}

    private static Records records(List<? extends List<@Nullable String>> rows) {
        StringWriter text = new StringWriter();
        try (CsvWriter records = CsvWriter.builder().build(text)) {
            rows.forEach(records::writeRecord);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Records(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)), rows.size());
    }

    private List<@Nullable String> row(ExportTable table, Map<String, @Nullable Object> values) {
        List<@Nullable String> row = new ArrayList<>();
        table.columns().keySet().forEach(name -> row.add(cell(values.get(name))));
        return row;
    }

    /** A value: durations in seconds, maps as JSON. */
    private @Nullable String cell(@Nullable Object value) {
        if (value instanceof Duration duration) {
            return String.valueOf(duration.toNanos() / 1e9);
        } else if (value instanceof Instant time) {
            return JournalJson.time(time);
        } else if (value instanceof Number number) {
            return Double.isNaN(number.doubleValue()) ? null : number.toString();
        } else if (value instanceof Map<?, ?> map) {
            return map.isEmpty() ? null : text(Json.text(map));
        }
        return value == null ? null : text(value.toString());
    }

    private @Nullable String text(String text) {
        boolean computed = forSpreadsheets && !text.isEmpty() && FORMULA.indexOf(text.charAt(0)) >= 0;
        return text.isEmpty() ? null : computed ? "'" + text : text;
    }
}
