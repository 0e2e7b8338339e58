package dev.rlm.recorder;

import static dev.rlm.recorder.Field.optional;
import static dev.rlm.recorder.Field.required;
import static dev.rlm.recorder.Field.standard;

import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.EventSchema;
import dev.rlm.sinks.schema.RecordSchema;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Fields of the lines that a client may send, and of the objects in them: those that the events declare (see
 * {@link EventSchema}), and the times at which things started. The hub's own {@link EventType#LEDGER_REPORTED} is none of them.
 */
final class Shapes {
    /** What an id, a name or a list is called in a message about it. */
    private static final Map<Class<?>, String> OBJECTS = Map.of(
            Message.class, "a message",
            MessagePart.class, "a part of a message",
            Message.ToolRequest.class, "a tool call of a message",
            Usage.class, "usage",
            TokenTrace.class, "tokens",
            RewardComponent.class, "a component",
            RetrievedDocument.class, "a document",
            RunStatus.class, "status");

    /** Fields of which more is known than the kind. */
    private static final Map<String, Kind> REFINED = Map.of(
            "sha256", Kind.SHA256, "step_field", Kind.oneOf(MetricsReported.STEP_FIELDS), "values", Kind.NUMBERS_IN);

    private static final Set<String> NOT_OF_A_LINE = Set.of("run_id", "started_at");

    /** A message of which everybody knows who says it. */
    static final Shape REPLY = of(Message.class).with("a reply", standard("role", Kind.LABEL, "assistant"));

    private static final Shape LINE = Shape.of(
            "a line",
            required("type", Kind.LABEL),
            optional("run_id", Kind.ID),
            optional("seq", Kind.WHOLE),
            optional("time", Kind.TIME),
            optional("nanos", Kind.WHOLE));
    private static final Shape IN_RUN =
            LINE.with("a line", optional("environment", Kind.LABEL), optional("model", Kind.LABEL));
    private static final Shape IN_STEP = IN_RUN.with("a line", optional("step", Kind.COUNT));
    private static final Shape APART = Shape.of("a line", required("type", Kind.LABEL), optional("time", Kind.TIME));

    private static final Map<EventType, Shape> LINES = lines();

    private Shapes() {}

    private static Map<EventType, Shape> lines() {
        Map<EventType, Shape> lines = new EnumMap<>(EventType.class);
        Stream.of(EventType.values())
                .filter(type -> type != EventType.LEDGER_REPORTED)
                .forEach(type -> lines.put(type, line(EventSchema.of(type))));
        return lines;
    }

    private static Shape line(EventSchema schema) {
        String name = schema.type().label();
        if (schema.type() == EventType.RUN_STARTED) {
            return LINE.with(name, fields(RecordSchema.of(RunInfo.class).fields()));
        }
        Shape head = !schema.type().isOfRun() ? APART : schema.isInSteps() ? IN_STEP : IN_RUN;
        boolean timed = schema.fields().stream().anyMatch(field -> field.name().equals("start_nanos"));
        Shape placed = timed ? head.with("a line", optional("start_time", Kind.TIME)) : head;
        Shape shape = placed.with(name, fields(schema.fields()));
        return schema.type() == EventType.ARTIFACT_SAVED ? shape.with(name, optional("content", Kind.BASE64)) : shape;
    }

    /** The fields of a line of that type. */
    static Shape of(EventType type) {
        return Objects.requireNonNull(LINES.get(type), type::label);
    }

    /** The types of which lines may be. */
    static Set<EventType> types() {
        return LINES.keySet();
    }

    /** The fields of an object. */
    static Shape of(Class<? extends Record> type) {
        return Shape.of(
                OBJECTS.getOrDefault(type, type.getSimpleName()),
                fields(RecordSchema.of(type).fields()));
    }

    /** A shape of declared fields. */
    static Shape of(String name, List<EventField> declared) {
        return Shape.of(name, fields(declared));
    }

    private static Field[] fields(List<EventField> declared) {
        return declared.stream()
                .filter(field -> !NOT_OF_A_LINE.contains(field.name()))
                .map(Shapes::field)
                .toArray(Field[]::new);
    }

    private static Field field(EventField declared) {
        String name = declared.name();
        Kind kind = kind(declared);
        if (declared.isRequired()) {
            return required(name, kind);
        }
        Object standard = declared.standard() == null ? empty(declared) : declared.standard();
        return standard == null ? optional(name, kind) : standard(name, kind, standard);
    }

    private static Kind kind(EventField declared) {
        Kind refined = declared.name().equals("reply") ? Kind.object(REPLY) : REFINED.get(declared.name());
        if (refined != null) {
            return refined;
        }
        return switch (declared.kind()) {
            case ID -> Kind.ID;
            case LABEL -> Kind.LABEL;
            case TEXT -> Kind.TEXT;
            case WHOLE -> Kind.WHOLE;
            case COUNT -> Kind.COUNT;
            case NUMBER -> Kind.NUMBER;
            case FLAG -> Kind.FLAG;
            case TIME -> Kind.TIME;
            case CHOICE -> Kind.oneOf(declared.choices());
            case WHOLES -> Kind.INTEGERS;
            case DECIMALS -> Kind.DECIMALS;
            case VALUES -> Kind.VALUES;
            case TEXTS -> Kind.TEXTS;
            case NUMBERS, COUNTS -> Kind.NUMBERS;
            case OBJECT, OBJECTS_BY_NAME -> Kind.object(of(declared.object().type()));
            case OBJECTS -> Kind.listOf(of(declared.object().type()));
            case FILE -> throw new IllegalArgumentException(declared + " is no field");
        };
    }

    /** What stands for a field that is there always and may be empty; {@code null} for others. */
    private static @Nullable Object empty(EventField declared) {
        if (declared.isNullable()) {
            return null;
        }
        return switch (declared.kind()) {
            case TEXT -> "";
            case VALUES, TEXTS, NUMBERS -> Map.of();
            case WHOLES, DECIMALS, OBJECTS -> List.of();
            case OBJECT -> declared.isAlways() ? null : Map.of();
            default -> null;
        };
    }
}
