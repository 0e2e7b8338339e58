package dev.rlm.journal.index;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.RecordSchema;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records by their declarations, numbers and texts, one behind the other: equal texts are kept once, and numbers in as few bytes as they
 * need. Free values can only be texts, and of an event its run is not kept: it gets the one that stands before it. For one thread.
 */
final class PackedRecords {
    private final NumberColumn values;
    private final List<String> texts;
    private final Map<String, Integer> numbers = new HashMap<>(); // of the texts
    private RunInfo run = IndexedLine.RUN; // that was read last

    PackedRecords() {
        this(new NumberColumn(), new ArrayList<>());
    }

    private PackedRecords(NumberColumn values, List<String> texts) {
        this.values = values;
        this.texts = texts;
    }

    /** Reads those of a {@link #column}. */
    static PackedRecords of(NumberColumn from) {
        List<String> texts = new ArrayList<>();
        NumberColumn bytes = from.nextColumn();
        while (bytes.hasNext()) {
            texts.add(bytes.nextText());
        }
        return new PackedRecords(from.nextColumn(), texts);
    }

    /** Returns texts and values. */
    NumberColumn column() {
        NumberColumn bytes = new NumberColumn();
        for (String text : texts) {
            byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
            bytes.put(encoded, encoded.length);
        }
        NumberColumn column = new NumberColumn();
        column.put(bytes);
        column.put(values);
        return column;
    }

    /** Returns the place of what is written next. */
    int size() {
        return values.size();
    }

    /** Returns the same, to be read from a place on. */
    PackedRecords from(int place) {
        return new PackedRecords(values.from(place), texts);
    }

    /** Returns whether there is more to read. */
    boolean hasNext() {
        return values.hasNext();
    }

    /** Returns the number of a text, which is added where it is not known. */
    private int numberOf(String text) {
        Integer number = numbers.putIfAbsent(text, texts.size());
        if (number == null) {
            texts.add(text);
            return texts.size() - 1;
        }
        return number;
    }

    void text(String text) {
        values.put(numberOf(text));
    }

    String nextText() {
        return texts.get((int) values.next());
    }

    void number(long number) {
        values.putSigned(number);
    }

    long nextNumber() {
        return values.nextSigned();
    }

    void decimal(double number) {
        values.put(Long.reverse(Double.doubleToRawLongBits(number))); // most end with zeros
    }

    double nextDecimal() {
        return Double.longBitsToDouble(Long.reverse(values.next()));
    }

    void record(Record record) {
        for (EventField field : RecordSchema.of(record.getClass()).components()) {
            if (isRunOfEvent(field, record.getClass())) {
                continue;
            }
            Object value = field.get(record);
            if (isOptional(field)) {
                values.put(value == null ? 0 : 1);
            }
            if (value != null) {
                write(field, value);
            }
        }
    }

    <T extends Record> T nextRecord(Class<T> type) {
        RecordSchema schema = RecordSchema.of(type);
        List<EventField> components = schema.components();
        @Nullable Object[] arguments = new Object[components.size()];
        for (int i = 0; i < arguments.length; i++) {
            EventField field = components.get(i);
            arguments[i] =
                    isRunOfEvent(field, type) ? run : isOptional(field) && values.next() == 0 ? null : read(field);
        }
        T record = type.cast(schema.make(arguments));
        run = record instanceof RunInfo info ? info : run;
        return record;
    }

    private static boolean isRunOfEvent(EventField field, Class<?> record) {
        return field.type() == RunInfo.class && RunEvent.class.isAssignableFrom(record);
    }

    private static boolean isOptional(EventField field) {
        return !field.type().isPrimitive();
    }

    @SuppressWarnings("unchecked") // as the kinds say
    private void write(EventField field, Object value) {
        switch (field.kind()) {
            case ID, LABEL -> text((String) value);
            case TEXT -> text(((Content) value).text());
            case WHOLE, COUNT -> number(((Number) value).longValue());
            case NUMBER -> decimal((Double) value);
            case FLAG -> number((Boolean) value ? 1 : 0);
            case CHOICE -> text(EventField.word(value));
            case TIME -> time((Instant) value);
            case TEXTS, VALUES -> map((Map<String, String>) value, this::text);
            case NUMBERS -> map((Map<String, Double>) value, this::decimal);
            case COUNTS -> map((Map<String, Long>) value, this::number);
            case OBJECT -> record((Record) value);
            case OBJECTS -> {
                number(((List<Record>) value).size());
                ((List<Record>) value).forEach(this::record);
            }
            case OBJECTS_BY_NAME -> map((Map<String, Record>) value, this::record);
            case FILE, WHOLES, DECIMALS -> throw new IllegalArgumentException(field + " is not packed");
        }
    }

    @SuppressWarnings("JavaInstantGetSecondsGetNano") // both
    void time(Instant time) {
        number(time.getEpochSecond());
        number(time.getNano());
    }

    private <V> void map(Map<String, V> map, Consumer<V> value) {
        number(map.size());
        map.forEach((name, each) -> {
            text(name);
            value.accept(each);
        });
    }

    Instant nextTime() {
        return Instant.ofEpochSecond(nextNumber(), nextNumber());
    }

    private Object read(EventField field) {
        return switch (field.kind()) {
            case ID, LABEL -> nextText();
            case TEXT -> content(nextText());
            case WHOLE -> nextNumber();
            case COUNT -> Math.toIntExact(nextNumber());
            case NUMBER -> nextDecimal();
            case FLAG -> nextNumber() == 1;
            case CHOICE -> field.constant(nextText());
            case TIME -> nextTime();
            case TEXTS, VALUES -> nextMap(this::nextText);
            case NUMBERS -> nextMap(this::nextDecimal);
            case COUNTS -> new TreeMap<>(nextMap(this::nextNumber));
            case OBJECT -> nextRecord(field.object().type());
            case OBJECTS -> nextRecords(field.object().type());
            case OBJECTS_BY_NAME ->
                new TreeMap<>(nextMap(() -> nextRecord(field.object().type())));
            case FILE, WHOLES, DECIMALS -> throw new IllegalArgumentException(field + " is not packed");
        };
    }

    private List<Record> nextRecords(Class<? extends Record> type) {
        long size = nextNumber();
        List<Record> records = new ArrayList<>();
        for (long i = 0; i < size; i++) {
            records.add(nextRecord(type));
        }
        return records;
    }

    private static Content content(String text) {
        return text.isEmpty() ? Content.EMPTY : Content.redacted(text);
    }

    private <V> Map<String, V> nextMap(Supplier<V> value) {
        long size = nextNumber();
        Map<String, V> map = new LinkedHashMap<>();
        for (long i = 0; i < size; i++) {
            map.put(nextText(), value.get());
        }
        return map;
    }
}
