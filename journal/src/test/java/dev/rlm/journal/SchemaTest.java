package dev.rlm.journal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.JournalHeader;
import dev.rlm.journal.line.DeclaredSchema;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.UnendedRun;
import dev.rlm.journal.maintenance.RunDeletion;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.SampleEvents;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written, the schemas and the document say the same. */
class SchemaTest {
    private static final String EVENTS = "journal.schema.json";
    private static final String RUNS = "runs.schema.json";
    private static final long LATER = 1_000;
    private static final Set<String> VALUES = Set.of("text", "time", "number"); // no objects

    @TempDir
    Path directory;

    private final List<JsonObject> events = new ArrayList<>();
    private final List<JsonObject> runs = new ArrayList<>();

    @BeforeEach
    void record() throws IOException {
        String odd = "\u0000\u001B[1m\u202E\u2028\uFEFF\uD800 \"\\";
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            Stream.of(
                            Events.full("a"),
                            Events.full("b", odd),
                            Events.minimal("c"),
                            SampleEvents.rich("d", odd),
                            SampleEvents.bare("e"))
                    .<Event>flatMap(List::stream)
                    .forEach(event -> {
                        sink.onEvent(event);
                        if (event instanceof ModelCalled call) {
                            ModelCalledBuilder more =
                                    ModelCalledBuilder.builder(call).toolDefinitions(Content.redacted("[]".repeat(40)));
                            sink.onEvent(more.seq(call.seq() + LATER).build()); // which tells where its messages are
                            sink.onEvent(more.seq(call.seq() + 2 * LATER).build()); // and its tools
                        }
                    });
            sink.onEvent(SampleEvents.ledger());
        }
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            SampleEvents.bare("f").forEach(sink::onEvent);
        }
        Journal journal = Journal.open(directory);
        RunDeletion.of(journal, List.of(journal.run("f"))).delete(folders -> {});
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                List<JsonObject> lines = file.endsWith(JournalFolder.SUMMARIES) ? runs : events;
                Files.readAllLines(file).stream()
                        .map(line -> JsonParser.parseString(line).getAsJsonObject())
                        .forEach(lines::add);
            }
        }
    }

    @Test
    void everyLine_isValid() {
        JournalSchema schema = JournalSchema.strict(EVENTS);
        assertThat(events)
                .hasSizeGreaterThan(40)
                .allSatisfy(
                        line -> assertThat(schema.errors(line)).as("%s", line).isEmpty());
        assertThat(events)
                .allSatisfy(line -> assertThat(schema.definitions())
                        .containsKey(line.get("type").getAsString()));
        JournalSchema summaries = JournalSchema.strict(RUNS);
        assertThat(runs)
                .hasSize(5)
                .allSatisfy(line ->
                        assertThat(summaries.errors(line)).as("%s", line).isEmpty());
    }

    @Test
    void everyFieldOfTheSchemas_isWritten() {
        Map<String, Set<String>> written = new TreeMap<>();
        for (JsonObject event : events) {
            String type = event.get("type").getAsString();
            add(written, type, event);
            if (event.has("tool_definitions") && event.get("tool_definitions").isJsonObject()) {
                add(written, "earlier_text", event.get("tool_definitions"));
            }
            for (JsonElement message : objects(event.get("messages"), event.get("reply"))) {
                add(written, message.getAsJsonObject().has("call") ? "earlier_messages" : "message", message);
                objects(message.getAsJsonObject().get("tool_calls"), null)
                        .forEach(call -> add(written, "tool_request", call));
                objects(message.getAsJsonObject().get("parts"), null)
                        .forEach(part -> add(written, "message_part", part));
            }
            objects(event.get("components"), null).forEach(part -> add(written, "component", part));
            objects(event.get("documents"), null).forEach(found -> add(written, "document", found));
            objects(null, event.get("original_span")).forEach(span -> add(written, "original_span", span));
            objects(null, event.get("usage")).forEach(part -> add(written, "usage", part));
            objects(null, event.get("tokens")).forEach(part -> add(written, "tokens", part));
            objects(null, event.get("status")).forEach(part -> add(written, "status", part));
            accounts(event).forEach(account -> add(written, "account", account));
        }
        assertThat(written).isEqualTo(fields(JournalSchema.published(EVENTS)));

        Map<String, Set<String>> summaries = new TreeMap<>();
        runs.forEach(run -> {
            add(summaries, "run", run);
            add(summaries, "status", run.get("status"));
        });
        assertThat(summaries).isEqualTo(fields(JournalSchema.published(RUNS)));
    }

    private static Collection<JsonElement> accounts(JsonObject event) {
        JsonElement sinks = event.get("sinks");
        return sinks == null ? List.of() : sinks.getAsJsonObject().asMap().values();
    }

    private static List<JsonElement> objects(@Nullable JsonElement list, @Nullable JsonElement one) {
        List<JsonElement> objects = new ArrayList<>(list instanceof JsonArray array ? array.asList() : List.of());
        if (one != null) {
            objects.add(one);
        }
        return objects;
    }

    private static void add(Map<String, Set<String>> written, String kind, JsonElement object) {
        written.computeIfAbsent(kind, k -> new TreeSet<>())
                .addAll(object.getAsJsonObject().keySet());
    }

    private static Map<String, Set<String>> fields(JournalSchema schema) {
        Map<String, Set<String>> fields = new TreeMap<>();
        schema.definitions().forEach((name, definition) -> {
            if (!VALUES.contains(name)) {
                fields.put(name, new TreeSet<>(properties(definition).keySet()));
            }
        });
        return fields;
    }

    private static Map<String, JsonElement> properties(JsonElement definition) {
        return definition.getAsJsonObject().getAsJsonObject("properties").asMap();
    }

    @Test
    void schema_isTheOneThatEventsDeclare() {
        Map<String, JsonElement> published =
                new TreeMap<>(JournalSchema.published(EVENTS).definitions());
        published.keySet().removeAll(VALUES);
        published.remove(JournalHeader.TYPE); // the first line of a file is no event's
        published.remove("runs_deleted"); // nor does a program record it
        published.replaceAll((name, definition) -> DeclaredSchema.bare(definition));
        Map<String, JsonElement> declared = new TreeMap<>(DeclaredSchema.definitions());
        declared.replaceAll((name, definition) -> DeclaredSchema.bare(definition));
        declared.forEach(
                (name, definition) -> assertThat(published.get(name)).as(name).isEqualTo(definition));
        assertThat(published.keySet()).isEqualTo(declared.keySet());
    }

    @Test
    void fieldThatIsRenamedOrOfAnotherType_isCaught() {
        assertDamageIsCaught(JournalSchema.strict(EVENTS), events);
        assertDamageIsCaught(JournalSchema.strict(RUNS), runs);
    }

    private static void assertDamageIsCaught(JournalSchema schema, List<JsonObject> lines) {
        for (JsonObject line : lines) {
            for (String name : line.keySet()) {
                if (!name.equals("type")) {
                    JsonObject renamed = line.deepCopy();
                    renamed.add(name + "s", renamed.remove(name));
                    assertThat(schema.errors(renamed)).as("renamed %s", name).isNotEmpty();
                    JsonObject mistyped = line.deepCopy();
                    mistyped.add(name, another(line.get(name)));
                    assertThat(schema.errors(mistyped)).as("mistyped %s", name).isNotEmpty();
                }
            }
        }
    }

    private static JsonElement another(JsonElement value) {
        boolean text = value.isJsonPrimitive() && value.getAsJsonPrimitive().isString();
        return text || value.isJsonObject() ? new JsonPrimitive(true) : new JsonPrimitive("text");
    }

    @Test
    void whatIsNotKnown_isValidForOthers() {
        JournalSchema schema = JournalSchema.published(EVENTS);
        assertThat(schema.errors("{\"type\":\"from_the_future\",\"run_id\":7}")).isEmpty();
        JsonObject more = events.get(1).deepCopy();
        more.addProperty("from_the_future", 7);
        assertThat(schema.errors(more)).isEmpty();
        assertThat(schema.errors("{\"run_id\":\"r\"}")).isNotEmpty();
        assertThat(schema.errors("[]")).isNotEmpty();
    }

    @Test
    void document_saysWhatTheSchemasSay() throws IOException {
        Map<String, Map<String, Boolean>> documented = new TreeMap<>();
        String section = "";
        for (String line : Files.readAllLines(Path.of("..", "sink-jsonl", "SCHEMA.md"))) {
            Matcher heading = Pattern.compile("###? (\\S+)").matcher(line);
            Matcher row = Pattern.compile("\\| `(\\w+)` \\| [^|]+ \\| ([^|]*) ?\\| [^|]*\\|")
                    .matcher(line);
            if (heading.matches()) {
                section = heading.group(1);
            } else if (row.matches()) {
                documented
                        .computeIfAbsent(section, s -> new LinkedHashMap<>())
                        .put(row.group(1), row.group(2).isBlank());
            }
        }
        assertThat(documented.remove("runs.jsonl")).isEqualTo(required(RUNS).get("run"));
        assertThat(documented).isEqualTo(required(EVENTS));
    }

    /** Each field, and whether it is always there. */
    private static Map<String, Map<String, Boolean>> required(String name) {
        Map<String, Map<String, Boolean>> all = new TreeMap<>();
        JournalSchema.published(name).definitions().forEach((kind, definition) -> {
            if (!VALUES.contains(kind)) {
                JsonElement required = definition.getAsJsonObject().get("required");
                Map<String, Boolean> fields = new LinkedHashMap<>();
                properties(definition)
                        .keySet()
                        .forEach(field -> fields.put(
                                field,
                                required != null && required.getAsJsonArray().contains(new JsonPrimitive(field))));
                all.put(kind, fields);
            }
        });
        return all;
    }

    @Test
    void madeUpEnds_areValid() {
        byte[] start = JournalJson.event(SampleEvents.rich("r", "x").get(0)).getBytes(StandardCharsets.UTF_8);
        UnendedRun run = new UnendedRun(Fields.parse(start, 0, start.length));
        assertThat(JournalSchema.strict(EVENTS).errors(JournalJson.event(run.abandoned("/p"))))
                .isEmpty();
    }
}
