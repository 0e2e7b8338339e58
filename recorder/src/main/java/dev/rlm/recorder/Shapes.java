package dev.rlm.recorder;

import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.EventSchema;
import dev.rlm.sinks.schema.RecordSchema;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Fields of the lines that a client may send, and of the objects in them: those that the events declare (see
 * {@link EventSchema}), and the times at which things started. The hub's own {@link EventType#LEDGER_REPORTED} is none of them.
 */
final class Shapes {
    /** What an object is called in a message about it. */
    private static final Map<Class<?>, String> OBJECTS = Map.of(
            Message.class, "a message",
            MessagePart.class, "a part of a message",
            Message.ToolRequest.class, "a tool call of a message",
            Usage.class, "usage",
            TokenTrace.class, "tokens",
            RewardComponent.class, "a component",
            RetrievedDocument.class, "a document",
            RunStatus.class, "status");

    private static final Set<String> NOT_OF_A_LINE = Set.of("run_id", "started_at");

    /** A message of which everybody knows who says it. */
    static final Shape REPLY = Shape.of(
            "a reply",
            Stream.concat(
                            of(Message.class).fields().values().stream(),
                            Stream.of(new Field("role", Kind.LABEL, false, "assistant")))
                    .toList());

    private static final Map<EventType, Shape> LINES = lines();

    private Shapes() {}

    private static Map<EventType, Shape> lines() {
        Map<EventType, Shape> lines = new EnumMap<>(EventType.class);
        EnumSet.complementOf(EnumSet.of(EventType.LEDGER_REPORTED))
                .forEach(type -> lines.put(type, line(EventSchema.of(type))));
        return lines;
    }

    private static Shape line(EventSchema schema) {
        EventType type = schema.type();
        boolean isStart = type == EventType.RUN_STARTED;
        List<EventField> declared = isStart ? RecordSchema.of(RunInfo.class).fields() : schema.fields();
        List<Field> fields = new ArrayList<>();
        fields.add(new Field("type", Kind.LABEL, true, null));
        if (type.isOfRun()) {
            fields.add(Field.optional("run_id", Kind.ID));
            fields.add(Field.optional("seq", Kind.WHOLE));
        }
        fields.add(Field.optional("time", Kind.TIME));
        if (type.isOfRun()) {
            fields.add(Field.optional("nanos", Kind.WHOLE));
        }
        if (type.isOfRun() && !isStart) {
            fields.add(Field.optional("environment", Kind.LABEL));
            fields.add(Field.optional("model", Kind.LABEL));
        }
        if (schema.isInSteps()) {
            fields.add(Field.optional("step", Kind.COUNT));
        }
        if (declared.stream().anyMatch(field -> field.name().equals("start_nanos"))) {
            fields.add(Field.optional("start_time", Kind.TIME));
        }
        fields.addAll(fields(declared));
        if (type == EventType.ARTIFACT_SAVED) {
            fields.add(Field.optional("content", Kind.BASE64));
        }
        return Shape.of(type.label(), fields);
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

    private static List<Field> fields(List<EventField> declared) {
        return declared.stream()
                .filter(field -> !NOT_OF_A_LINE.contains(field.name()))
                .map(Field::of)
                .toList();
    }
}
