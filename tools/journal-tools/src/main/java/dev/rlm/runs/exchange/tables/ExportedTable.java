package dev.rlm.runs.exchange.tables;

import dev.rlm.journal.RunSummary;
import dev.rlm.json.Json;
import dev.rlm.runs.exchange.parquet.ParquetType;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.FieldKind;
import dev.rlm.sinks.schema.RecordSchema;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A table of an export, with cells as Parquet's format has them. A column has no value where a line of the journal has none. */
public enum ExportedTable {
    /** Runs. */
    RUNS(RunTables.RUNS),
    /** Steps that ended. */
    STEPS(RunTables.STEPS),
    /** Rewards given, absent ones included. */
    REWARDS(EventTables.REWARDS),
    /** Calls of models. */
    MODEL_CALLS(EventTables.MODEL_CALLS),
    /** Calls of tools. */
    TOOL_CALLS(EventTables.TOOL_CALLS);

    private static final double NANOS_A_SECOND = 1e9;

    @SuppressWarnings("ImmutableEnumChecker") // never changed
    private final ExportTable table;

    @SuppressWarnings("ImmutableEnumChecker") // never changed
    private final Map<String, ParquetType> columns = new LinkedHashMap<>();

    ExportedTable(ExportTable table) {
        this.table = table;
        table.columns().forEach((name, kind) -> columns.put(name, type(kind)));
    }

    /** Returns the name, as files have it: {@code model_calls}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the types of the columns by their names, in order. */
    public Map<String, ParquetType> columns() {
        return Collections.unmodifiableMap(columns);
    }

    /**
     * Returns the rows of a run, each with one cell a wanted column, of the class that its type names.
     *
     * @param events of the run; where there are none, the row of a run has no texts
     * @param wanted names of columns
     */
    public Stream<List<@Nullable Object>> rows(RunSummary run, List<RunEvent> events, Collection<String> wanted) {
        return table.rows().of(run, events).map(values -> row(values, wanted));
    }

    private List<@Nullable Object> row(Map<String, @Nullable Object> values, Collection<String> wanted) {
        List<@Nullable Object> row = new ArrayList<>(wanted.size());
        for (String name : wanted) {
            Object value = values.get(name);
            ParquetType type = columns.get(name);
            row.add(value == null || type == null ? null : cell(type, value));
        }
        return row;
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
            return list.stream().map(ExportedTable::tree).toList();
        }
        return value instanceof Enum<?> ? EventField.word(value) : value;
    }
}
