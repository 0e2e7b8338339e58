package dev.rlm.runs.exchange.agents;

import dev.rlm.json.Json;
import dev.rlm.runs.exchange.chat.ChatMessages;
import dev.rlm.runs.exchange.chat.ChatReader;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.ImportDefaults;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.Recording;
import dev.rlm.runs.exchange.input.Rest;
import dev.rlm.runs.exchange.input.RunReader;
import dev.rlm.runs.exchange.input.Times;
import dev.rlm.runs.exchange.transcript.ChatMessage;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Message.ToolRequest;
import dev.rlm.sinks.event.RunEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads trajectories of SWE-agent, a document each. Each of its steps is a step: a call of the model, and the action that
 * followed. Where a step does not tell what the model was shown, that is the history before it.
 */
public final class SweAgentReader implements RunReader {
    private static final String TRAJECTORY = "trajectory";
    private static final String HISTORY = "history";
    private static final String INFO = "info";
    private static final String CONFIG = "replay_config";
    private static final String EXIT = "exit_status";
    private static final String SUBMISSION = "submission";
    private static final String STATS = "model_stats";
    private static final String STATE = "state";
    private static final String TIME = "execution_time";
    private static final Set<String> DOCUMENT = Set.of(TRAJECTORY, HISTORY, INFO, CONFIG, "environment");
    private static final Set<String> STEP =
            Set.of("action", "observation", "response", "thought", TIME, STATE, "query", "messages");
    private static final Set<String> MESSAGE = Set.of(
            "role",
            "content",
            "tool_calls",
            "tool_call_ids",
            "tool_call_id",
            "thought", // which the content tells too
            "action",
            "agent",
            "is_demo",
            "message_type",
            "tags",
            "cache_control");
    private static final Set<String> LIMITS =
            Set.of("exit_cost", "exit_context", "exit_total_execution_time", "exit_command_timeout");
    private static final Set<String> FAILURES = Set.of("exit_api", "exit_environment_error", "exit_error");

    private final ImportDefaults defaults;
    private final ChatReader chats;
    private final Set<String> left = new LinkedHashSet<>(); // out of the document that was read last
    private String file = "";

    public SweAgentReader(ImportDefaults defaults) {
        this.defaults = defaults;
        this.chats = new ChatReader(defaults);
    }

    @Override
    public void begin(String name) {
        String last = name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
        String plain = last.replaceFirst("\\.(gz|zst)$", "");
        file = plain.endsWith(".traj") ? plain.substring(0, plain.length() - ".traj".length()) : "";
    }

    @Override
    public void line(JsonObject document, Consumer<List<RunEvent>> runs) throws BadRecordException {
        left.clear();
        if (!document.has(TRAJECTORY)) {
            throw new BadRecordException("\"" + TRAJECTORY + "\", a list of steps");
        }
        JsonObject.unknown(document.tree(), DOCUMENT, "", left::add);
        List<ChatMessage> history = history(document.objects(HISTORY));
        JsonObject head = new JsonObject(head(document, history));
        Times times = Times.of(head, List.of(), defaults.now().get());
        String runId = "swe-agent-" + document.sha256().substring(0, ChatReader.ID_DIGITS);
        Recording recording = new Recording(chats.info(runId, head, history, times));
        List<JsonObject> steps = document.objects(TRAJECTORY);
        Content observation = Content.EMPTY;
        int heard = 0;
        Instant time = times.start();
        for (int i = 0; i < steps.size(); i++) {
            try {
                heard = step(recording, time, steps.get(i), observation, history, heard);
                observation = defaults.content(steps.get(i).text("observation"));
            } catch (BadRecordException e) {
                throw e.in(TRAJECTORY + "[" + i + "]");
            }
            time = time.plusMillis(1); // made up
        }
        runs.accept(chats.end(recording, head, history, time));
    }

    @Override
    public void unknownFields(JsonObject document, Consumer<String> fields) {
        left.forEach(fields);
    }

    /** Returns what is told of the run, as a chat tells it. */
    private ObjectNode head(JsonObject document, List<ChatMessage> history) throws BadRecordException {
        JsonObject config = config(document);
        JsonObject problem = config.object("problem_statement");
        JsonObject info = document.object(INFO);
        String status = info.text(EXIT, "");
        String reason = status.startsWith("submitted (") ? status.substring(11).replace(")", "") : status;
        ObjectNode head = JsonNodeFactory.instance.objectNode();
        String id = problem.text("id", file);
        head.put(RunFields.SAMPLE, id.isEmpty() ? null : id);
        head.put("task", task(document, problem, history));
        head.put("environment", document.text("environment"));
        head.put("model", config.object("agent").object("model").text("name"));
        head.put("agent", "SWE-agent");
        head.put("agent_version", info.text("swe_agent_version"));
        head.put("final_answer", info.text(SUBMISSION));
        head.put("termination_reason", status.isEmpty() ? null : status);
        head.put("cut_off", LIMITS.contains(reason));
        boolean failed = FAILURES.contains(reason);
        head.put("outcome", status.isEmpty() ? "abandoned" : failed ? "failed" : "completed");
        head.put("error", failed ? status : null);
        head.set("metrics", metrics(info.object(STATS)));
        ObjectNode rest = info.tree().deepCopy().remove(List.of(EXIT, SUBMISSION, STATS));
        rest.removeIf(JsonNode::isNull);
        if (!config.tree().isEmpty()) {
            rest.set(CONFIG, config.tree());
        }
        head.set("metadata", Rest.of(rest, INFO + ".", left::add));
        return head;
    }

    /** The problem's text; where it is not told, what the user says first that is no demonstration. */
    private static @Nullable String task(JsonObject document, JsonObject problem, List<ChatMessage> history)
            throws BadRecordException {
        List<JsonObject> messages = document.objects(HISTORY);
        for (int i = 0; i < messages.size() && !problem.has("text"); i++) {
            boolean demo = Boolean.TRUE.equals(messages.get(i).flag("is_demo"));
            if (!demo && history.get(i).message().role().equals(ChatMessage.USER)) {
                return history.get(i).message().content().text();
            }
        }
        return problem.text("text");
    }

    /** Returns sums over the run; the record does not attribute them to calls. */
    private static ObjectNode metrics(JsonObject stats) throws BadRecordException {
        ObjectNode metrics = JsonNodeFactory.instance.objectNode();
        for (String name : stats.tree().propertyNames()) {
            metrics.put(name, stats.decimal(name));
        }
        return metrics;
    }

    /** The configuration, which newer versions tell as a text. */
    private static JsonObject config(JsonObject document) throws BadRecordException {
        JsonNode config = document.get(CONFIG);
        try {
            return config.isString() ? new JsonObject(Json.FILE.object(config.stringValue())) : document.object(CONFIG);
        } catch (JacksonException e) {
            throw new BadRecordException("\"" + CONFIG + "\" to be a JSON object, found: " + Json.reason(e));
        }
    }

    private List<ChatMessage> history(List<JsonObject> messages) throws BadRecordException {
        List<JsonObject> known = new ArrayList<>();
        for (JsonObject message : messages) {
            JsonObject.unknown(message.tree(), MESSAGE, HISTORY + "[].", left::add);
            known.add(message(message));
        }
        try {
            return said(known);
        } catch (BadRecordException e) {
            throw e.in(HISTORY);
        }
    }

    private List<ChatMessage> said(List<JsonObject> messages) throws BadRecordException {
        return ChatMessages.of(messages, Times.of(JsonObject.of(Map.of()), messages, Instant.EPOCH), defaults);
    }

    /** A message of a history in the form of a chat's. */
    private static JsonObject message(JsonObject message) throws BadRecordException {
        List<JsonNode> ids = message.list("tool_call_ids");
        if (ids.isEmpty() || message.has("tool_call_id")) {
            return message;
        }
        ObjectNode known = message.tree().deepCopy();
        known.set("tool_call_id", ids.get(0));
        return new JsonObject(known);
    }

    /**
     * Records a step.
     *
     * @param heard how many messages of the history lie before it
     * @return how many lie before the next
     */
    private int step(
            Recording recording,
            Instant time,
            JsonObject step,
            Content observation,
            List<ChatMessage> history,
            int heard)
            throws BadRecordException {
        JsonObject.unknown(step.tree(), STEP, TRAJECTORY + "[].", left::add);
        String response = step.text("response", "");
        int reply = reply(history, heard, defaults.content(response));
        Message said = reply < 0
                ? new Message(ChatMessage.ASSISTANT, defaults.content(response), List.of(), null)
                : history.get(reply).message();
        recording.startStep(time, observation);
        List<Message> shown = shown(step, history.subList(0, Math.max(reply, 0)));
        recording.modelCalled(time, time, call -> call.messages(shown).reply(said));
        Content output = defaults.content(step.text("observation"));
        Content action = defaults.content(step.text("action"));
        List<ToolRequest> requests = said.toolCalls();
        if (requests.size() == 1) {
            ToolRequest request = requests.get(0);
            recording.toolCalled(time, time, request.tool(), request.id(), request.arguments(), output, false);
        }
        String type = requests.isEmpty()
                ? action.isEmpty() ? "" : "command"
                : requests.get(0).tool();
        Map<String, String> tags = tags(step);
        recording.endStep(
                time,
                null,
                end -> end.actionType(type).code(action).output(output).tags(tags));
        return reply < 0 ? heard : reply + 1;
    }

    /** The place of a reply in the history; negative where it was asked for again, and so is not in it. */
    private static int reply(List<ChatMessage> history, int from, Content response) {
        for (int i = from; i < history.size(); i++) {
            if (history.get(i).isAssistant()
                    && history.get(i).message().content().equals(response)) {
                return i;
            }
        }
        return -1;
    }

    private List<Message> shown(JsonObject step, List<ChatMessage> before) throws BadRecordException {
        List<JsonObject> query = new ArrayList<>();
        for (JsonObject message : step.objects(step.has("query") ? "query" : "messages")) {
            if (!message.tree().isEmpty()) {
                query.add(message(message));
            }
        }
        return (query.isEmpty() ? before : said(query))
                .stream().map(ChatMessage::message).toList();
    }

    /** The state behind the step, and how long its action took. */
    private Map<String, String> tags(JsonObject step) throws BadRecordException {
        Map<String, String> tags = new LinkedHashMap<>();
        Double seconds = step.decimal(TIME);
        if (seconds != null) {
            tags.put(TIME, Duration.ofNanos(Math.round(seconds * 1e9)).toString());
        }
        JsonNode state = step.get(STATE);
        if (state.isString()) {
            tags.put(STATE, defaults.name(state.stringValue().strip()));
        }
        state.forEachEntry((name, value) -> tags.put(STATE + "." + defaults.name(name), defaults.name(text(value))));
        return tags;
    }

    private static String text(JsonNode value) {
        return value.isString() ? value.stringValue() : Json.text(value);
    }
}
