package dev.rlm.cli.doors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tells {@code rlm collect} runs as the spans of an agent that keeps to OpenTelemetry's conventions. */
final class SpansDoor {
    private static final String ROOT = "00000000000000f0";

    private SpansDoor() {}

    /** Collects the runs into a journal. */
    static void collect(List<List<RunEvent>> runs, Path journal) throws Exception {
        Map<String, String> variables = Map.of("RLM_JSONL_DIR", journal.toString());
        try (RunningCli rlm = RunningCli.start(
                journal, variables, "collect", "--port", "0", "--quiet-time", "200ms", "--pass-reward", "0.9")) {
            for (List<RunEvent> events : runs) {
                HttpRequest request = HttpRequest.newBuilder(URI.create(rlm.awaitUrl() + "/v1/traces"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(request(events)))
                        .build();
                assertThat(HttpClient.newHttpClient()
                                .send(request, HttpResponse.BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(200);
            }
            rlm.stop();
        }
    }

    private static String request(List<RunEvent> events) {
        RunInfo run = events.get(0).run();
        List<Map<String, Object>> spans = new ArrayList<>();
        Map<String, Object> last = Map.of();
        for (RunEvent event : events) {
            String id = String.format("%016x", event.seq());
            if (event instanceof ModelCalled call) {
                last = span(run, id, "chat", call.startNanos(), call.nanos(), call(call), call.error());
                spans.add(last);
            } else if (event instanceof ToolCalled call) {
                last = span(run, id, "execute_tool", call.startNanos(), call.nanos(), tool(call), call.error());
                spans.add(last);
            } else if (event instanceof RewardGiven reward) {
                @SuppressWarnings("unchecked") // as span() makes it
                List<Object> told = (List<Object>) Objects.requireNonNull(last.get("events"));
                told.add(evaluation(run, reward));
            } else if (event instanceof RunEnded end) {
                Map<String, Object> root = new LinkedHashMap<>(Map.of("gen_ai.operation.name", "invoke_agent"));
                put(root, "gen_ai.agent.name", run.agent());
                put(root, "error.type", end.errorType());
                put(root, "input.value", run.task().text());
                Map<String, Object> span = span(run, ROOT, "agent", 0, end.nanos(), root, end.error());
                span.remove("parentSpanId");
                spans.add(span);
            }
        }
        Map<String, Object> resource = Map.of("attributes", attributes(Map.of("service.name", run.environment())));
        return Json.text(Map.of(
                "resourceSpans", List.of(Map.of("resource", resource, "scopeSpans", List.of(Map.of("spans", spans))))));
    }

    private static Map<String, Object> span(
            RunInfo run,
            String id,
            String name,
            long start,
            long end,
            Map<String, Object> attributes,
            @Nullable Content error) {
        Map<String, Object> span = new LinkedHashMap<>();
        span.put("traceId", run.runId());
        span.put("spanId", id);
        span.put("parentSpanId", ROOT);
        span.put("name", name);
        span.put("startTimeUnixNano", nanos(run.at(start)));
        span.put("endTimeUnixNano", nanos(run.at(end)));
        span.put("attributes", attributes(attributes));
        span.put("events", new ArrayList<>());
        span.put("status", error == null ? Map.of() : Map.of("code", 2, "message", error.text()));
        return span;
    }

    private static String nanos(Instant time) {
        return Long.toString(time.getEpochSecond() * 1_000_000_000 + time.getNano());
    }

    private static Map<String, Object> call(ModelCalled call) {
        Usage usage = call.usage();
        Map<String, Object> told = new LinkedHashMap<>(Map.of(
                "gen_ai.operation.name", "chat",
                "gen_ai.provider.name", call.provider(),
                "gen_ai.request.model", call.model(),
                "gen_ai.input.messages",
                        Json.text(
                                call.messages().stream().map(SpansDoor::message).toList())));
        if (call.reply() != null) {
            told.put("gen_ai.output.messages", Json.text(List.of(message(call.reply()))));
        }
        put(told, "gen_ai.response.finish_reasons", call.finishReason());
        put(told, "gen_ai.usage.input_tokens", usage.inputTokens());
        put(told, "gen_ai.usage.output_tokens", usage.outputTokens());
        put(told, "gen_ai.usage.cache_read.input_tokens", usage.cachedTokens());
        put(told, "gen_ai.usage.cache_creation.input_tokens", usage.cacheCreationTokens());
        put(told, "gen_ai.usage.reasoning.output_tokens", usage.reasoningTokens());
        return told;
    }

    private static Map<String, Object> message(Message message) {
        List<Object> parts = new ArrayList<>();
        parts.add(Map.of("type", "text", "content", message.content().text()));
        message.toolCalls()
                .forEach(call -> parts.add(Map.of(
                        "type", "tool_call",
                        "id", call.id(),
                        "name", call.tool(),
                        "arguments", call.arguments().text())));
        return Map.of("role", message.role(), "parts", parts);
    }

    private static Map<String, Object> tool(ToolCalled call) {
        Map<String, Object> told = new LinkedHashMap<>(Map.of(
                "gen_ai.operation.name", "execute_tool",
                "gen_ai.tool.name", call.tool(),
                "gen_ai.tool.call.arguments", call.arguments().text(),
                "gen_ai.tool.call.result", call.result().text()));
        put(told, "gen_ai.tool.call.id", call.callId());
        return told;
    }

    private static Map<String, Object> evaluation(RunInfo run, RewardGiven reward) {
        Map<String, Object> told = new LinkedHashMap<>(Map.of("gen_ai.evaluation.name", reward.source()));
        put(told, "gen_ai.evaluation.score.value", reward.isAbsent() ? null : (Double) reward.value());
        put(told, "gen_ai.evaluation.score.label", reward.label());
        put(told, "gen_ai.evaluation.explanation", reward.absence());
        return Map.of(
                "name",
                "gen_ai.evaluation.result",
                "timeUnixNano",
                nanos(run.at(reward.nanos())),
                "attributes",
                attributes(told));
    }

    private static List<Object> attributes(Map<String, Object> values) {
        List<Object> attributes = new ArrayList<>();
        values.forEach((name, value) -> attributes.add(Map.of("key", name, "value", value(value))));
        return attributes;
    }

    private static Map<String, Object> value(Object value) {
        return value instanceof Long
                ? Map.of("intValue", value.toString())
                : value instanceof Double ? Map.of("doubleValue", value) : Map.of("stringValue", value);
    }

    private static void put(Map<String, Object> object, String name, @Nullable Object value) {
        if (value != null) {
            object.put(name, value);
        }
    }
}
