package dev.rlm.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import java.io.InputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What lines may say, beside what the journal's schema says that its lines may. */
class LineTypeTest {
    /** Those that lines may have beside the journal's. */
    private static final Set<String> TIMES = Set.of("start_time");

    private static final Set<String> FILES = Set.of("content"); // which the journal keeps beside its lines

    @ParameterizedTest
    @EnumSource(value = EventType.class, mode = EnumSource.Mode.EXCLUDE, names = "LEDGER_REPORTED")
    void fields_areThoseOfTheJournal(EventType type) throws Exception {
        assertSame(Shapes.of(type), type.label());
    }

    static Stream<Map.Entry<String, Shape>> objects() {
        return Map.of(
                "message", Shapes.of(Message.class),
                "tool_request", Shapes.of(Message.ToolRequest.class),
                "usage", Shapes.of(Usage.class),
                "tokens", Shapes.of(TokenTrace.class),
                "component", Shapes.of(RewardComponent.class),
                "status", Shapes.of(RunStatus.class))
                .entrySet()
                .stream();
    }

    @ParameterizedTest
    @MethodSource("objects")
    void fieldsOfObjects_areThoseOfTheJournal(Map.Entry<String, Shape> object) throws Exception {
        assertSame(object.getValue(), object.getKey());
    }

    @ParameterizedTest
    @MethodSource("eventsOfTheSchema")
    void everyEventOfTheJournal_isALine(String event) {
        assertThat(Shapes.types().stream().map(EventType::label)).contains(event);
    }

    static List<String> eventsOfTheSchema() throws Exception {
        return definitions().entrySet().stream()
                .filter(each -> object(each.getValue()).containsKey("properties"))
                .filter(each -> !each.getKey().equals("ledger_reported")) // the hub's own: nobody else can know it
                .filter(each -> !each.getKey().equals("runs_deleted")) // tells of the file that it is in
                .filter(each ->
                        properties(each.getKey(), object(each.getValue())).containsKey("time"))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static void assertSame(Shape shape, String name) throws Exception {
        Set<String> known = new TreeSet<>(shape.fields().keySet());
        known.removeAll(TIMES);
        known.removeAll(name.equals("artifact_saved") ? FILES : Set.of());
        Set<String> stated = new HashSet<>(
                properties(name, object(Objects.requireNonNull(definitions().get(name))))
                        .keySet());
        assertThat(known).containsExactlyInAnyOrderElementsOf(stated);
    }

    private static Map<?, ?> object(Object value) {
        return (Map<?, ?>) value;
    }

    private static Map<String, Object> properties(String name, Map<?, ?> definition) {
        Map<String, Object> properties = new HashMap<>();
        object(Objects.requireNonNull(definition.get("properties"), name))
                .forEach((key, value) -> properties.put(key.toString(), value));
        return properties;
    }

    private static Map<String, Object> definitions() throws Exception {
        try (InputStream in = Objects.requireNonNull(
                LineTypeTest.class.getResourceAsStream("/dev/rlm/sinks/jsonl/journal.schema.json"))) {
            Map<String, Object> definitions = new HashMap<>();
            byte[] schema = in.readAllBytes();
            object(Objects.requireNonNull(Json.values(
                            Json.RECORD.object(schema, 0, schema.length).path("$defs"))))
                    .forEach((key, value) -> definitions.put(key.toString(), value));
            return definitions;
        }
    }
}
