package dev.rlm.sinks.core.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.FileContent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.StepStartedBuilder;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.EventSchema;
import dev.rlm.sinks.schema.FieldKind;
import dev.rlm.sinks.schema.RecordSchema;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every field that may hold much counts in what a queue bounds. */
class SizeEstimatorTest {
    private static final int MUCH = 1_000;
    private static final String TEXT = "x".repeat(MUCH);
    private static final Set<FieldKind> HEAVY = EnumSet.of(
            FieldKind.TEXT,
            FieldKind.FILE,
            FieldKind.WHOLES,
            FieldKind.DECIMALS,
            FieldKind.VALUES,
            FieldKind.TEXTS,
            FieldKind.NUMBERS);
    private static final RunInfo RUN = RunInfoBuilder.builder()
            .runId("r")
            .startedAt(Instant.EPOCH)
            .environment("e")
            .build();

    /** Types with the name of a component that may hold much. */
    static Stream<Map.Entry<EventType, String>> heavy() {
        return Stream.of(EventType.values())
                .filter(type -> type != EventType.LEDGER_REPORTED) // as many numbers as there are sinks
                .flatMap(type -> EventSchema.of(type).record().components().stream()
                        .filter(SizeEstimatorTest::isHeavy)
                        .map(component -> Map.entry(type, component.name())));
    }

    private static boolean isHeavy(EventField field) {
        boolean holds = field.kind() == FieldKind.OBJECT || field.kind() == FieldKind.OBJECTS;
        boolean known = field.type() == StepStarted.class || (field.type() == RunInfo.class && !field.isInline());
        return HEAVY.contains(field.kind())
                || (holds && !known && field.object().components().stream().anyMatch(SizeEstimatorTest::isHeavy));
    }

    @ParameterizedTest
    @MethodSource("heavy")
    void componentThatHoldsMuch_weighsMuch(Map.Entry<EventType, String> heavy) {
        RecordSchema schema = EventSchema.of(heavy.getKey()).record();
        long empty = SizeEstimator.of((Event) make(schema, ""));
        assertThat(SizeEstimator.of((Event) make(schema, heavy.getValue()))).isGreaterThanOrEqualTo(empty + MUCH);
    }

    /** A record in which that component holds much, or all of its components. */
    private static Record make(RecordSchema schema, String heavy) {
        return schema.make(schema.components().stream()
                .map(field -> value(field, heavy.equals("*") || heavy.equals(field.name())))
                .toArray());
    }

    private static @Nullable Object value(EventField field, boolean much) {
        if (field.type() == RunInfo.class && !field.isInline()) {
            return RUN;
        } else if (field.type() == StepStarted.class) {
            return StepStartedBuilder.builder().run(RUN).seq(1).step(1).build();
        }
        return switch (field.kind()) {
            case ID, LABEL ->
                switch (field.name()) {
                    case "step_field" -> "step";
                    case "trace_id" -> "4bf92f3577b34da6a3ce929d0e0e4736";
                    case "span_id", "parent_span_id" -> "00f067aa0ba902b7";
                    default -> "x";
                };
            case TEXT -> much ? Content.redacted(TEXT) : Content.EMPTY;
            case FILE -> much ? new FileContent(MUCH, () -> new byte[MUCH]) : null;
            case WHOLE -> 9L;
            case COUNT -> 1;
            case NUMBER -> 0.5;
            case FLAG -> false;
            case TIME -> Instant.EPOCH;
            case CHOICE -> field.constant(field.choices().get(0));
            case WHOLES -> Collections.nCopies(much ? MUCH : 0, 1);
            case DECIMALS -> Collections.nCopies(much ? MUCH : 0, 1.0);
            case VALUES, TEXTS -> much ? Map.of("k", TEXT) : Map.of();
            case NUMBERS, COUNTS -> numbers(much ? MUCH : 1);
            case OBJECT -> make(field.object(), much ? "*" : "");
            case OBJECTS -> much ? List.of(make(field.object(), "*")) : List.of();
            case OBJECTS_BY_NAME -> Map.of();
        };
    }

    private static Map<String, Double> numbers(int count) {
        Map<String, Double> numbers = new TreeMap<>();
        numbers.put("step", 1.0);
        for (int i = 1; i < count; i++) {
            numbers.put("n" + i, 1.0);
        }
        return numbers;
    }
}
