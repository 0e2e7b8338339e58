package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventField;
import dev.rlm.sinks.event.EventSchema;
import dev.rlm.sinks.event.FieldKind;
import dev.rlm.sinks.event.RecordSchema;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes events as their {@linkplain EventSchema declarations} say, from event to line. {@link EventReader} is its inverse.
 *
 * <p>What writes a type's fields is put together once, as one method handle: the virtual machine compiles it to what one
 * would have written by hand.
 */
final class EventWriter {
    private static final Set<FieldKind> STRUCTURED =
            EnumSet.of(FieldKind.CHOICE, FieldKind.OBJECT, FieldKind.OBJECTS, FieldKind.OBJECTS_BY_NAME);
    private static final ClassValue<MethodHandle> EVENTS = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> type) {
            return fields(EventSchema.of(EventSchema.typeOf(type)).fields());
        }
    };
    private static final ClassValue<MethodHandle> RECORDS = new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> type) {
            return fields(RecordSchema.of(type.asSubclass(Record.class)).fields());
        }
    };

    private EventWriter() {}

    static void write(Event event, JsonLine line) {
        line.put("type", event.type().label());
        if (event instanceof RunEvent run) {
            head(run, line);
        } else {
            line.put("time", event.time());
        }
        write(EVENTS.get(event.getClass()), event, line);
    }

    /** What begins every line of a run; {@link LineHead} relies on the order. */
    private static void head(RunEvent event, JsonLine line) {
        RunInfo run = event.run();
        line.put("run_id", run.runId())
                .put("seq", event.seq())
                .put("time", event.time())
                .put("nanos", event.nanos())
                .put("environment", run.environment())
                .put("model", run.model())
                .putUnless(RunEvent.NO_STEP, "step", event.step());
    }

    /** Writes the fields of a record that is not a line of its own. */
    static void record(Record record, JsonLine line) {
        write(RECORDS.get(record.getClass()), record, line);
    }

    private static void write(MethodHandle fields, Object record, JsonLine line) {
        try {
            fields.invokeExact(line, record);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // nothing else is thrown
        }
    }

    /** Takes a line and an object, and writes the object's fields. */
    static MethodHandle fields(List<EventField> fields) {
        MethodHandle all = MethodHandles.empty(MethodType.methodType(void.class, JsonLine.class, Object.class));
        for (EventField field : fields) {
            all = MethodHandles.foldArguments(field(field), all);
        }
        return all;
    }

    private static MethodHandle field(EventField field) {
        Number absent = field.absent();
        Class<?> type = field.accessor().type().returnType();
        MethodHandle put;
        if (absent != null) {
            put = MethodHandles.insertArguments(put("putUnless", type, String.class, type), 1, absent, field.name());
        } else if (type.isPrimitive() || type == String.class || type == Content.class) {
            put = MethodHandles.insertArguments(put("put", String.class, type), 1, field.name());
        } else {
            String name = STRUCTURED.contains(field.kind()) ? "putPlain" : "put";
            put = MethodHandles.insertArguments(put(name, String.class, Object.class), 1, field.name());
        }
        MethodHandle value =
                field.accessor().asType(MethodType.methodType(put.type().parameterType(1), Object.class));
        return MethodHandles.filterArguments(put, 1, value)
                .asType(MethodType.methodType(void.class, JsonLine.class, Object.class));
    }

    private static MethodHandle put(String name, Class<?>... types) {
        try {
            return MethodHandles.lookup()
                    .findVirtual(JsonLine.class, name, MethodType.methodType(JsonLine.class, types));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The value with maps for the records in it, and words for constants. */
    static @Nullable Object plain(@Nullable Object value) {
        if (value instanceof Record record) {
            return object(record);
        } else if (value instanceof Enum<?> constant) {
            return EventField.word(constant);
        } else if (value instanceof List<?> list && !list.isEmpty() && list.get(0) instanceof Record) {
            return list.stream().map(EventWriter::plain).toList();
        } else if (value instanceof Map<?, ?> map && map.values().stream().anyMatch(Record.class::isInstance)) {
            Map<Object, @Nullable Object> objects = new LinkedHashMap<>();
            map.forEach((name, each) -> objects.put(name, plain(each)));
            return objects;
        }
        return value;
    }

    /** An object of the record's fields; those that are absent or empty are left out. */
    private static Map<String, Object> object(Record record) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (EventField field : RecordSchema.of(record.getClass()).fields()) {
            Object value = plain(field.get(record));
            if (value != null && !JsonLine.isEmpty(value)) {
                fields.put(field.name(), value);
            }
        }
        return fields;
    }
}
