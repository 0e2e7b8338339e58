package dev.rlm.runs.exchange.tables;

import dev.rlm.journal.RunSummary;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.FieldKind;
import dev.rlm.sinks.schema.RecordSchema;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table of an export: its columns, and the rows that a run has in it.
 *
 * @param columns kinds of values by the columns' names, in order; a {@link java.time.Duration} is a number of seconds
 */
record ExportTable(String name, Map<String, FieldKind> columns, Rows rows) {
    /** Tokens that calls took. */
    static final List<EventField> USAGE = RecordSchema.of(Usage.class).fields();

    private static final Map<String, FieldKind> COMPUTED = computed();

    /** Kinds of the columns that no field declares, or only of another record. */
    private static Map<String, FieldKind> computed() {
        Map<FieldKind, List<String>> names = Map.of(
                FieldKind.ID, List.of(RunFields.RUN_ID, RunFields.SAMPLE),
                FieldKind.LABEL, List.of("status_message"),
                FieldKind.TEXT, List.of("observation", "reply_text"),
                FieldKind.FLAG, List.of("late"),
                FieldKind.TIME, List.of("started_at", "finished_at", "ended_at"),
                FieldKind.NUMBER, List.of("reward", "duration_s", "time_to_first_token_s"),
                FieldKind.COUNT, List.of(RunFields.TRIAL, "seq", "step", "status_code", "tool_calls"),
                FieldKind.WHOLE, List.of("model_calls", "failed_tool_calls"));
        Map<String, FieldKind> kinds = new HashMap<>();
        names.forEach((kind, columns) -> columns.forEach(column -> kinds.put(column, kind)));
        USAGE.forEach(field -> kinds.put(field.name(), field.kind()));
        return kinds;
    }

    /** The columns of these names, and behind them what else is declared: no field is forgotten. */
    static Map<String, FieldKind> columns(
            List<Stream<String>> names, Set<String> leftOut, Stream<List<EventField>> declared) {
        Map<String, FieldKind> kinds = declared.flatMap(List::stream)
                .collect(Collectors.toMap(EventField::name, EventField::kind, (one, other) -> one, LinkedHashMap::new));
        Map<String, FieldKind> columns = new LinkedHashMap<>();
        names.stream().flatMap(part -> part).forEach(name -> columns.put(name, kind(name, kinds)));
        kinds.keySet().removeAll(leftOut);
        kinds.forEach(columns::putIfAbsent);
        return columns;
    }

    private static FieldKind kind(String name, Map<String, FieldKind> declared) {
        FieldKind kind = declared.getOrDefault(name, COMPUTED.get(name));
        return Objects.requireNonNull(kind, name);
    }

    /** Puts the values that a record has, but for numbers that mean that there is none. */
    static void put(Map<String, @Nullable Object> values, List<EventField> fields, Record record) {
        fields.forEach(field -> {
            Object value = field.get(record);
            values.put(field.name(), value == null || value.equals(field.absent()) ? null : value);
        });
    }

    /** The rows of a run, each with its values by the columns' names; others may be among them. */
    @FunctionalInterface
    interface Rows {
        Stream<Map<String, @Nullable Object>> of(RunSummary run, List<RunEvent> events);
    }
}
