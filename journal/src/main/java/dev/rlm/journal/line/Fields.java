package dev.rlm.journal.line;

import dev.rlm.journal.format.JournalTime;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.RecordSchema;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a JSON object that was read. A field that must be there and is not, or is of another kind, is a
 * {@link RuntimeException}: the line is damaged.
 */
public record Fields(Map<String, @Nullable Object> values) {
    /** The object on a line. */
    public static Fields parse(byte[] bytes, int from, int length) {
        if (JsonSyntax.endOfObject(bytes, from, from + length) != from + length) {
            throw new IllegalArgumentException("not one whole object");
        }
        return new Fields(WholeJson.fields(bytes, from));
    }

    /**
     * The value of a declared field, as its record's constructor takes it.
     *
     * @throws RuntimeException if it must be there and is not, or is of another kind
     */
    @Nullable
    Object value(EventField field) {
        if (field.isInline()) {
            return record(field.object());
        } else if (has(field.name())) {
            return present(field);
        } else if (field.isMandatory()) {
            throw new IllegalArgumentException("no field " + field.name());
        }
        return field.missing();
    }

    private Object present(EventField field) {
        String name = field.name();
        return switch (field.kind()) {
            case ID, LABEL -> text(name);
            case TEXT -> content(name);
            case FILE -> required(name); // which no line of a journal has
            case WHOLE -> number(name);
            case COUNT -> integer(name);
            case NUMBER -> decimal(name);
            case FLAG -> flag(name);
            case TIME -> time(name);
            case CHOICE -> field.constant(text(name));
            case WHOLES -> integers(name);
            case DECIMALS -> decimals(name);
            case VALUES -> nonNull(object(name));
            case TEXTS -> object(name).texts();
            case NUMBERS -> object(name).decimals();
            case COUNTS -> new TreeMap<>(object(name).numbers());
            case OBJECT -> object(name).record(field.object());
            case OBJECTS -> objects(name, each -> each.record(field.object()));
            case OBJECTS_BY_NAME -> {
                Map<String, Record> records = new TreeMap<>();
                object(name).objects().forEach((key, each) -> records.put(key, each.record(field.object())));
                yield records;
            }
        };
    }

    /** A record of these fields. */
    public Record record(RecordSchema schema) {
        return schema.make(schema.components().stream().map(this::value).toArray());
    }

    private static Map<String, Object> nonNull(Fields fields) {
        @SuppressWarnings({"unchecked", "NullAway"}) // what was recorded as null, a record's map holds as null too
        Map<String, Object> values = (Map<String, Object>) (Map<?, ?>) fields.values();
        return values;
    }

    public boolean has(String name) {
        return values.containsKey(name);
    }

    boolean isObject(String name) {
        return values.get(name) instanceof Map<?, ?>;
    }

    public String text(String name) {
        return (String) required(name);
    }

    Content content(String name) {
        String text = text(name);
        return text.isEmpty() ? Content.EMPTY : Content.redacted(text);
    }

    public long number(String name) {
        return values instanceof LineFields line ? line.number(name) : ((Number) required(name)).longValue();
    }

    public long number(String name, long absent) {
        return has(name) ? number(name) : absent;
    }

    public int integer(String name) {
        return Math.toIntExact(number(name));
    }

    public int integer(String name, int absent) {
        return has(name) ? integer(name) : absent;
    }

    public double decimal(String name) {
        return decimal(required(name));
    }

    private static double decimal(@Nullable Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        return switch ((String) Objects.requireNonNull(value)) {
            case "NaN" -> Double.NaN;
            case "Infinity" -> Double.POSITIVE_INFINITY;
            case "-Infinity" -> Double.NEGATIVE_INFINITY;
            default -> throw new IllegalArgumentException("not a number");
        };
    }

    public boolean flag(String name) {
        return (Boolean) required(name);
    }

    Instant time(String name) {
        return JournalTime.parse(text(name));
    }

    /** An object; without fields where it is absent. */
    public Fields object(String name) {
        return has(name) ? asFields(required(name)) : new Fields(Map.of());
    }

    /** A list of objects; empty where it is absent. */
    List<Fields> objects(String name) {
        return objects(name, fields -> fields);
    }

    /** A list of what objects stand for; empty where it is absent. */
    <T> List<T> objects(String name, Function<Fields, T> reader) {
        return has(name)
                ? list(name).stream().map(Fields::asFields).map(reader).toList()
                : List.of(); // at once: most events have no lists
    }

    /** A list of whole numbers; empty where it is absent. */
    List<Integer> integers(String name) {
        return list(name).stream()
                .map(value -> ((Number) Objects.requireNonNull(value)).intValue())
                .toList();
    }

    /** A list of numbers; empty where it is absent. */
    List<Double> decimals(String name) {
        return list(name).stream().map(Fields::decimal).toList();
    }

    /** The fields as numbers. */
    Map<String, Double> decimals() {
        Map<String, Double> numbers = new LinkedHashMap<>();
        values.forEach((name, value) -> numbers.put(name, decimal(value)));
        return numbers;
    }

    /** The fields as whole numbers. */
    Map<String, Long> numbers() {
        Map<String, Long> numbers = new LinkedHashMap<>();
        values.forEach((name, value) -> numbers.put(name, ((Number) Objects.requireNonNull(value)).longValue()));
        return numbers;
    }

    /** The fields as objects. */
    Map<String, Fields> objects() {
        Map<String, Fields> objects = new LinkedHashMap<>();
        values.forEach((name, value) -> objects.put(name, asFields(value)));
        return objects;
    }

    /** The fields as text. */
    Map<String, String> texts() {
        Map<String, String> texts = new LinkedHashMap<>();
        values.forEach((name, value) -> texts.put(name, (String) Objects.requireNonNull(value)));
        return texts;
    }

    @SuppressWarnings("unchecked") // made by WholeJson
    private List<@Nullable Object> list(String name) {
        return has(name) ? (List<@Nullable Object>) required(name) : List.of();
    }

    @SuppressWarnings("unchecked") // made by WholeJson
    private static Fields asFields(@Nullable Object value) {
        return new Fields((Map<String, @Nullable Object>) Objects.requireNonNull(value));
    }

    private Object required(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("no field " + name);
        }
        return value;
    }
}
