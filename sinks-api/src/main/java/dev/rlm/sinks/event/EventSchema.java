package dev.rlm.sinks.event;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the events of one type have on a line of the journal. Every line begins with a head: {@code type}, {@code run_id},
 * {@code seq}, {@code time}, {@code nanos}, {@code environment}, {@code model} and, in a step, {@code step}; only {@code type}
 * and {@code time} where the event belongs to no run.
 *
 * @param record the events' class
 * @param fields behind the head, in order
 */
public record EventSchema(EventType type, RecordSchema record, List<EventField> fields) {
    private static final Set<String> HEAD =
            Set.of("run", "started", "run_id", "seq", "time", "started_at", "nanos", "environment", "model", "step");
    private static final Map<EventType, EventSchema> ALL = new EnumMap<>(EventType.class);

    static {
        Stream.of(Event.class.getPermittedSubclasses())
                .flatMap(EventSchema::events)
                .map(EventSchema::declared)
                .forEach(schema -> ALL.put(schema.type, schema));
    }

    private static Stream<Class<?>> events(Class<?> type) {
        return type.isRecord()
                ? Stream.of(type)
                : Stream.of(type.getPermittedSubclasses()).flatMap(EventSchema::events);
    }

    private static EventSchema declared(Class<?> event) {
        return of(typeOf(event), RecordSchema.of(event.asSubclass(Record.class)));
    }

    static EventSchema of(EventType type, RecordSchema record) {
        return new EventSchema(
                type,
                record,
                record.fields().stream()
                        .filter(field -> !HEAD.contains(field.name()))
                        .toList());
    }

    /** The type of a class of events. */
    public static EventType typeOf(Class<?> event) {
        String constant = event.getSimpleName().replaceAll("(?<=[a-z])([A-Z])", "_$1");
        return EventType.valueOf(constant.toUpperCase(Locale.ROOT));
    }

    /** The schema of a type. */
    public static EventSchema of(EventType type) {
        return Objects.requireNonNull(ALL.get(type), type::label);
    }

    /** Whether its events can lie in a step. */
    public boolean isInSteps() {
        return record.components().stream()
                .anyMatch(field -> field.name().equals("step") || field.name().equals("started"));
    }
}
