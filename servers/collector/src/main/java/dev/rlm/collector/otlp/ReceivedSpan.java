package dev.rlm.collector.otlp;

import dev.rlm.json.Json;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Span as it was sent, without secrets. The result of an evaluation that came as a log record is one too, of no length, and so is an event
 * of an {@link AgentLog agent}.
 *
 * @param trace 32 hexadecimal digits
 * @param id 16 hexadecimal digits
 * @param parent the id of the span that it lies in; {@code null} for a root
 * @param kind as OTLP numbers it
 * @param start in nanoseconds since 1970
 * @param end in nanoseconds since 1970; never before the start
 * @param failed whether its status is an error
 * @param message of its status
 * @param resource attributes of what sent it, without those of machine, process and SDK
 */
public record ReceivedSpan(
        String trace,
        String id,
        @Nullable String parent,
        String name,
        int kind,
        long start,
        long end,
        boolean failed,
        String message,
        Attributes attributes,
        List<SpanEvent> events,
        Attributes resource) {
    /** Name of the event, and of the log record, that tells of an evaluation. */
    public static final String EVALUATION = "gen_ai.evaluation.result";

    private static final Pattern TRACE_ID = Pattern.compile("(?!0{32})[0-9a-f]{32}");
    private static final Pattern SPAN_ID = Pattern.compile("(?!0{16})[0-9a-f]{16}");
    private static final Pattern LEFT_OUT = Pattern.compile("(telemetry|process|host|os|container)\\..*");
    private static final long LAST = 7_258_118_400_000_000_000L; // the year 2200
    private static final int ERROR = 2;
    private static final Set<String> KINDS =
            Set.of("SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER", "SPAN_KIND_CLIENT", "SPAN_KIND_PRODUCER");

    /**
     * Reads one as OTLP's JSON has it.
     *
     * @throws IllegalArgumentException if its ids or times are not valid, with the reason
     */
    public static ReceivedSpan of(ObjectNode resource, ObjectNode span, BinaryOperator<String> redaction) {
        long start = time(span.path("startTimeUnixNano"));
        Long end = Attributes.wholeOf(span.path("endTimeUnixNano"));
        JsonNode status = span.path("status");
        List<SpanEvent> events = new ArrayList<>();
        for (JsonNode event : Json.elements(span.path("events"))) {
            Long time = Attributes.wholeOf(event.path("timeUnixNano"));
            events.add(new SpanEvent(
                    redaction.apply("", event.path("name").stringValue("")),
                    time == null || time < 0 || time > LAST ? start : time,
                    Attributes.of(event.path("attributes"), redaction)));
        }
        return new ReceivedSpan(
                id(TRACE_ID, span.path("traceId")),
                id(SPAN_ID, span.path("spanId")),
                parent(span.path("parentSpanId")),
                redaction.apply("", span.path("name").stringValue("")),
                kind(span.path("kind")),
                start,
                end == null || end > LAST ? start : Math.max(start, end),
                isError(status.path("code")),
                redaction.apply("", status.path("message").stringValue("")),
                Attributes.of(span.path("attributes"), redaction),
                events,
                resource(resource, redaction));
    }

    /** Returns the result of an evaluation, or the event of an {@link AgentLog agent}, that a log record tells; {@code null} for another. */
    public static @Nullable ReceivedSpan ofLog(ObjectNode resource, ObjectNode log, BinaryOperator<String> redaction) {
        Attributes attributes = Attributes.of(log.path("attributes"), redaction);
        String name = log.path("eventName").stringValue(attributes.text("event.name"));
        if (!EVALUATION.equals(name)) {
            return AgentLog.span(log, attributes, resource(resource, redaction));
        } else if (!log.path("traceId").stringValue("").matches("(?i)[0-9a-f]{32}")) {
            return null;
        }
        JsonNode said = log.path("timeUnixNano");
        long time = time(said.isMissingNode() ? log.path("observedTimeUnixNano") : said);
        return new ReceivedSpan(
                id(TRACE_ID, log.path("traceId")),
                HexFormat.of().toHexDigits(hash(Json.text(log))),
                parent(log.path("spanId")),
                EVALUATION,
                1,
                time,
                time,
                false,
                "",
                attributes,
                List.of(),
                resource(resource, redaction));
    }

    /** Records have no ids: one that is sent again is known by all that it says. */
    static long hash(String text) {
        long hash = 1;
        for (int i = 0; i < text.length(); i++) {
            hash = hash * 0x9E3779B97F4A7C15L + text.charAt(i);
        }
        return hash == 0 ? 1 : hash;
    }

    private static Attributes resource(ObjectNode resource, BinaryOperator<String> redaction) {
        Map<String, Object> kept = new LinkedHashMap<>(
                Attributes.of(resource.path("attributes"), redaction).values());
        kept.keySet().removeIf(name -> LEFT_OUT.matcher(name).matches());
        return new Attributes(kept);
    }

    private static String id(Pattern form, JsonNode id) {
        String text = id.stringValue("").toLowerCase(Locale.ROOT);
        if (!form.matcher(text).matches()) {
            throw new IllegalArgumentException("an id is not valid");
        }
        return text;
    }

    private static @Nullable String parent(JsonNode id) {
        String text = id.stringValue("").toLowerCase(Locale.ROOT);
        return SPAN_ID.matcher(text).matches() ? text : null;
    }

    private static long time(JsonNode nanos) {
        return time(Attributes.wholeOf(nanos));
    }

    static long time(@Nullable Long time) {
        if (time == null || time <= 0 || time > LAST) {
            throw new IllegalArgumentException("a start is not valid");
        }
        return time;
    }

    private static int kind(JsonNode kind) {
        return kind.isString() && KINDS.contains(kind.stringValue())
                ? List.of("INTERNAL", "SERVER", "CLIENT", "PRODUCER")
                                .indexOf(kind.stringValue().substring("SPAN_KIND_".length()))
                        + 1
                : kind.asInt(0);
    }

    private static boolean isError(JsonNode code) {
        return code.asInt(0) == ERROR || code.asString("").equals("STATUS_CODE_ERROR");
    }

    /** Returns the name of the service that sent it. */
    public String service() {
        String name = resource.text("service.name");
        return name == null || name.isBlank() ? "otlp" : name;
    }

    /** Reads what {@link Json} has written of one. */
    public static ReceivedSpan parse(JsonNode line) {
        List<SpanEvent> events = new ArrayList<>();
        for (JsonNode event : Json.elements(line.path("events"))) {
            events.add(new SpanEvent(
                    event.path("name").stringValue(),
                    event.path("time").longValue(),
                    Attributes.parse(event.path("attributes"))));
        }
        return new ReceivedSpan(
                line.path("trace").stringValue(),
                line.path("id").stringValue(),
                line.path("parent").stringValue(null),
                line.path("name").stringValue(),
                line.path("kind").intValue(),
                line.path("start").longValue(),
                line.path("end").longValue(),
                line.path("failed").booleanValue(),
                line.path("message").stringValue(),
                Attributes.parse(line.path("attributes")),
                events,
                Attributes.parse(line.path("resource")));
    }
}
