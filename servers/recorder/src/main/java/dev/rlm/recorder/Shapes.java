package dev.rlm.recorder;

import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.OriginalSpan;
import dev.rlm.sinks.event.Recorded;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.EventSchema;
import dev.rlm.sinks.schema.FieldKind;
import dev.rlm.sinks.schema.RecordSchema;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Fields of the lines that a client may send, and of the objects in them: those that the events declare (see
 * {@link EventSchema}), and the times at which things started. The hub's own {@link EventType#LEDGER_REPORTED} is none of them.
 */
final class Shapes {
    /** Names of objects in a message about it. */
    private static final Map<Class<?>, String> NAMES = Map.of(
            Message.class, "a message",
            MessagePart.class, "a part of a message",
            Message.ToolRequest.class, "a tool call of a message",
            Usage.class, "usage",
            TokenTrace.class, "tokens",
            RewardComponent.class, "a component",
            RetrievedDocument.class, "a document",
            OriginalSpan.class, "an original span",
            RunStatus.class, "status");

    private static final Set<String> NOT_OF_A_LINE = Set.of("run_id", "started_at");
    private static final Map<Class<?>, Shape> OBJECTS = new ConcurrentHashMap<>();

    /** A message of which everybody knows who says it. */
    static final Shape REPLY = of(Message.class).with("a reply", "role", "assistant");

    private static final Map<EventType, Shape> LINES = new EnumMap<>(EventType.class);

    static {
        EnumSet.complementOf(EnumSet.of(EventType.LEDGER_REPORTED))
                .forEach(type -> LINES.put(type, line(EventSchema.of(type))));
    }

    private Shapes() {}

    private static Shape line(EventSchema schema) {
        List<EventField> declared = schema.type() == EventType.RUN_STARTED
                ? RecordSchema.of(RunInfo.class).fields()
                : schema.fields();
        Stream<EventField> head =
                RecordSchema.of(Head.class).fields().stream().filter(field -> isOf(schema, declared, field.name()));
        Stream<EventField> own = declared.stream().filter(field -> !NOT_OF_A_LINE.contains(field.name()));
        Stream<EventField> files = schema.record().components().stream()
                .filter(field -> field.kind() == FieldKind.FILE); // which the journal keeps beside its lines
        return Shape.of(
                schema.type().label(),
                Stream.of(head, own, files).flatMap(fields -> fields).toList());
    }

    private static boolean isOf(EventSchema schema, List<EventField> declared, String field) {
        EventType type = schema.type();
        return switch (field) {
            case "type", "time" -> true;
            case "environment", "model" -> type.isOfRun() && type != EventType.RUN_STARTED; // which declares them
            case "step" -> schema.isInSteps();
            case "start_time" -> declared.stream().anyMatch(each -> each.name().equals("start_nanos"));
            default -> type.isOfRun();
        };
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
        return OBJECTS.computeIfAbsent(
                type,
                key -> Shape.of(
                        NAMES.getOrDefault(type, type.getSimpleName()),
                        RecordSchema.of(type).fields()));
    }

    /** Fields of lines before those that an event declares itself. */
    public record Head(
            @Recorded(required = true) String type,
            @Recorded(id = true) @Nullable String runId,
            @Nullable Long seq,
            @Nullable Instant time,
            @Nullable Long nanos,
            @Nullable String environment,
            @Nullable String model,
            @Nullable Integer step,
            @Nullable Instant startTime) {}
}
