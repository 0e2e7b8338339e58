package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventType;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Fields of the events of one type on a line of the journal. Every line begins with a head: {@code type}, {@code run_id},
 * {@code seq}, {@code time}, {@code nanos}, {@code environment}, {@code model} and, in a step, {@code step}; only {@code type}
 * and {@code time} where the event belongs to no run.
 *
 * @param record the events' class
 * @param fields behind the head, in order
 */
public record EventSchema(EventType type, RecordSchema record, List<EventField> fields) {
    private static final Set<String> HEAD =
            Set.of("run", "started", "run_id", "seq", "time", "started_at", "nanos", "environment", "model", "step");
    private static final Map<EventType, Class<?>> EVENTS = events(Event.class)
            .collect(Collectors.toMap(
                    EventSchema::typeOf,
                    Function.identity(),
                    (one, other) -> one,
                    () -> new EnumMap<>(EventType.class)));
    private static final ClassValue<EventSchema> ALL = new ClassValue<>() {
        @Override
        protected EventSchema computeValue(Class<?> event) {
            return of(typeOf(event), RecordSchema.of(event.asSubclass(Record.class)));
        }
    };

    private static Stream<Class<?>> events(Class<?> type) {
        return type.isRecord()
                ? Stream.of(type)
                : Stream.of(type.getPermittedSubclasses()).flatMap(EventSchema::events);
    }

    static EventSchema of(EventType type, RecordSchema record) {
        return new EventSchema(
                type,
                record,
                record.fields().stream()
                        .filter(field -> !HEAD.contains(field.name()))
                        .sorted(Comparator.comparingInt(EventField::since)) // what came later stands behind
                        .toList());
    }

    /** The type of a class of events. */
    public static EventType typeOf(Class<?> event) {
        String constant = event.getSimpleName().replaceAll("(?<=[a-z])([A-Z])", "_$1");
        return EventType.valueOf(constant.toUpperCase(Locale.ROOT));
    }

    /** The schema of a type. */
    public static EventSchema of(EventType type) {
        return ALL.get(Objects.requireNonNull(EVENTS.get(type), type::label));
    }

    /** Returns whether its events can lie in a step. */
    public boolean isInSteps() {
        return record.components().stream()
                .anyMatch(field -> field.name().equals("step") || field.name().equals("started"));
    }
}
