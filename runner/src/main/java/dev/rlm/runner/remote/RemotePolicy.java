package dev.rlm.runner.remote;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.Turn;
import dev.rlm.json.Json;
import dev.rlm.json.chat.MessageJson;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Step;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A rollout that somebody else does: one turn, whose words are the last ones of its conversation. All of that is recorded as one
 * call of the model, which takes as long as the rollout: the times of its parts are not known.
 */
final class RemotePolicy implements Policy {
    private static final String METRIC = "remote_";
    private static final int MAX_METRICS = 64;

    private final RolloutClient client;
    private final Map<String, String> ids;
    private final String model;
    private final ObjectNode parameters; // of each request for a completion
    private final @Nullable String modelUrl;
    private final Briefing briefing;
    private final Map<String, Double> metrics = new LinkedHashMap<>();
    private boolean done;

    RemotePolicy(
            RolloutClient client,
            Map<String, String> ids,
            String model,
            ObjectNode parameters,
            @Nullable String modelUrl,
            Briefing briefing) {
        this.client = client;
        this.ids = ids;
        this.model = model;
        this.parameters = parameters;
        this.modelUrl = modelUrl;
        this.briefing = briefing;
    }

    @Override
    public Turn act(Observation seen, Step step) throws RemoteRolloutException, InterruptedException {
        if (done) {
            throw new RemoteRolloutException("the environment asks for another turn: a remote rollout is one");
        }
        done = true;
        step.tag("rollout_id", String.valueOf(ids.get("rollout_id")));
        try (ModelCall call = step.startModelCall(RemotePolicyProvider.NAME, model)) {
            parameters.forEachEntry((name, value) -> call.parameter(name, Objects.requireNonNull(Json.values(value))));
            try {
                RolloutClient.Ending ending = client.run(ids, init(seen.text()));
                tell(ending, step);
                return Turn.of(briefing.understand().apply(show(client.trace(ids), call)));
            } catch (RemoteRolloutException e) {
                call.message("user", seen.text()).fail(String.valueOf(e.getMessage()));
                throw e;
            } catch (InterruptedException e) {
                call.message("user", seen.text()).fail("interrupted");
                throw e;
            }
        }
    }

    /** The request, but for what the client knows. */
    private ObjectNode init(String task) {
        ObjectNode init = JsonNodeFactory.instance.objectNode();
        ObjectNode params = init.putObject("completion_params").put("model", model);
        params.setAll(parameters);
        if (modelUrl != null) {
            params.put("base_url", modelUrl);
        }
        init.putArray("messages").addObject().put("role", "user").put("content", task);
        init.putNull("tools");
        return init;
    }

    private void tell(RolloutClient.Ending ending, Step step) {
        step.tag("status", Integer.toString(ending.code()));
        if (ending.terminationReason() != null) {
            step.tag("termination_reason", ending.terminationReason());
        }
        ending.extras().forEachEntry((name, value) -> {
            double number = value.isNumber() ? value.doubleValue() : Double.NaN;
            if (Double.isFinite(number) && metrics.size() < MAX_METRICS) {
                metrics.put(METRIC + name, number);
            }
        });
    }

    /** Records the conversation; its last words. */
    private static String show(RolloutClient.Trace trace, ModelCall call) {
        trace.messages().forEach(message -> MessageJson.show(message, call));
        JsonNode reply = trace.reply();
        String text = MessageJson.text(reply.path("content"));
        call.reply(text);
        for (MessageJson.Call request : MessageJson.toolCalls(reply)) {
            call.toolRequest(request.id(), request.tool(), request.arguments());
            text = text.isEmpty() ? request.arguments() : text; // a rollout may end with the call of a tool
        }
        return text;
    }

    @Override
    public Map<String, Double> metrics() {
        return metrics;
    }
}
