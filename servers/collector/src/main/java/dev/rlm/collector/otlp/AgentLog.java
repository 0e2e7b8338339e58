package dev.rlm.collector.otlp;

import dev.rlm.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Events of Claude Code, Codex and Gemini CLI, which tell of their sessions by log records. Each event becomes a span, with the
 * conventions' names for calls of models and tools, and each session a trace. Its spans lie in one that is added at the end.
 */
public final class AgentLog {
    private static final Pattern EVENT = Pattern.compile("(claude_code|codex|gemini_cli)\\.([a-z_.]+)");
    private static final Pattern REDACTED = Pattern.compile("[<\\[]REDACTED[>\\]]", Pattern.CASE_INSENSITIVE);
    private static final Map<String, String> PROVIDERS =
            Map.of("claude_code", "anthropic", "codex", "openai", "gemini_cli", "gcp.gen_ai");
    private static final List<String> STREAM = List.of("sse_event", "websocket_event");
    private static final double NANOS_PER_MILLI = 1e6;
    private static final int HALF = 16; // digits of a trace id

    /** Names of fields of calls, with those of the conventions; of two for the same the first that is there. */
    private static final Map<String, String> NAMES = Stream.of(
                    "model gen_ai.request.model",
                    "cost_usd llm.cost.total",
                    "input_token_count gen_ai.usage.input_tokens",
                    "output_token_count gen_ai.usage.output_tokens",
                    "cached_token_count gen_ai.usage.cache_read.input_tokens",
                    "cached_content_token_count gen_ai.usage.cache_read.input_tokens",
                    "cache_write_token_count gen_ai.usage.cache_creation.input_tokens",
                    "reasoning_token_count gen_ai.usage.reasoning.output_tokens",
                    "thoughts_token_count gen_ai.usage.reasoning.output_tokens",
                    "finish_reasons gen_ai.response.finish_reasons",
                    "response_text output.value",
                    "tool_name gen_ai.tool.name",
                    "function_name gen_ai.tool.name",
                    "tool_use_id gen_ai.tool.call.id",
                    "call_id gen_ai.tool.call.id",
                    "tool_input gen_ai.tool.call.arguments",
                    "tool_parameters gen_ai.tool.call.arguments",
                    "arguments gen_ai.tool.call.arguments",
                    "function_args gen_ai.tool.call.arguments",
                    "output gen_ai.tool.call.result",
                    "error_type error.type")
            .map(each -> each.split(" "))
            .collect(Collectors.toMap(each -> each[0], each -> each[1], (one, other) -> one, LinkedHashMap::new));

    private final ObjectNode log;
    private final Attributes on;
    private final String agent;
    private final String event;

    private AgentLog(ObjectNode log, Attributes on, Matcher name) {
        this.log = log;
        this.on = on;
        this.agent = name.group(1);
        this.event = name.group(2);
    }

    /** Returns the span of an event; {@code null} for a record of another matter, and for a piece of a stream. */
    static @Nullable ReceivedSpan span(ObjectNode log, Attributes on, Attributes resource) {
        String session = session(on) == null ? session(resource) : session(on);
        AgentLog found = Stream.of(
                        log.path("eventName").stringValue(""),
                        on.textOrEmpty("event.name"),
                        log.path("body").path("stringValue").stringValue(""))
                .map(EVENT::matcher)
                .filter(Matcher::matches)
                .findFirst()
                .map(name -> new AgentLog(log, on, name))
                .orElse(null);
        return session == null || found == null || found.isPieceOfAStream() ? null : found.span(session, resource);
    }

    private static @Nullable String session(Attributes attributes) {
        return attributes.text("session.id", "conversation.id");
    }

    private boolean isPieceOfAStream() {
        return STREAM.contains(event) && !"response.completed".equals(on.text("event.kind")) && !failed();
    }

    private ReceivedSpan span(String session, Attributes resource) {
        String trace = UUID.nameUUIDFromBytes((agent + ' ' + session).getBytes(StandardCharsets.UTF_8))
                .toString()
                .replace("-", "");
        long end = time();
        Double millis = on.decimal("duration_ms");
        long start = millis == null || millis < 0 ? end : Math.max(1, end - Math.round(millis * NANOS_PER_MILLI));
        return new ReceivedSpan(
                trace,
                HexFormat.of().toHexDigits(ReceivedSpan.hash(Json.text(log))),
                trace.substring(0, HALF),
                agent + '.' + event,
                1,
                start,
                end,
                failed(),
                failed() ? on.textOrEmpty("error", "error.message", "error_message") : "",
                new Attributes(fields(session)),
                List.of(),
                resource);
    }

    private long time() {
        Long said = Attributes.wholeOf(log.path("timeUnixNano"));
        Long observed = Attributes.wholeOf(log.path("observedTimeUnixNano"));
        return ReceivedSpan.time(said != null && said > 0 ? said : observed != null ? observed : timestamp());
    }

    private @Nullable Long timestamp() {
        String text = on.text("event.timestamp");
        try {
            Instant time = text == null ? null : Instant.parse(text);
            return time == null ? null : (Long) (time.getEpochSecond() * 1_000_000_000 + time.getNano());
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("a start is not valid", e);
        }
    }

    private boolean failed() {
        Long status = on.whole("http.response.status_code");
        return event.equals("api_error")
                || "false".equalsIgnoreCase(on.text("success"))
                || on.has("error.message")
                || (status != null && status >= 400);
    }

    /** Returns which of the conventions' operations it is; {@code null} for an event that is no call. */
    private @Nullable String operation() {
        return switch (event) {
            case "api_response", "api_error", "sse_event", "websocket_event" -> "chat";
            // Codex tells the answer by another event, unless none came; Gemini CLI always.
            case "api_request" ->
                agent.equals("claude_code") || (failed() && !"/models".equals(on.text("endpoint"))) ? "chat" : null;
            case "tool_result", "tool_call" -> "execute_tool";
            default -> null;
        };
    }

    private Map<String, Object> fields(String session) {
        Map<String, Object> fields = new LinkedHashMap<>(on.values());
        fields.values().removeIf(value -> REDACTED.matcher(value.toString()).matches());
        fields.put("session.id", session);
        String operation = operation();
        if (operation == null) {
            return fields;
        }
        NAMES.forEach((name, usual) -> {
            Object value = fields.get(name);
            if (value != null && fields.putIfAbsent(usual, value) == null) {
                fields.remove(name);
            }
        });
        fields.put("gen_ai.operation.name", operation);
        if (operation.equals("chat")) {
            fields.put("gen_ai.provider.name", PROVIDERS.getOrDefault(agent, agent));
        } else if (on.has("mcp_server_name") || on.has("mcp_server") || "mcp".equals(on.text("tool_type"))) {
            fields.put("gen_ai.tool.type", "extension");
        }
        return fields;
    }

    // ---- of a session

    /** Returns whether a span is one of an agent's session, of which no last one comes. */
    public static boolean isOfSession(ReceivedSpan span) {
        return span.parent() != null && span.trace().startsWith(span.parent());
    }

    /** Returns spans with that of their session, which lasts as long as they do; the same spans where they are others. */
    public static List<ReceivedSpan> withSession(List<ReceivedSpan> spans) {
        if (spans.isEmpty() || !isOfSession(spans.get(0))) {
            return spans;
        }
        List<ReceivedSpan> all = new ArrayList<>(spans);
        all.sort(Comparator.comparingLong(ReceivedSpan::start).thenComparing(ReceivedSpan::id));
        ReceivedSpan first = all.get(0);
        String agent = first.name().substring(0, first.name().indexOf('.'));
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("gen_ai.operation.name", "invoke_agent");
        fields.put("gen_ai.agent.name", agent);
        fields.put("session.id", first.attributes().textOrEmpty("session.id"));
        all.stream()
                .filter(span -> span.name().equals(agent + ".user_prompt")
                        && span.attributes().has("prompt"))
                .findFirst()
                .ifPresent(span -> fields.put("user_prompt", span.attributes().textOrEmpty("prompt")));
        all.add(new ReceivedSpan(
                first.trace(),
                HexFormat.of().toHexDigits(ReceivedSpan.hash(first.parent() + first.id())), // each part has its own
                null,
                agent + ".session",
                1,
                first.start(),
                spans.stream().mapToLong(ReceivedSpan::end).max().orElse(first.end()),
                false,
                "",
                new Attributes(fields),
                List.of(),
                first.resource()));
        return all;
    }
}
