package dev.rlm.journal.format;

import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.EventSchema;
import dev.rlm.sinks.schema.RecordSchema;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes events as their {@linkplain EventSchema declarations} say, from event to line. {@code EventReader} is its inverse.
 *
 * <p>Of the three that each step has, the fields of the journal's first version, which will never change, are written by calls
 * of their own: reflection would cost a fifth of a step's lines.
 */
public final class EventWriter {
    private static final ClassValue<List<EventField>> EVENTS = new ClassValue<>() {
        @Override
        protected List<EventField> computeValue(Class<?> type) {
            return EventSchema.of(EventSchema.typeOf(type)).fields();
        }
    };
    private static final ClassValue<List<EventField>> LATER = new ClassValue<>() {
        @Override
        protected List<EventField> computeValue(Class<?> type) {
            return EVENTS.get(type).stream().filter(field -> field.since() > 1).toList();
        }
    };

    /** Field of the messages that a model was shown. */
    public static final String MESSAGES = "messages";

    /** Field of what a model was told apart from them. */
    public static final String INSTRUCTIONS = "system_instructions";

    /** Field of the tools that a model was offered. */
    public static final String TOOLS = "tool_definitions";

    private static final List<EventField> OF_A_CALL_ALONE = EVENTS.get(ModelCalled.class).stream()
            .filter(field -> !List.of(MESSAGES, INSTRUCTIONS, TOOLS).contains(field.name()))
            .toList();

    private EventWriter() {}

    public static void write(Event event, JsonLine line) {
        line.put("type", event.type().label());
        if (event instanceof RunEvent run) {
            head(run, line);
        } else {
            line.put("time", event.time());
        }
        switch (event.type()) {
            case REWARD_GIVEN -> rewardGiven((RewardGiven) event, line);
            case STEP_STARTED -> stepStarted((StepStarted) event, line);
            case STEP_ENDED -> stepEnded((StepEnded) event, line);
            default -> fields(EVENTS.get(event.getClass()), (Record) event, line);
        }
    }

    /** Writes a call of a model, of whose messages only those that are new to its run. */
    public static void write(ModelCalled call, ToldMessages told, JsonLine line) {
        line.put("type", call.type().label());
        head(call, line);
        fields(OF_A_CALL_ALONE, call, line);
        line.put(INSTRUCTIONS, told.told(INSTRUCTIONS, call.systemInstructions(), call))
                .put(TOOLS, told.told(TOOLS, call.toolDefinitions(), call))
                .put(MESSAGES, told.told(call));
    }

    /** Writes an event without any call of its own. */
    public static void writeDeclared(RunEvent event, JsonLine line) {
        line.put("type", event.type().label());
        head(event, line);
        fields(EVENTS.get(event.getClass()), (Record) event, line);
    }

    /** Writes the beginning of every line of a run; {@code LineHead} relies on the order. */
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

    private static void stepStarted(StepStarted event, JsonLine line) {
        line.putUnless(RunEvent.NO_STEP, "parent_step", event.parentStep()).put("observation", event.observation());
        fields(LATER.get(StepStarted.class), event, line);
    }

    private static void rewardGiven(RewardGiven event, JsonLine line) {
        line.put("scope", event.step() == RunEvent.NO_STEP ? "run" : "step").put("source", event.source());
        if (!event.isAbsent()) {
            line.put("value", event.value());
        }
        line.put("absence", event.absence())
                .put("components", plain(event.components()))
                .put("start_nanos", event.startNanos());
        fields(LATER.get(RewardGiven.class), event, line);
    }

    private static void stepEnded(StepEnded event, JsonLine line) {
        line.putUnless(RunEvent.NO_STEP, "parent_step", event.parentStep())
                .put("start_nanos", event.startNanos())
                .put("start_seq", event.startSeq())
                .put("action_type", event.actionType())
                .put("code", event.code())
                .put("output", event.output())
                .put("success", event.success())
                .put("error", event.error())
                .put("error_type", event.errorType())
                .put("reward", event.reward())
                .put("cumulative_reward", event.cumulativeReward())
                .put("state_before", event.stateBefore())
                .put("state_after", event.stateAfter())
                .put("tags", event.tags());
        fields(LATER.get(StepEnded.class), event, line);
    }

    /** Writes the fields of a record that is not a line of its own. */
    public static void record(Record record, JsonLine line) {
        fields(RecordSchema.of(record.getClass()).fields(), record, line);
    }

    private static void fields(List<EventField> fields, Record record, JsonLine line) {
        forEach(fields, record, line::put);
    }

    /** Those that are there, by name; what is absent or empty is left out. */
    private static void forEach(List<EventField> fields, Record record, BiConsumer<String, Object> to) {
        for (EventField field : fields) {
            Object value = plain(field.get(record));
            if (value != null && !value.equals(field.absent()) && !JsonLine.isEmpty(value)) {
                to.accept(field.name(), value);
            }
        }
    }

    /** The value with maps for the records in it, and words for constants. */
    public static @Nullable Object plain(@Nullable Object value) {
        if (value instanceof Record record) {
            Map<String, Object> object = new LinkedHashMap<>();
            forEach(RecordSchema.of(record.getClass()).fields(), record, object::put);
            return object;
        } else if (value instanceof Enum<?> constant) {
            return EventField.word(constant);
        } else if (value instanceof List<?> list && holdsRecords(list)) {
            return list.stream().map(EventWriter::plain).toList();
        } else if (value instanceof Map<?, ?> map && holdsRecords(map.values())) {
            Map<Object, @Nullable Object> objects = new LinkedHashMap<>();
            map.forEach((name, each) -> objects.put(name, plain(each)));
            return objects;
        }
        return value;
    }

    private static boolean holdsRecords(Collection<?> values) {
        return !values.isEmpty() && values.iterator().next() instanceof Record;
    }
}
