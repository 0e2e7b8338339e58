package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.OriginalSpan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Traces of real agent frameworks, against the conversations that they stand for. */
@Timeout(180)
class FrameworkTracesTest {
    private static final Path TRACES =
            Path.of(Objects.requireNonNullElse(System.getenv("RLM_REAL_DATA"), "none"), "framework-traces");

    @TempDir
    private Path folder;

    private static JsonNode read(Path file) throws Exception {
        return Json.REPLY.object(Files.readString(file));
    }

    /** Makes OTLP of an observation: what was taken out of its attributes as input and output goes back to where its framework has it. */
    private static Map<String, Object> span(JsonNode observation, String trace) {
        JsonNode told = observation.path("metadata");
        JsonNode metadata = told.isString() ? Json.REPLY.object(told.stringValue()) : told;
        Map<String, String> attributes = new LinkedHashMap<>();
        metadata.path("attributes").properties().forEach(each -> attributes.put(each.getKey(), text(each.getValue())));
        boolean generation = observation.path("type").stringValue("").equals("GENERATION");
        boolean vercel = attributes.containsKey("ai.operationId");
        boolean conventions = attributes.containsKey("gen_ai.operation.name");
        if (generation && attributes.isEmpty()) {
            attributes.put("openinference.span.kind", "LLM");
        }
        attributes.putIfAbsent(
                vercel ? "ai.prompt.messages" : conventions ? "gen_ai.input.messages" : "input.value",
                text(withoutTools(observation.path("input"))));
        attributes.putIfAbsent(
                vercel ? "ai.response.toolCalls" : conventions ? "gen_ai.output.messages" : "output.value",
                text(observation.path("output")));
        attributes.values().removeIf(String::isEmpty);
        List<Object> all = new ArrayList<>();
        attributes.forEach((name, value) -> all.add(Map.of("key", name, "value", Map.of("stringValue", value))));
        Map<String, Object> span = new LinkedHashMap<>();
        span.put("traceId", trace);
        span.put("spanId", observation.path("id").stringValue());
        span.put("parentSpanId", observation.path("parentObservationId").stringValue(""));
        span.put("name", observation.path("name").stringValue(""));
        span.put("startTimeUnixNano", nanos(observation.path("startTime")));
        span.put("endTimeUnixNano", nanos(observation.path("endTime")));
        span.put("attributes", all);
        return span;
    }

    /** The messages of an input, of which some are definitions of tools. */
    private static JsonNode withoutTools(JsonNode input) {
        String text = text(input);
        if (!text.startsWith("[{\"role\"")) {
            return input;
        }
        ArrayNode messages = JsonNodeFactory.instance.arrayNode();
        Json.elements(Json.REPLY.object("{\"all\":" + text + "}").path("all")).stream()
                .filter(each ->
                        !each.path("content").path("type").stringValue("").equals("function"))
                .forEach(messages::add);
        return messages;
    }

    private static String text(JsonNode value) {
        return value.isNull() || value.isMissingNode() ? "" : value.isString() ? value.stringValue() : Json.text(value);
    }

    private static String nanos(JsonNode time) {
        return time.isString() ? Instant.parse(time.stringValue()).toEpochMilli() + "000000" : "0";
    }

    @Test
    void conversations_areThoseThatTheTracesStandFor() throws Exception {
        assumeTrue(Files.isDirectory(TRACES), "RLM_REAL_DATA names no folder of frameworks' traces");
        Map<String, String> wrong = new TreeMap<>();
        int compared = 0;
        try (RunningCollector collector = RunningCollector.start(folder, "--keep-all", "--idle-timeout", "300ms");
                Stream<Path> files = Files.list(TRACES)) {
            int number = 100;
            for (Path file : files.filter(each -> each.toString().endsWith(".trace.json"))
                    .sorted()
                    .toList()) {
                String trace = "%032x".formatted(number++);
                List<Object> spans = new ArrayList<>();
                read(file).path("observations").forEach(each -> spans.add(span(each, trace)));
                collector.post(
                        "/v1/traces",
                        Json.text(Map.of(
                                "resourceSpans", List.of(Map.of("scopeSpans", List.of(Map.of("spans", spans)))))));
                JsonNode chats = read(Path.of(file.toString().replace(".trace.json", ".chatml.json")));
                Map<String, ModelCalled> calls = calls(collector, trace);
                for (JsonNode each : read(file).path("observations")) {
                    String id = each.path("id").stringValue();
                    ModelCalled call = calls.get(id);
                    if (call != null && chats.has(id)) {
                        compared++;
                        String problem = problem(call, chats.path(id));
                        if (!problem.isEmpty()) {
                            wrong.put(
                                    file.getFileName() + " " + each.path("name").stringValue() + " " + id, problem);
                        }
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(compared).isGreaterThanOrEqualTo(15);
    }

    private static Map<String, ModelCalled> calls(RunningCollector collector, String trace) {
        Map<String, ModelCalled> calls = new LinkedHashMap<>();
        collector.events(trace).stream()
                .filter(ModelCalled.class::isInstance)
                .map(ModelCalled.class::cast)
                .forEach(call -> {
                    OriginalSpan span = call.originalSpan();
                    calls.put(span == null ? "" : span.spanId(), call);
                });
        return calls;
    }

    private static String problem(ModelCalled call, JsonNode chat) {
        List<String> shown = new ArrayList<>();
        if (call.systemInstructions() != null) {
            shown.add("system " + words(call.systemInstructions().text()));
        }
        call.messages().forEach(each -> shown.add(said(each)));
        List<String> expected = expected(chat.path("input"));
        if (!expected.isEmpty() && !shown.equals(expected)) {
            return "shown " + shown + "\n   and not " + expected;
        }
        Message reply = call.reply();
        List<String> replies = expected(chat.path("output"));
        boolean same = replies.size() != 1 || (reply != null && said(reply).equals(replies.get(0)));
        return same ? "" : "replied " + (reply == null ? "nothing" : said(reply)) + "\n   and not " + replies;
    }

    private static String said(Message message) {
        StringBuilder said =
                new StringBuilder(message.role() + " " + words(message.content().text()));
        message.toolCalls().forEach(each -> said.append(" " + each.tool() + "()"));
        return said.toString();
    }

    /** The messages that a conversation tells in words; none where it tells any in another way. */
    private static List<String> expected(JsonNode chat) {
        List<String> expected = new ArrayList<>();
        for (JsonNode each : Json.elements(chat.path("data"))) {
            JsonNode content = each.path("content");
            boolean words = content.isString() || content.isMissingNode();
            if (!each.path("role").isString() || !words) {
                return List.of();
            }
            String text = words(content.stringValue(""));
            boolean result = text.startsWith("{"); // of a tool, which Google's API has a user tell
            String role = result ? "tool" : each.path("role").stringValue().replace("model", "assistant");
            StringBuilder said = new StringBuilder(role + " " + text);
            Json.elements(each.path("tool_calls"))
                    .forEach(call -> said.append(" " + call.path("name").stringValue("") + "()"));
            expected.add(said.toString());
        }
        return expected;
    }

    private static String words(String text) {
        return text.replaceAll("\\s+", "");
    }
}
