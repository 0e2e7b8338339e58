package dev.rlm.runner.exec;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.episodes.Turn;
import dev.rlm.json.Json;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Policy that is a program: each turn it is told a line of JSON what it sees, and says a line what it does. */
final class ExecPolicy implements Policy {
    private final Map<String, Object> first; // that is told once
    private final Briefing briefing;
    private final AgentProcess process;
    private boolean begun;

    ExecPolicy(AgentProcess process, String task, String model, Briefing briefing) {
        this.process = process;
        this.briefing = briefing;
        first = new LinkedHashMap<>();
        first.put("run_id", briefing.run().runId());
        first.put("task", task);
        first.put("model", model);
        first.put("instructions", briefing.instructions());
        first.put("tools", briefing.tools().stream().map(ExecPolicy::tool).toList());
    }

    private static Map<String, Object> tool(ToolSpec tool) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("name", tool.name());
        told.put("description", tool.description());
        told.put("input_schema", Json.REPLY.object(tool.inputSchema()));
        if (tool.textParameter() != null) {
            told.put("text_parameter", tool.textParameter());
        }
        return told;
    }

    @Override
    public Turn act(Observation seen, Step step) throws IOException, InterruptedException {
        Map<String, Object> line = new LinkedHashMap<>(begun ? Map.of() : first);
        begun = true;
        line.put("observation", seen.text());
        line.put("results", seen.done().stream().map(ExecPolicy::result).toList());
        process.say(Json.text(line));
        String said = process.hear();
        try {
            return turn(Json.REPLY.object(said));
        } catch (JacksonException e) {
            throw new IOException("the agent says no JSON object: " + Json.reason(e), e);
        }
    }

    private static Map<String, @Nullable Object> result(Observation.Done done) {
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        result.put("type", done.action().type());
        result.put("output", done.answer().output());
        result.put("error", done.answer().error());
        return result;
    }

    private Turn turn(ObjectNode said) throws IOException {
        if (said.has("text")) {
            return Turn.of(briefing.understand().apply(said.path("text").asString("")));
        }
        List<Action> actions = new ArrayList<>();
        for (JsonNode action : said.has("actions") ? Json.elements(said.get("actions")) : List.of((JsonNode) said)) {
            String type = action.path("type").asString("");
            if (type.isEmpty()) {
                throw new IOException(
                        "the agent's line has no action: expected {\"type\": …, \"code\": …}, {\"actions\": [those]}"
                                + " or {\"text\": what a model would say}");
            }
            JsonNode code = action.path("code");
            actions.add(new Action(
                    type,
                    code.isString() ? code.asString() : code.isMissingNode() ? "" : Json.text(code),
                    action.path("call_id").asString(null)));
        }
        if (actions.isEmpty()) {
            throw new IOException("the agent's line has no action: \"actions\" is empty");
        }
        return new Turn(actions);
    }

    @Override
    public void close() {
        process.close();
    }
}
