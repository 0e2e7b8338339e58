package dev.rlm.runner.openenv;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Answer;
import dev.rlm.episodes.Environment;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.json.Json;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Environment in a session with an OpenEnv server. */
final class OpenEnvEnvironment implements Environment {
    /** The only action, where the environment has no tools of names. */
    static final String ACT = "act";

    private static final String SUBMIT = "submit";

    private static final Pattern FENCED = Pattern.compile("```(?:json)?\\s*\\n(.*?)```", Pattern.DOTALL);
    private static final Set<String> TOLD_APART = Set.of("metadata", "reward", "done");

    private final OpenEnvSession session;
    private final ResetSample sample;
    private final ActionSchema schema;
    private final List<ToolSpec> tools;

    /** Uses a session that is its own, and asks it for its tools where it has any. */
    OpenEnvEnvironment(OpenEnvSession session, ResetSample sample, ActionSchema schema)
            throws IOException, InterruptedException {
        this.session = session;
        this.sample = sample;
        this.schema = schema;
        this.tools = schema.isOfTools()
                ? tools(session)
                : List.of(new ToolSpec(ACT, schema.description(), schema.json(), null));
    }

    private static List<ToolSpec> tools(OpenEnvSession session) throws IOException, InterruptedException {
        JsonNode answer = session.exchange(Map.of("type", "step", "data", Map.of("type", "list_tools")));
        return Json.elements(answer.path("observation").path("tools")).stream()
                .map(tool -> new ToolSpec(
                        tool.path("name").asString(),
                        tool.path("description").asString(""),
                        Json.text(tool.path("input_schema")),
                        null))
                .toList();
    }

    @Override
    public String start() throws IOException, InterruptedException {
        JsonNode seen = session.exchange(Map.of("type", "reset", "data", sample.arguments()));
        return text(seen.path("observation"));
    }

    @Override
    public List<ToolSpec> tools() {
        return tools;
    }

    /** A text is the action's JSON, such a block in it, or what the only field that must be there is to be; where there are tools, the answer. */
    @Override
    public Action understand(String words) {
        if (schema.isOfTools()) {
            return new Action(SUBMIT, words);
        }
        Matcher fenced = FENCED.matcher(words);
        String inner = fenced.find() ? fenced.group(1).strip() : words.strip();
        String only = schema.onlyText();
        if (isObject(inner)) {
            return new Action(ACT, inner);
        }
        return only == null
                ? new Action(ACT, words, null, "no action: expected a JSON object like " + schema.json())
                : new Action(ACT, Json.text(Map.of(only, words.strip())));
    }

    private static boolean isObject(String text) {
        try {
            return !Json.REPLY.object(text).isNull();
        } catch (JacksonException e) {
            return false;
        }
    }

    @Override
    public Answer step(Action action, Step step) throws IOException, InterruptedException {
        if (action.fault() != null) {
            return new Answer("", action.fault(), null, 0, false);
        } else if (schema.isOfTools()) {
            return action.type().equals(SUBMIT) ? end(step, new Answer("", null, null, 0, true)) : call(action, step);
        }
        try {
            JsonNode answer = session.exchange(Map.of("type", "step", "data", arguments(action)));
            return answer(answer, text(answer.path("observation")), null, step);
        } catch (OpenEnvSession.RefusedException | JacksonException e) {
            return new Answer("", String.valueOf(e.getMessage()), null, 0, false);
        }
    }

    /** Calls a tool, which is in the record too. */
    private Answer call(Action action, Step step) throws IOException, InterruptedException {
        try (ToolCall call = step.startToolCall(action.type())) {
            call.provider(ToolCalled.MCP).callId(action.callId()).arguments(action.code());
            JsonNode answer = session.exchange(Map.of(
                    "type",
                    "step",
                    "data",
                    Map.of("type", "call_tool", "tool_name", action.type(), "arguments", arguments(action))));
            JsonNode seen = answer.path("observation");
            String error = seen.path("error").path("message").asString(null);
            String result = result(seen.path("result"));
            if (error == null) {
                call.result(result);
            } else {
                call.fail(RunStatus.INTERNAL, error);
            }
            return answer(answer, result, error, step);
        } catch (OpenEnvSession.RefusedException | JacksonException e) {
            return new Answer("", String.valueOf(e.getMessage()), null, 1, false);
        }
    }

    private static ObjectNode arguments(Action action) {
        return Json.REPLY.object(action.code().isBlank() ? "{}" : action.code());
    }

    /** Returns what a tool gave: its data, or the texts of its contents. */
    private static String result(JsonNode result) {
        JsonNode data = result.path("data");
        if (data.isMissingNode() || data.isNull()) {
            List<String> texts = Json.elements(result.path("content")).stream()
                    .map(part -> part.path("text").asString(""))
                    .toList();
            return texts.isEmpty()
                    ? result.isString() ? result.asString() : Json.text(result)
                    : String.join("\n", texts);
        }
        return data.isString() ? data.asString() : Json.text(data);
    }

    private Answer answer(JsonNode answer, String output, @Nullable String error, Step step)
            throws IOException, InterruptedException {
        Answer given = new Answer(
                output,
                error,
                reward(answer.path("reward")),
                schema.isOfTools() ? 1 : 0,
                answer.path("done").asBoolean(false));
        return given.done() ? end(step, given) : given;
    }

    /** Keeps the state at the end. */
    private Answer end(Step step, Answer last) throws IOException, InterruptedException {
        JsonNode state = session.exchange(Map.of("type", "state"));
        step.artifact("state.json", "application/json", Json.bytes(state));
        return last;
    }

    /** Rewards are numbers or booleans; without one none is given. */
    private static @Nullable Double reward(JsonNode reward) {
        return reward.isBoolean() ? (Double) (reward.asBoolean() ? 1.0 : 0.0) : Json.number(reward);
    }

    /** Returns the only text of what is seen, or all as JSON. */
    private static String text(JsonNode observation) {
        Map<String, JsonNode> told = new LinkedHashMap<>();
        observation.properties().forEach(field -> {
            boolean empty = field.getValue().isNull()
                    || (field.getValue().isString()
                            && field.getValue().asString().isEmpty());
            if (!TOLD_APART.contains(field.getKey()) && !empty) {
                told.put(field.getKey(), field.getValue());
            }
        });
        JsonNode only = told.size() == 1 ? told.values().iterator().next() : null;
        return only != null && only.isString() ? only.asString() : told.isEmpty() ? "" : Json.text(told);
    }

    @Override
    public void close() {
        session.close();
    }
}
