package dev.rlm.journal.exchange;

import dev.rlm.journal.exchange.parquet.ParquetFile;
import dev.rlm.journal.exchange.parquet.ParquetType;
import dev.rlm.json.Json;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.FieldKind;
import dev.rlm.sinks.schema.RecordSchema;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs, their steps, rewards and calls as tables in Parquet's format. A column has no value where a line of the journal has none. */
final class ParquetExport implements ExportFormat {
    private static final double NANOS_A_SECOND = 1e9;

    @Override
    public String name() {
        return "parquet";
    }

    @Override
    public List<String> tables() {
        return all().stream().map(ParquetExport::file).toList();
    }

    private static List<Table> all() {
        return List.of(
                RunTables.RUNS, RunTables.STEPS, EventTables.REWARDS, EventTables.MODEL_CALLS, EventTables.TOOL_CALLS);
    }

    private static String file(Table table) {
        return table.name() + ".parquet";
    }

    @Override
    public void write(Export export) throws IOException {
        Map<Table, ParquetFile> files = new LinkedHashMap<>();
        for (Table table : all()) {
            files.put(table, new ParquetFile(export.open(file(table)), types(table)));
        }
        export.each((run, events) -> {
            long records = 0;
            for (Map.Entry<Table, ParquetFile> file : files.entrySet()) {
                Table table = file.getKey();
                Iterator<Map<String, @Nullable Object>> rows =
                        table.rows().of(run, events).iterator();
                for (; rows.hasNext(); records++) {
                    file.getValue().add(row(table, rows.next()));
                }
            }
            export.written(1, records);
        });
        for (ParquetFile file : files.values()) {
            file.finish();
        }
    }

    private static Map<String, ParquetType> types(Table table) {
        Map<String, ParquetType> types = new LinkedHashMap<>();
        table.columns().forEach((name, kind) -> types.put(name, type(kind)));
        return types;
    }

    private static ParquetType type(FieldKind kind) {
        return switch (kind) {
            case ID, LABEL, TEXT, CHOICE -> ParquetType.STRING;
            case WHOLE, COUNT -> ParquetType.INT64;
            case NUMBER -> ParquetType.DOUBLE;
            case FLAG -> ParquetType.BOOLEAN;
            case TIME -> ParquetType.TIMESTAMP;
            case FILE, WHOLES, DECIMALS, VALUES, TEXTS, NUMBERS, COUNTS, OBJECT, OBJECTS, OBJECTS_BY_NAME ->
                ParquetType.JSON;
        };
    }

    private static List<@Nullable Object> row(Table table, Map<String, @Nullable Object> values) {
        List<@Nullable Object> row = new ArrayList<>();
        table.columns().forEach((name, kind) -> {
            Object value = values.get(name);
            row.add(value == null ? null : cell(type(kind), value));
        });
        return row;
    }

    private static @Nullable Object cell(ParquetType type, Object value) {
        return switch (type) {
            case STRING -> String.valueOf(tree(value));
            case INT64 -> ((Number) value).longValue();
            case DOUBLE ->
                value instanceof Duration duration
                        ? duration.toNanos() / NANOS_A_SECOND
                        : ((Number) value).doubleValue();
            case BOOLEAN -> value;
            case TIMESTAMP -> ChronoUnit.MICROS.between(Instant.EPOCH, (Instant) value);
            case JSON -> isEmpty(value) ? null : Json.text(tree(value));
        };
    }

    private static boolean isEmpty(Object value) {
        return value instanceof Map<?, ?> map ? map.isEmpty() : value instanceof Collection<?> list && list.isEmpty();
    }

    /** The value as {@link Json} writes it: a record by the names that its fields have in the journal, and what it lacks left out. */
    private static Object tree(Object value) {
        if (value instanceof Record record) {
            Map<String, Object> tree = new LinkedHashMap<>();
            for (EventField field : RecordSchema.of(record.getClass()).fields()) {
                Object part = field.get(record);
                if (part != null && !part.equals(field.absent()) && !isEmpty(part)) {
                    tree.put(field.name(), tree(part));
                }
            }
            return tree;
        } else if (value instanceof List<?> list) {
            return list.stream().map(ParquetExport::tree).toList();
        }
        return value instanceof Enum<?> ? EventField.word(value) : value;
    }
}
