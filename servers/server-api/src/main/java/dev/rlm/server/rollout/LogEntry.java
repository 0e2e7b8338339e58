package dev.rlm.server.rollout;

import dev.rlm.json.Json;
import dev.rlm.server.http.RefusedException;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Line of a rollout's log. In the journal it is a span of the run, of no length, named {@link #SPAN}.
 *
 * @param status {@code null} where the line has none; else with a whole number as its {@code code}
 * @param extras what else was sent, by name
 */
record LogEntry(
        Instant time,
        String message,
        String severity,
        List<String> tags,
        @Nullable ObjectNode status,
        ObjectNode extras) {
    static final String SPAN = "rollout.log";

    private static final int MAX_STATUS = 1_000_000;

    /** Reads one that was sent. */
    static LogEntry of(ObjectNode sent, Instant time) throws RefusedException {
        JsonNode status = sent.path("status");
        JsonNode extras = sent.path("extras");
        boolean coded = status.isNull()
                || status.isMissingNode()
                || (status.path("code").isInt()
                        && Math.abs((long) status.path("code").intValue()) < MAX_STATUS);
        if (!coded) {
            throw new RefusedException(400, "status must be null, or an object whose code is a whole number");
        } else if (!extras.isObject() && !extras.isNull() && !extras.isMissingNode()) {
            throw new RefusedException(400, "extras must be an object");
        }
        List<String> tags = Json.elements(sent.path("tags")).stream()
                .filter(JsonNode::isString)
                .map(JsonNode::stringValue)
                .toList();
        JsonNode message = sent.path("message");
        return new LogEntry(
                time,
                message.isString() ? message.stringValue() : message.isMissingNode() ? "" : Json.text(message),
                extras.path("level").stringValue("INFO"),
                tags,
                status instanceof ObjectNode object ? object : null,
                extras instanceof ObjectNode object ? object : JsonNodeFactory.instance.objectNode());
    }

    /** Returns the line that tells an end. */
    static LogEntry of(LiveRollout.Ending end, RolloutIds ids) {
        ObjectNode status =
                JsonNodeFactory.instance.objectNode().put("code", end.code()).put("message", end.message());
        if (end.reason() != null) {
            status.putArray("details").addObject().putObject("metadata").put("termination_reason", end.reason());
        }
        ObjectNode extras = JsonNodeFactory.instance.objectNode();
        if (end.reward() != null) {
            extras.put("reward", end.reward());
        }
        return new LogEntry(Instant.now(), end.message(), "INFO", ids.tags(), status, extras);
    }

    static LogEntry of(SpanRecorded span) {
        Map<String, Object> values = span.attributes();
        return new LogEntry(
                span.time(),
                String.valueOf(values.getOrDefault("message", "")),
                String.valueOf(values.getOrDefault("severity", "INFO")),
                Json.elements(object(values.get("tags")).path("tags")).stream()
                        .map(JsonNode::asString)
                        .toList(),
                values.containsKey("status") ? object(values.get("status")) : null,
                object(values.get("extras")));
    }

    private static ObjectNode object(@Nullable Object text) {
        try {
            return text == null ? JsonNodeFactory.instance.objectNode() : Json.REPLY.object(text.toString());
        } catch (JacksonException e) { // cut, or a secret was taken out of its middle
            return JsonNodeFactory.instance.objectNode();
        }
    }

    /** The values of its span. */
    Map<String, Object> attributes() {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("message", message);
        values.put("severity", severity);
        values.put("tags", Json.text(Map.of("tags", tags)));
        if (status != null) {
            values.put("status", Json.text(status));
        }
        values.put("extras", Json.text(extras));
        return values;
    }

    /** Returns the code of its status; {@code null} where it has none. */
    @Nullable
    Integer code() {
        return status == null || !status.path("code").isInt()
                ? null
                : Integer.valueOf(status.path("code").intValue());
    }

    boolean isFinal() {
        Integer code = code();
        return code != null && code != RunStatus.RUNNING;
    }

    /** The reward among its extras; {@code null} where there is none. */
    @Nullable
    Double reward() {
        return Json.number(extras.path("reward"));
    }

    /** Returns the run that its sender tells of; {@code null} where that is none of this product's. */
    @Nullable
    String toldOf() {
        return extras.path("rlm_run_id").stringValue(null);
    }

    /** Returns the reason of the end from the status's details; {@code null} if it is not told. */
    @Nullable
    String terminationReason() {
        return status == null
                ? null
                : Json.elements(status.path("details")).stream()
                        .map(each ->
                                each.path("metadata").path("termination_reason").stringValue(""))
                        .filter(reason -> !reason.isEmpty())
                        .findFirst()
                        .orElse(null);
    }

    /** As it is told: of states only the end's, since older clients take any for the end. */
    Map<String, Object> told() {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("timestamp", time.toString());
        entry.put("message", message);
        entry.put("severity", severity);
        entry.put("tags", tags);
        entry.put("status", isFinal() ? status : null);
        entry.put("extras", extras);
        return entry;
    }
}
