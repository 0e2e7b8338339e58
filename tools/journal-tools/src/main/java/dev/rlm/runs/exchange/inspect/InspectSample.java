package dev.rlm.runs.exchange.inspect;

import dev.rlm.json.Json;
import dev.rlm.json.chat.MessageJson;
import dev.rlm.runs.exchange.chat.ChatReader;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.Rest;
import dev.rlm.runs.exchange.input.Times;
import dev.rlm.runs.exchange.transcript.ChatMessage;
import dev.rlm.runs.exchange.transcript.RunFields;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/**
 * A sample of Inspect as a chat.
 *
 * @param head what is told of the run, as a chat tells it
 * @param messages in the form of a chat, with the times of events
 */
record InspectSample(ObjectNode head, List<JsonObject> messages) {
    private static final String ATTACHMENT = "attachment://";
    private static final String SCORES = "scores";
    private static final String METADATA = "metadata";
    private static final String EVENTS = "events";
    private static final String STARTS = "timestamp"; // of an event
    private static final String ENDS = "completed";
    private static final String STARTED = "started_at";
    private static final String COMPLETED = "completed_at";
    private static final String TOTAL_TIME = "total_time"; // in seconds
    private static final String REST = "inspect";
    private static final Set<String> TAKEN = Set.of(
            "id",
            "epoch",
            "input", // the first messages
            "target",
            "messages",
            "output", // the last message
            EVENTS,
            "events_data",
            "attachments",
            STARTED,
            COMPLETED,
            TOTAL_TIME, // between both
            "uuid",
            SCORES,
            "score",
            METADATA);
    private static final Set<String> OUTPUT =
            Set.of("model", "choices", "completion", "usage", "time", "input_context_tokens", "stop_reason");
    private static final Set<String> MESSAGE =
            Set.of("id", "role", "content", "source", "tool_calls", "tool_call_id", "function", "error", "model");
    private static final Set<String> CALL = Set.of("id", "type", "function", "arguments");
    private static final Map<String, Double> GRADES =
            Map.of("C", 1.0, "P", 0.5, "I", 0.0, "N", 0.0, "yes", 1.0, "true", 1.0, "no", 0.0, "false", 0.0);
    private static final Map<String, String> MEDIA =
            Map.of("image", "image_url", "audio", "audio_url", "video", "file_url", "document", "file_url");

    /**
     * Reads a sample.
     *
     * @param log what is told of the evaluation
     * @param left receives the names of fields that are not taken over
     */
    static InspectSample of(JsonObject sample, JsonObject log, Consumer<String> left) throws BadRecordException {
        new Attachments(sample.get("attachments")).resolve(sample.tree());
        List<JsonObject> messages = new ArrayList<>();
        Map<String, Deque<JsonObject>> givers = givers(sample);
        List<JsonObject> given = sample.objects("messages");
        for (int i = 0; i < given.size(); i++) {
            try {
                messages.add(message(given.get(i), givers, left));
            } catch (BadRecordException e) {
                throw e.in("messages[" + i + "]");
            }
        }
        return new InspectSample(head(sample, log, left), messages);
    }

    private static ObjectNode head(JsonObject sample, JsonObject log, Consumer<String> left) throws BadRecordException {
        JsonObject eval = log.object("eval");
        String id = sample.text("id");
        Integer epoch = sample.integer("epoch");
        if (id == null || epoch == null) {
            throw new BadRecordException("an \"id\" and an \"epoch\"");
        }
        ObjectNode head = JsonNodeFactory.instance.objectNode();
        head.put(RunFields.RUN_ID, runId(sample, eval));
        head.put(RunFields.SAMPLE, id).put(RunFields.TRIAL, Math.max(0, epoch - 1));
        head.put("environment", eval.text("task"));
        head.put("model", eval.text("model"));
        head.put("agent", eval.text("solver"));
        head.put("invocation_id", eval.text("run_id"));
        head.put("code_version", eval.object("revision").text("commit"));
        bounds(sample, eval, head);
        head.put("task", sample.get("input").stringValue(null));
        head.put("expected_answer", target(sample.get("target")));
        String answer = sample.object("output").text("completion", "");
        if (!answer.isEmpty()) {
            head.put("final_answer", answer);
        }
        end(sample, head);
        JsonObject scores = sample.has("score")
                ? new JsonObject(JsonNodeFactory.instance.objectNode().set("score", sample.get("score")))
                : sample.object(SCORES);
        ObjectNode rest = JsonNodeFactory.instance.objectNode();
        rest.setAll(sample.tree());
        rest.remove(TAKEN);
        rest.set(SCORES, scores(scores, head));
        ObjectNode kept = JsonNodeFactory.instance.objectNode();
        kept.setAll(log.tree());
        kept.set("sample", Rest.of(rest, "", left));
        ObjectNode metadata = Rest.of(sample.object(METADATA).tree(), METADATA + ".", left);
        if (metadata.has(REST)) {
            left.accept(METADATA + "." + REST);
        }
        head.set(METADATA, metadata.set(REST, kept));
        JsonObject.unknown(sample.get("output"), OUTPUT, "output.", left);
        return head;
    }

    private static void copy(JsonObject from, String name, ObjectNode to, String other) {
        if (from.has(name)) {
            to.set(other, from.get(name));
        }
    }

    /** Adds start and end: the sample's own, else those of its events, else when the evaluation began. */
    private static void bounds(JsonObject sample, JsonObject eval, ObjectNode head) throws BadRecordException {
        List<Instant> times = new ArrayList<>();
        for (JsonObject event : sample.objects(EVENTS)) {
            for (String name : List.of(STARTS, ENDS)) {
                Stream.ofNullable(Times.time(event.get(name))).forEach(times::add);
            }
        }
        Instant first = times.stream().min(Comparator.naturalOrder()).orElse(Times.time(eval.get("created")));
        Instant last = times.stream().max(Comparator.naturalOrder()).orElse(null);
        Instant start = sample.has(STARTED) ? Times.time(sample.get(STARTED)) : first;
        Double seconds = sample.decimal(TOTAL_TIME);
        if (start != null && seconds != null) {
            Instant end = start.plusNanos(Math.round(seconds * 1e9));
            last = last == null || last.isBefore(end) ? end : last;
        }
        Instant end = sample.has(COMPLETED) ? Times.time(sample.get(COMPLETED)) : last;
        head.put("started_at", start == null ? null : start.toString());
        head.put("finished_at", end == null ? null : end.toString());
    }

    /** The id that the sample has; older versions gave none. */
    private static String runId(JsonObject sample, JsonObject eval) throws BadRecordException {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (String part : List.of("eval_id", "run_id", "task_id", "created", "task", "model")) {
            all.add(eval.get(part).asString(""));
        }
        all.add(sample.text("id")).add(sample.integer("epoch"));
        return sample.text("uuid", "inspect-" + JsonObject.sha256(all).substring(0, ChatReader.ID_DIGITS));
    }

    private static void end(JsonObject sample, ObjectNode head) throws BadRecordException {
        if (sample.has("error")) {
            head.put("outcome", "failed").put("error", sample.object("error").text("message", "it failed"));
        } else if (sample.has("limit")) {
            head.put("termination_reason", sample.object("limit").text("type", "unknown") + "_limit");
            head.put("cut_off", true);
        }
    }

    private static @Nullable String target(JsonNode target) {
        JsonNode only = target.isArray() && target.size() == 1 ? target.get(0) : target;
        return only.isArray() ? (only.isEmpty() ? null : Json.text(only)) : only.asString(null);
    }

    /**
     * Adds a reward for each score that is a number, or a grade, and a metric for each number of those that are several.
     *
     * @return what is left of the scores
     */
    private static ObjectNode scores(JsonObject scores, ObjectNode head) throws BadRecordException {
        ObjectNode rest = JsonNodeFactory.instance.objectNode();
        ArrayNode rewards = JsonNodeFactory.instance.arrayNode();
        for (String scorer : scores.tree().propertyNames()) {
            JsonObject score = scores.object(scorer);
            JsonNode value = score.get("value");
            Double number = number(value);
            ObjectNode others = score.tree().deepCopy();
            if (number != null) {
                others.remove(List.of("value", "explanation"));
                rewards.addObject()
                        .put("source", scorer)
                        .put("value", number.isNaN() ? null : number)
                        .put("label", value.stringValue(null))
                        .put("explanation", score.text("explanation"));
            } else {
                value.forEachEntry((name, each) -> {
                    Double part = number(each);
                    if (part != null) {
                        head.withObjectProperty("metrics").put(scorer + "/" + name, part);
                    }
                });
            }
            others.removeIf(Rest::isNothing);
            if (!others.isEmpty()) {
                rest.set(scorer, others);
            }
        }
        if (!rewards.isEmpty()) {
            head.set(ChatReader.REWARDS, rewards);
        }
        return rest;
    }

    /** The number that a score is; NaN where there was none, {@code null} for any other value. */
    private static @Nullable Double number(JsonNode value) {
        if (value.isBoolean()) {
            return value.booleanValue() ? 1.0 : 0.0;
        } else if (!value.isString()) {
            return Json.number(value);
        }
        String text = value.stringValue();
        Double grade = GRADES.getOrDefault(text, GRADES.get(text.toLowerCase(Locale.ROOT)));
        try {
            return grade == null ? (Double) Double.parseDouble(text) : grade;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Returns the events that gave replies and answers, by the keys of replies and the ids of calls. */
    private static Map<String, Deque<JsonObject>> givers(JsonObject sample) throws BadRecordException {
        Map<String, Deque<JsonObject>> givers = new HashMap<>();
        for (JsonObject event : sample.objects(EVENTS)) {
            boolean tool = event.get("event").asString("").equals(ChatMessage.TOOL);
            JsonNode reply = InspectCalls.reply(event);
            if (tool || reply.isObject()) {
                String key = tool ? event.get("id").asString("") : InspectCalls.key(reply);
                givers.computeIfAbsent(key, unused -> new ArrayDeque<>()).add(event);
            }
        }
        return givers;
    }

    private static JsonObject message(JsonObject said, Map<String, Deque<JsonObject>> events, Consumer<String> left)
            throws BadRecordException {
        JsonObject.unknown(said.tree(), MESSAGE, "messages[].", left);
        ObjectNode message = JsonNodeFactory.instance.objectNode();
        boolean tool = said.text("role", "").equals(ChatMessage.TOOL);
        copy(said, "id", message, "id");
        copy(said, "role", message, "role");
        if (tool) { // of a user it tells other calls
            copy(said, "tool_call_id", message, "tool_call_id");
        }
        content(said.get("content"), message, left);
        message.put("name", said.text("function"));
        JsonNode error = said.get("error");
        if (!error.isMissingNode() && !error.isNull()) {
            message.put("is_error", true);
            if (message.path("content").asString("").isEmpty()) {
                message.put("content", error.path("message").asString(error.asString("")));
            }
        }
        for (JsonObject call : said.objects("tool_calls")) {
            JsonObject.unknown(call.tree(), CALL, "messages[].tool_calls[].", left);
            ObjectNode made =
                    message.withArrayProperty("tool_calls").addObject().put("id", call.text("id"));
            ObjectNode function = made.putObject("function").put("name", call.text("function"));
            copy(call, "arguments", function, "arguments");
        }
        String key = tool ? said.get("tool_call_id").asString("") : InspectCalls.key(said.tree());
        Deque<JsonObject> givers = events.getOrDefault(key, new ArrayDeque<>());
        if (!givers.isEmpty()) {
            JsonObject giver = givers.remove();
            copy(
                    giver,
                    STARTS,
                    message,
                    giver.has(ENDS) ? Times.STARTED : Times.TIME); // older versions told its end alone
            copy(giver, ENDS, message, Times.TIME);
        }
        return new JsonObject(message);
    }

    private static void content(JsonNode content, ObjectNode message, Consumer<String> left) {
        if (!content.isArray()) {
            message.set("content", content.isMissingNode() ? message.nullNode() : content);
            return;
        }
        List<String> thoughts = new ArrayList<>();
        ArrayNode parts = message.putArray("content");
        for (JsonNode part : content) {
            String type = part.path("type").asString("part");
            String field = MEDIA.get(type);
            if (type.equals("reasoning")) {
                JsonNode thought = part.path("redacted").asBoolean(false) ? part.path("summary") : part.path(type);
                thoughts.add(thought.asString(""));
            } else if (field != null) {
                parts.addObject().put("type", type).put(field, part.path(type).asString(""));
            } else {
                parts.add(part);
            }
        }
        message.put("reasoning_content", String.join("\n", thoughts));
        parts.forEach(part -> {
            if (!MessageJson.isWhole(part)) {
                left.accept("messages[].content[]." + part.path("type").asString("part"));
            }
        });
    }

    /** Long texts, which stand in one place and are referred to from others: by a hash, or by their number. */
    private record Attachments(JsonNode texts) {
        void resolve(JsonNode node) {
            if (node instanceof ObjectNode object) {
                for (String name : List.copyOf(object.propertyNames())) {
                    if (!name.equals("attachments") && !name.equals("events_data")) {
                        object.set(name, resolved(object.path(name)));
                    }
                }
            } else if (node instanceof ArrayNode list) {
                for (int i = 0; i < list.size(); i++) {
                    list.set(i, resolved(list.get(i)));
                }
            }
        }

        private JsonNode resolved(JsonNode value) {
            if (value instanceof StringNode text && text.stringValue().startsWith(ATTACHMENT)) {
                String key = text.stringValue().substring(ATTACHMENT.length());
                JsonNode found = key.matches("\\d{1,9}") && texts.isArray()
                        ? texts.path(Integer.parseInt(key))
                        : texts.path(key);
                return found.isString() ? found : value;
            }
            resolve(value);
            return value;
        }
    }
}
