package dev.rlm.runs.exchange.atif;

import dev.rlm.cli.recorded.Marks;
import dev.rlm.cli.recorded.OwnCalls;
import dev.rlm.json.Json;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.transcript.ChatMessage;
import dev.rlm.runs.exchange.transcript.Transcript;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Message.ToolRequest;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Trajectory of a run in the Agent Trajectory Interchange Format (ATIF): its {@link Transcript} as steps, each reply with the
 * answers of its tools and the numbers of the model's call.
 */
final class AtifDocument {
    static final String UNKNOWN = "unknown";
    static final String TRAJECTORY_ID = "trajectory_id";
    static final String STEPS = "steps";
    static final String EXTRA = "extra";
    static final String RLM = "rlm";
    static final String AGENT = "agent";
    static final String IS_ERROR = "is_error";
    static final String METADATA = "atif"; // the parameter with what no event holds

    /** Member for {@code arguments} that are no JSON object. */
    static final String INPUT = "input";

    static final String SUBAGENTS = "subagent_trajectories";

    private static final String VERSION = "ATIF-v1.7";
    private static final String VERSION_WITH_AUDIO = "ATIF-v1.8";
    private static final String SOURCE = "source";
    private static final String MESSAGE = "message";
    private static final String TOOL_CALLS = "tool_calls";
    private static final String CALL_ID = "source_call_id";
    private static final String REFERENCES = "subagent_trajectory_ref";
    private static final String DOLLARS = "USD";
    private static final Map<String, String> MEDIA = Map.ofEntries(
            Map.entry("png", "image/png"),
            Map.entry("jpg", "image/jpeg"),
            Map.entry("jpeg", "image/jpeg"),
            Map.entry("gif", "image/gif"),
            Map.entry("webp", "image/webp"),
            Map.entry("wav", "audio/wav"),
            Map.entry("mp3", "audio/mpeg"),
            Map.entry("m4a", "audio/mp4"),
            Map.entry("aac", "audio/aac"),
            Map.entry("ogg", "audio/ogg"),
            Map.entry("flac", "audio/flac"),
            Map.entry("weba", "audio/webm"),
            Map.entry("aiff", "audio/aiff"));

    private final RunInfo run;
    private final boolean timed;
    private final List<ModelCalled> calls;
    private final List<ToolCalled> tools;
    private final ObjectNode tree = JsonNodeFactory.instance.objectNode();
    private final ArrayNode steps = JsonNodeFactory.instance.arrayNode();
    private final List<Instant> times = new ArrayList<>(); // of the steps
    private int nextCall;
    private boolean audio;

    /**
     * @param timed whether the times of its steps are known
     */
    AtifDocument(RunInfo run, List<RunEvent> events, boolean timed) {
        this.run = run;
        this.timed = timed;
        Transcript transcript = new Transcript(run, events);
        this.calls = transcript.calls();
        this.tools = new OwnCalls(events).of(ToolCalled.class, events);
        transcript.messages().forEach(this::add);
        String parent = run.correlation().parentRun();
        tree.put("schema_version", audio ? VERSION_WITH_AUDIO : VERSION);
        tree.put("session_id", parent == null ? run.runId() : parent);
        tree.put(TRAJECTORY_ID, run.runId());
        tree.set(AGENT, agent());
        tree.set(STEPS, steps);
        tree.set("final_metrics", total());
    }

    ObjectNode tree() {
        return tree;
    }

    /** The SHA-256 of a document, but for its children and what is not of the format. */
    static String hash(ObjectNode document) {
        ObjectNode hashed = AtifPatch.withoutNulls(document);
        hashed.remove(List.of(EXTRA, SUBAGENTS));
        return new JsonObject(hashed).sha256();
    }

    private ObjectNode agent() {
        ObjectNode agent = JsonNodeFactory.instance.objectNode();
        agent.put("name", run.agent() == null ? UNKNOWN : run.agent());
        agent.put("version", run.agentVersion() == null ? UNKNOWN : run.agentVersion());
        if (!run.model().isEmpty()) {
            agent.put("model_name", run.model());
        }
        calls.stream()
                .map(ModelCalled::toolDefinitions)
                .filter(Objects::nonNull)
                .reduce((first, second) -> second)
                .map(text -> object("{\"tools\":" + text.text() + "}"))
                .filter(tools -> tools.path("tools").isArray()
                        && tools.path("tools").valueStream().allMatch(JsonNode::isObject))
                .ifPresent(tools -> agent.set("tool_definitions", tools.get("tools")));
        return agent;
    }

    private static @Nullable ObjectNode object(String text) {
        try {
            return Json.FILE.object(text);
        } catch (JacksonException e) {
            return null;
        }
    }

    private void add(ChatMessage said) {
        if (said.isTool() && !steps.isEmpty()) {
            answer(said);
            return;
        }
        ObjectNode step = steps.addObject().put("step_id", steps.size());
        times.add(said.time());
        if (timed) {
            step.put("timestamp", said.time().truncatedTo(ChronoUnit.MICROS).toString());
        }
        String role = said.message().role();
        step.put(SOURCE, said.isAssistant() ? AGENT : role.equals(ChatMessage.USER) ? ChatMessage.USER : "system");
        if (said.isAssistant()) {
            reply(step, said);
        } else {
            step.set(MESSAGE, content(said.message()));
            if (!role.equals(ChatMessage.USER) && !role.equals("system")) {
                rlm(step).put("role", role);
            }
        }
    }

    private static ObjectNode rlm(ObjectNode of) {
        return of.withObjectProperty(EXTRA).withObjectProperty(RLM);
    }

    private void reply(ObjectNode step, ChatMessage said) {
        ModelCalled call = call(said.message());
        Message reply = call == null ? said.message() : Objects.requireNonNull(call.reply());
        if (call != null && !call.model().isEmpty() && !call.model().equals(run.model())) {
            step.put("model_name", call.model());
        }
        JsonNode effort = call == null ? null : Json.tree(call.parameters()).get("reasoning_effort");
        if (effort != null && (effort.isString() || effort.isNumber())) {
            step.set("reasoning_effort", effort);
        }
        String reasoning = reply.parts().stream()
                .filter(part -> part.type() == MessagePart.Type.REASONING)
                .map(part -> part.text().text())
                .collect(Collectors.joining("\n"));
        step.set(MESSAGE, content(reply));
        if (!reasoning.isEmpty()) {
            step.put("reasoning_content", reasoning);
        }
        said.message().toolCalls().forEach(request -> request(step, request));
        if (call != null) {
            ObjectNode metrics = metrics(call);
            if (!metrics.isEmpty()) {
                step.set("metrics", metrics);
            }
            if (call.finishReason() != null) {
                rlm(step).put("finish_reason", call.finishReason());
            }
            if (call.step() != RunEvent.NO_STEP) {
                rlm(step).put("step", call.step());
            }
            step.put("llm_call_count", 1);
        } else if (calls.isEmpty() && reasoning.isEmpty()) {
            step.put("llm_call_count", 0);
        }
    }

    /** Returns the call that gave the reply; {@code null} if it is not found. */
    private @Nullable ModelCalled call(Message said) {
        for (int i = nextCall; i < calls.size(); i++) {
            Message reply = Objects.requireNonNull(calls.get(i).reply());
            if (ChatMessage.says(reply, said.content()) && (reply.toolCalls().isEmpty() || sameIds(reply, said))) {
                nextCall = i + 1;
                return calls.get(i);
            }
        }
        return null;
    }

    private static boolean sameIds(Message reply, Message said) {
        List<String> ids = said.toolCalls().stream().map(ToolRequest::id).toList();
        return reply.toolCalls().stream().allMatch(request -> ids.contains(request.id()));
    }

    private static void request(ObjectNode step, ToolRequest request) {
        ArrayNode requests = step.withArrayProperty(TOOL_CALLS);
        String id = request.id().isEmpty()
                ? "call-" + step.path("step_id").asInt() + "-" + (requests.size() + 1)
                : request.id();
        String arguments = request.arguments().text();
        ObjectNode read = arguments.isBlank() ? JsonNodeFactory.instance.objectNode() : object(arguments);
        requests.addObject()
                .put("tool_call_id", id)
                .put("function_name", request.tool())
                .set("arguments", read != null ? read : Json.tree(Map.of(INPUT, arguments)));
    }

    /** Adds a tool's answer to the step that asked for it; to the agent's last step if that is unknown. */
    private void answer(ChatMessage said) {
        String id = said.message().toolCallId();
        ObjectNode asked = null;
        boolean matched = false;
        for (int i = steps.size() - 1; i >= 0 && !matched; i--) {
            ObjectNode step = (ObjectNode) steps.get(i);
            matched = id != null && asksFor(step, id);
            boolean agents = step.path(SOURCE).asString().equals(AGENT);
            asked = matched || (asked == null && agents) ? step : asked;
        }
        ObjectNode result = results(asked == null ? (ObjectNode) steps.get(steps.size() - 1) : asked)
                .addObject();
        if (matched) {
            result.put(CALL_ID, id);
        }
        result.set("content", content(said.message()));
        if (said.failed() && !said.message().content().text().startsWith(ChatMessage.ERROR)) {
            rlm(result).put(IS_ERROR, true);
        }
    }

    private static boolean asksFor(ObjectNode step, String id) {
        return step.path(TOOL_CALLS)
                .valueStream()
                .anyMatch(call -> call.path("tool_call_id").asString().equals(id));
    }

    private static ArrayNode results(ObjectNode step) {
        return step.withObjectProperty("observation").withArrayProperty("results");
    }

    /** A text; a list of parts where one of them refers to an image or an audio. */
    private JsonNode content(Message message) {
        if (message.parts().stream().noneMatch(part -> part.type().isMedia())) {
            return JsonNodeFactory.instance.stringNode(message.content().text());
        }
        ArrayNode parts = JsonNodeFactory.instance.arrayNode();
        message.parts().forEach(part -> {
            String media = media(part);
            if (media != null) {
                audio |= part.type() == MessagePart.Type.AUDIO;
                parts.addObject()
                        .put("type", part.type().name().toLowerCase(Locale.ROOT))
                        .putObject(SOURCE)
                        .put("media_type", media)
                        .put("path", part.uri());
            } else if (part.type().isMedia()) {
                String named = "[" + part.type().name().toLowerCase(Locale.ROOT) + "] "
                        + (part.uri() == null ? "" : part.uri());
                parts.addObject().put("type", "text").put("text", named);
            } else if (part.isText()) {
                parts.addObject().put("type", "text").put("text", part.text().text());
            }
        });
        return parts;
    }

    /** The media type of a part that the format has a place for; else {@code null}. */
    private static @Nullable String media(MessagePart part) {
        String uri = part.uri();
        if (uri == null || !part.type().isMedia()) {
            return null;
        }
        String path = uri.replaceAll("[?#].*", "");
        String ending = path.substring(path.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        String type = part.mediaType() == null ? MEDIA.get(ending) : part.mediaType();
        boolean fits = type != null && type.startsWith(part.type().name().toLowerCase(Locale.ROOT) + "/");
        return fits && MEDIA.containsValue(type) ? type : null;
    }

    /** The numbers of a call. Token ids of a text that is redacted or cut would tell what was taken out. */
    private static ObjectNode metrics(ModelCalled call) {
        ObjectNode metrics = JsonNodeFactory.instance.objectNode();
        Usage usage = call.usage();
        put(metrics, "prompt_tokens", usage.inputTokens());
        put(metrics, "completion_tokens", usage.outputTokens());
        put(metrics, "cached_tokens", usage.cachedTokens());
        if (call.costAmount() != null && DOLLARS.equals(call.costCurrency())) {
            metrics.put("cost_usd", call.costAmount());
        }
        TokenTrace tokens = call.tokens();
        if (tokens != null && hasCleanTokens(call)) {
            putList(metrics, "prompt_token_ids", tokens.promptIds());
            putList(metrics, "completion_token_ids", tokens.responseIds());
            boolean aligned = tokens.responseIds().isEmpty()
                    || tokens.responseIds().size() == tokens.logProbabilities().size();
            putList(metrics, "logprobs", aligned ? tokens.logProbabilities() : List.of());
        }
        ObjectNode extra = JsonNodeFactory.instance.objectNode();
        put(extra, "reasoning_tokens", usage.reasoningTokens());
        put(extra, "cache_creation_tokens", usage.cacheCreationTokens());
        if (!extra.isEmpty()) {
            metrics.set(EXTRA, extra);
        }
        return metrics;
    }

    /** Returns whether nothing was taken out of the texts that the tokens are of. */
    static boolean hasCleanTokens(ModelCalled call) {
        Content system = call.systemInstructions() == null ? Content.EMPTY : call.systemInstructions();
        return Marks.of(Stream.concat(call.messages().stream(), Stream.ofNullable(call.reply())))
                        .isClean()
                && !system.isRedacted()
                && !system.isCut();
    }

    private static void put(ObjectNode object, String name, @Nullable Long value) {
        if (value != null) {
            object.put(name, value);
        }
    }

    private static void putList(ObjectNode object, String name, List<?> values) {
        if (!values.isEmpty()) {
            object.set(name, Json.tree(values));
        }
    }

    private ObjectNode total() {
        ObjectNode total = JsonNodeFactory.instance.objectNode();
        for (String name : List.of("prompt_tokens", "completion_tokens", "cached_tokens")) {
            List<JsonNode> known = known(name);
            if (!known.isEmpty()) {
                total.put(
                        "total_" + name,
                        known.stream().mapToLong(JsonNode::asLong).sum());
            }
        }
        List<JsonNode> costs = known("cost_usd");
        if (!costs.isEmpty()) {
            total.put(
                    "total_cost_usd",
                    costs.stream().mapToDouble(JsonNode::asDouble).sum());
        }
        return total.put("total_steps", steps.size());
    }

    private List<JsonNode> known(String name) {
        return steps.valueStream()
                .map(step -> step.path("metrics").path(name))
                .filter(JsonNode::isNumber)
                .toList();
    }

    /** Puts a child run into this one's document, and refers to it where it was started. */
    void embed(AtifDocument child) {
        String id = child.tree.path(TRAJECTORY_ID).asString();
        tree.withArrayProperty(SUBAGENTS).add(child.tree);
        boolean known = tree.path(STEPS).findValues(REFERENCES).stream()
                .flatMap(JsonNode::valueStream)
                .anyMatch(
                        reference -> reference.path(TRAJECTORY_ID).asString("").equals(id));
        ObjectNode step = known ? null : stepAt(child.run.startedAt());
        if (step != null) {
            resultAt(step, child.run.startedAt())
                    .withArrayProperty(REFERENCES)
                    .addObject()
                    .put(TRAJECTORY_ID, id)
                    .put("session_id", run.runId());
        }
    }

    /** The agent's last step that began by then, else its first one; {@code null} where it has none. */
    private @Nullable ObjectNode stepAt(Instant time) {
        ObjectNode found = null;
        for (int i = 0; i < Math.min(times.size(), tree.path(STEPS).size()); i++) {
            JsonNode step = tree.path(STEPS).get(i);
            if (step.path(SOURCE).asString("").equals(AGENT)
                    && (found == null || !times.get(i).isAfter(time))) {
                found = (ObjectNode) step;
            }
        }
        return found;
    }

    /** Returns the answer of the tool that was at work at that time; a new one if none is known. */
    private ObjectNode resultAt(ObjectNode step, Instant time) {
        ArrayNode results = results(step);
        List<String> atWork = tools.stream()
                .filter(tool ->
                        !run.at(tool.startNanos()).isAfter(time) && !tool.time().isBefore(time))
                .map(tool -> Transcript.callId(tool, null))
                .toList();
        return results.valueStream()
                .filter(result -> atWork.contains(result.path(CALL_ID).asString("")))
                .map(ObjectNode.class::cast)
                .findFirst()
                .orElseGet(results::addObject);
    }
}
