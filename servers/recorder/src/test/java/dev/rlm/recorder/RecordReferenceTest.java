package dev.rlm.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.OriginalSpan;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.schema.EventField;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The tables of docs/record.md beside the declaration of events, and their examples given to {@code rlm record}. */
class RecordReferenceTest {
    private static final String COMMON = "Fields of several events";
    private static final Map<String, Shape> PARTS = Map.of(
            "message", Shapes.of(Message.class),
            "reply", Shapes.REPLY,
            "message part", Shapes.of(MessagePart.class),
            "tool call", Shapes.of(Message.ToolRequest.class),
            "usage", Shapes.of(Usage.class),
            "tokens", Shapes.of(TokenTrace.class),
            "component", Shapes.of(RewardComponent.class),
            "original span", Shapes.of(OriginalSpan.class),
            "status", Shapes.of(RunStatus.class));

    /** A line with a part in it, by the part's name. */
    private static final Map<String, String> LINES_WITH_PARTS = Map.of(
            "message", "{\"type\":\"model_called\",\"messages\":[%s]}",
            "reply", "{\"type\":\"model_called\",\"reply\":%s}",
            "message part", "{\"type\":\"model_called\",\"messages\":[{\"role\":\"user\",\"parts\":[%s]}]}",
            "tool call", "{\"type\":\"model_called\",\"reply\":{\"tool_calls\":[%s]}}",
            "usage", "{\"type\":\"model_called\",\"usage\":%s}",
            "tokens", "{\"type\":\"model_called\",\"tokens\":%s}",
            "original span", "{\"type\":\"tool_called\",\"tool\":\"t\",\"original_span\":%s}",
            "component", "{\"type\":\"reward_given\",\"value\":1,\"components\":[%s]}",
            "status", "{\"type\":\"run_ended\",\"status\":%s}");

    @TempDir
    private Path folder;

    private final Map<String, List<Row>> tables = new TreeMap<>(); // by their headings
    private final Map<String, String> examples = new LinkedHashMap<>(); // lines by their headings
    private final Map<String, String> values = new TreeMap<>(); // what is accepted, by its name in the tables

    @BeforeEach
    void readDocument() throws Exception {
        String heading = "";
        for (String line : Files.readAllLines(Path.of("..", "..", "docs", "record.md"))) {
            if (line.startsWith("#")) {
                heading = line.replaceFirst("#+ ", "");
            } else if (line.startsWith("{\"type\"") && isEvent(heading)) {
                examples.put(heading, line);
            } else if (line.startsWith("| ") && !line.startsWith("| ---")) {
                String[] cells = line.substring(2, line.length() - 2).split(" \\| ", -1);
                if (heading.equals("Events and fields")) {
                    values.put(cells[0], cells[1]);
                } else if (cells[0].startsWith("`") && cells.length > 4) {
                    tables.computeIfAbsent(heading, key -> new ArrayList<>()).add(Row.of(cells));
                }
            }
        }
    }

    private static boolean isEvent(String heading) {
        return Shapes.types().stream().anyMatch(type -> type.label().equals(heading));
    }

    @ParameterizedTest
    @EnumSource(value = EventType.class, mode = EnumSource.Mode.EXCLUDE, names = "LEDGER_REPORTED")
    void table_hasTheFieldsOfTheEvent(EventType type) {
        List<Row> rows = new ArrayList<>(rows(COMMON).stream()
                .filter(row -> Shapes.of(type).fields().containsKey(row.name()))
                .toList());
        rows.addAll(rows(type.label()));
        assertSame(rows, Shapes.of(type));
        assertThat(examples).containsKey(type.label());
    }

    static List<String> parts() {
        return List.copyOf(PARTS.keySet());
    }

    @ParameterizedTest
    @MethodSource("parts")
    void table_hasTheFieldsOfThePart(String part) {
        assertSame(rows(part), Objects.requireNonNull(PARTS.get(part)));
    }

    private List<Row> rows(String heading) {
        return tables.getOrDefault(heading, List.of());
    }

    private void assertSame(List<Row> rows, Shape shape) {
        assertThat(rows)
                .extracting(Row::name)
                .containsExactlyInAnyOrderElementsOf(shape.fields().keySet());
        for (Row row : rows) {
            EventField field = Objects.requireNonNull(shape.fields().get(row.name()));
            Object standard = shape.standards().get(row.name());
            String accepted = row.value()
                    .replaceFirst("^\\[.*", "an object")
                    .replaceFirst("list of \\[.*", "a list, each an object");
            assertThat(values.getOrDefault(accepted, accepted)).as(row.name()).isEqualTo(ValueReader.expected(field));
            if (row.of() == null) {
                assertThat(row.absent().equals("required")).as(row.name()).isEqualTo(isRequired(shape, field));
                if (standard != null) {
                    assertThat(row.absent()).as(row.name()).isEqualTo("`" + Json.text(standard) + "`");
                }
            }
        }
    }

    private static boolean isRequired(Shape shape, EventField field) {
        return field.isRequired() && !shape.standards().containsKey(field.name());
    }

    @Test
    void fieldsOfSeveralEvents_nameTheEvents() {
        for (Row row : rows(COMMON)) {
            List<String> with = labels(row.name(), true);
            List<String> without = labels(row.name(), false);
            String of = without.isEmpty()
                    ? "all"
                    : with.size() > without.size() ? "all but " + String.join(", ", without) : String.join(", ", with);
            assertThat(row.of()).as(row.name()).isEqualTo(of);
        }
    }

    private static List<String> labels(String field, boolean having) {
        return Shapes.types().stream()
                .filter(type -> Shapes.of(type).fields().containsKey(field) == having)
                .map(type -> "`" + type.label() + "`")
                .toList();
    }

    @Test
    void exampleOfEachEvent_isRecorded() {
        List<String> lines = new ArrayList<>(examples.values());
        assertThat(lines).hasSameSizeAs(Shapes.types());
        assertThat(accepted(lines)).hasSameSizeAs(lines);
    }

    @Test
    void exampleOfEachField_isRecorded() throws Exception {
        List<String> lines = new ArrayList<>();
        int fields = 0;
        for (EventType type : Shapes.types()) {
            for (String name : Shapes.of(type).fields().keySet()) {
                lines.addAll(runWith(type, with(Shapes.of(type), type.label(), name), "run-" + fields++));
            }
        }
        for (Map.Entry<String, Shape> part : PARTS.entrySet()) {
            String line = Objects.requireNonNull(LINES_WITH_PARTS.get(part.getKey()));
            EventType type = Objects.requireNonNull(
                    EventType.of(String.valueOf(object(line.formatted("{}")).get("type"))));
            for (String name : part.getValue().fields().keySet()) {
                String example = Json.text(with(part.getValue(), part.getKey(), name));
                lines.addAll(runWith(type, object(line.formatted(example)), "run-" + fields++));
            }
        }
        assertThat(accepted(lines)).hasSameSizeAs(lines);
        assertThat(fields).isGreaterThan(150);
    }

    /** The examples of a field and of those that must be there with it. */
    private Map<String, Object> with(Shape shape, String heading, String name) throws Exception {
        Map<String, Object> object = new LinkedHashMap<>();
        for (EventField field : shape.fields().values()) {
            boolean needed = field.name().equals("value") && heading.equals("reward_given") && !name.equals("absence");
            boolean elsewhere = heading.equals("artifact_saved")
                    && !List.of("content", "absence").contains(name)
                    && List.of("size", "sha256", "path").contains(field.name());
            if (isRequired(shape, field) || needed || elsewhere || field.name().equals(name)) {
                object.put(field.name(), example(heading, field.name()));
            }
        }
        if (isEvent(heading)) {
            object.put("type", heading);
        }
        return object;
    }

    private Object example(String heading, String name) throws Exception {
        Row row = Stream.concat(rows(heading).stream(), rows(COMMON).stream())
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        return Objects.requireNonNull(
                object("{\"example\":" + row.example() + "}").get("example"));
    }

    /** A whole run in which that line comes: its first step has ended with a reward of 0.5, and its second is open. */
    private static List<String> runWith(EventType type, Map<String, Object> line, String runId) {
        line.computeIfPresent("run_id", (name, example) -> runId); // of which each run has its own
        if (type == EventType.RUN_STARTED && line.containsKey("nanos")) {
            line.put("nanos", 0); // as the table says beside its example
        }
        String text = Json.text(line);
        if (type == EventType.METRICS_REPORTED) {
            return List.of(text);
        }
        List<String> lines = new ArrayList<>();
        if (type != EventType.RUN_STARTED) {
            lines.add("{\"type\":\"run_started\",\"run_id\":\"" + runId
                    + "\",\"environment\":\"my-env\",\"model\":\"my-model\",\"time\":\"2026-03-01T10:20:00Z\"}");
            lines.add("{\"type\":\"step_started\",\"time\":\"2026-03-01T10:20:00Z\"}");
            lines.add("{\"type\":\"step_ended\",\"reward\":0.5,\"time\":\"2026-03-01T10:20:10Z\"}");
            lines.add("{\"type\":\"step_started\",\"time\":\"2026-03-01T10:20:10Z\"}");
        }
        lines.add(text);
        if (type != EventType.RUN_ENDED) {
            lines.add("{\"type\":\"run_ended\"}");
        }
        return lines;
    }

    /** Gives the lines to a recorder; its answers to those that were recorded and synced. */
    private List<String> accepted(List<String> lines) {
        byte[] input = lines.stream()
                .map(line -> line + "\n")
                .collect(Collectors.joining())
                .getBytes(StandardCharsets.UTF_8);
        Cli rlm = Cli.with(
                Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString()), new ByteArrayInputStream(input), "record");
        List<String> answers = rlm.lines();
        List<String> refused = answers.stream()
                .filter(answer -> !answer.contains("\"ok\":true,\"synced\":true"))
                .map(answer -> answer + " " + line(lines, answer))
                .toList();
        assertThat(refused).isEmpty();
        return answers;
    }

    private static String line(List<String> lines, String answer) {
        return lines.get(Integer.parseInt(answer.replaceFirst("\\{\"line\":(\\d+).*", "$1")) - 1);
    }

    @SuppressWarnings("unchecked") // as objects become
    private static Map<String, Object> object(String json) {
        return (Map<String, Object>) Objects.requireNonNull(Json.values(Json.RECORD.object(json)));
    }

    /** A row of a table; {@code of} names the events where it stands for several. */
    private record Row(String name, @Nullable String of, String value, String absent, String example) {
        static Row of(String[] cells) {
            int after = cells.length == 6 ? 1 : 0;
            return new Row(
                    code(cells[0]),
                    after == 1 ? cells[1] : null,
                    cells[2 + after],
                    cells[3 + after],
                    code(cells[4 + after]));
        }

        private static String code(String cell) {
            return cell.substring(1, cell.length() - 1);
        }
    }
}
