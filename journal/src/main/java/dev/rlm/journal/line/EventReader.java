package dev.rlm.journal.line;

import dev.rlm.journal.format.EventWriter;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.StepStartedBuilder;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.EventSchema;
import dev.rlm.sinks.schema.RecordSchema;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads events as their {@linkplain EventSchema declarations} say; reads the lines of one run. {@link EventWriter} is its
 * inverse.
 *
 * <p>Parameters and attributes come back as they were recorded, for {@link dev.rlm.sinks.event.JsonValues} has made them so, but
 * for NaN and the infinities, which are their names.
 */
public final class EventReader {
    private RunInfo run;
    private final Map<Long, StepStarted> started = new HashMap<>();
    private final ShownMessages shown;

    public EventReader(RunInfo run) {
        this(run, true);
    }

    private EventReader(RunInfo run, boolean whole) {
        this.run = run;
        this.shown = new ShownMessages(whole);
    }

    /** Reads one line and no other: what it tells itself. */
    public static @Nullable RunEvent readAlone(Fields line) {
        return new EventReader(run(line), false).read(line);
    }

    /** Tells more of the run, for all events that are read from now on. */
    public void runIs(RunInfo told) {
        run = told;
    }

    /** The step has started, and its end is read next. */
    public void expectEndOf(StepStarted start) {
        started.put(start.seq(), start);
    }

    /** Returns what a line tells of its run: everything if it is the start's, else what every line tells. */
    public static RunInfo run(Fields line) {
        Instant startedAt = line.time("time").minusNanos(line.number("nanos"));
        if (line.text("type").equals(EventType.RUN_STARTED.label())) {
            return (RunInfo) make(
                    RecordSchema.of(RunInfo.class),
                    field -> field.type() == Instant.class ? startedAt : line.value(field));
        }
        return RunInfoBuilder.builder()
                .runId(line.text("run_id"))
                .startedAt(startedAt)
                .environment(line.text("environment"))
                .model(line.text("model"))
                .build();
    }

    /** Returns the types of lines that are a run's events, as far as is known here. */
    public static Set<String> typesOfRuns() {
        return Stream.of(EventType.values())
                .filter(EventType::isOfRun)
                .map(EventType::label)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the types of the lines that such events are on. */
    public static Set<String> types(Set<Class<? extends RunEvent>> kinds) {
        return kinds.stream().map(kind -> EventSchema.typeOf(kind).label()).collect(Collectors.toUnmodifiableSet());
    }

    /** An event that belongs to no run. */
    public static Event readApart(EventType type, Fields line) {
        return (Event) make(EventSchema.of(type).record(), line::value);
    }

    /** The event; {@code null} where the line is of a type that is not known here, or belongs to no run. */
    @Nullable
    public RunEvent read(Fields line) {
        EventType type = EventType.of(line.text("type"));
        if (type == null || !type.isOfRun()) {
            return null;
        }
        RunEvent event = (RunEvent) make(EventSchema.of(type).record(), field -> ofRun(field, line));
        if (event instanceof StepStarted start) {
            started.put(start.seq(), start);
        } else if (event instanceof ModelCalled call) {
            shown.add(call);
        }
        return event;
    }

    private @Nullable Object ofRun(EventField field, Fields line) {
        if (field.type() == RunInfo.class) {
            return run;
        } else if (field.type() == StepStarted.class) {
            StepStarted start = started.remove(line.number("start_seq"));
            return start != null ? start : startOf(line);
        }
        return switch (field.name()) {
            case EventWriter.MESSAGES -> shown.messages(line);
            case EventWriter.INSTRUCTIONS, EventWriter.TOOLS -> shown.text(field, line);
            default -> line.value(field);
        };
    }

    /** Returns the event as one of that run, of which more was known when its other events were read. */
    @SuppressWarnings("ReferenceEquality") // all that were read after its start have that one
    public static RunEvent ofRun(RunEvent event, RunInfo run) {
        return event.run() == run
                ? event
                : (RunEvent) make(
                        EventSchema.of(EventSchema.typeOf(event.getClass())).record(), field -> {
                            Object value = field.get((Record) event);
                            return value instanceof RunInfo
                                    ? run
                                    : value instanceof StepStarted start ? ofRun(start, run) : value;
                        });
    }

    /** The step's start as its end tells it: without what the agent saw. */
    private StepStarted startOf(Fields end) {
        return StepStartedBuilder.builder()
                .run(run)
                .seq(end.number("start_seq"))
                .nanos(end.number("start_nanos"))
                .step(end.integer("step"))
                .parentStep(end.integer("parent_step", RunEvent.NO_STEP))
                .build();
    }

    private static Record make(RecordSchema schema, Function<EventField, @Nullable Object> values) {
        List<EventField> components = schema.components();
        @Nullable Object[] arguments = new Object[components.size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = values.apply(components.get(i));
        }
        return schema.make(arguments);
    }
}
