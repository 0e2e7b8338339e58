package dev.rlm.runner.openai;

import dev.rlm.episodes.Action;
import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.episodes.Turn;
import dev.rlm.json.Json;
import dev.rlm.json.chat.MessageJson;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.TraceContext;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A policy that asks a model what to do, and keeps the conversation with it. A reply that asks for several tools is
 * one turn of several actions; one that asks for none is what the environment understands by it.
 */
final class OpenAiPolicy implements Policy {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final CompletionsClient client;
    private final String provider;
    private final String model;
    private final ObjectNode parameters; // of each request, beside model, messages and tools
    private final Briefing briefing;
    private final ArrayNode tools = NODES.arrayNode(); // as the protocol has them
    private final ArrayNode toolDefinitions = NODES.arrayNode(); // as the GenAI conventions write them
    private final Conversation conversation;
    private final boolean tellsRun;
    private int turn;

    /**
     * Makes one.
     *
     * @param tellsRun whether it is the model's address of one run alone, as a gateway has it, which is told the run
     */
    OpenAiPolicy(
            CompletionsClient client,
            String provider,
            String model,
            ObjectNode parameters,
            Briefing briefing,
            OpenAiOptions options,
            Conversation conversation,
            boolean tellsRun) {
        this.client = client;
        this.provider = provider;
        this.model = model;
        this.parameters = parameters;
        this.briefing = briefing;
        this.conversation = conversation;
        this.tellsRun = tellsRun;
        if (!options.noTools) {
            briefing.tools().forEach(this::offer);
        }
    }

    private void offer(ToolSpec tool) {
        ObjectNode function = NODES.objectNode()
                .put("name", tool.name())
                .put("description", tool.description())
                .set("parameters", Json.REPLY.object(tool.inputSchema()));
        tools.addObject().put("type", "function").set("function", function);
        toolDefinitions.addObject().put("type", "function").setAll(function);
    }

    @Override
    public Turn act(Observation seen, Step step) throws ChatException, InterruptedException {
        turn++;
        conversation.sees(seen);
        Reply reply = reply(step);
        conversation.replied(reply);
        return reply.requests().isEmpty()
                ? Turn.of(briefing.understand().apply(reply.text()))
                : new Turn(reply.requests().stream().map(this::action).toList());
    }

    private Reply reply(Step step) throws ChatException, InterruptedException {
        try (CompletionsClient.Permit ignored = client.place(step);
                ModelCall call = step.startModelCall(provider, model)) {
            call.server(client.endpoint().host(), client.endpoint().port());
            parameters.forEachEntry((name, value) -> call.parameter(name, Objects.requireNonNull(Json.values(value))));
            if (!tools.isEmpty()) {
                call.toolDefinitions(Json.text(toolDefinitions));
            }
            conversation.showTo(call);
            Reply reply = new Reply(turn, call);
            try {
                client.complete(Json.text(request()), traceHeaders(step), reply, step, call::retries);
            } catch (ChatException e) {
                call.fail(String.valueOf(e.getMessage()));
                throw e;
            } catch (InterruptedException e) {
                call.fail("interrupted");
                throw e;
            } finally {
                reply.record();
            }
            return reply;
        }
    }

    /** The trace alone, and the run where that is told: what else travels with it is for the user's own programs. */
    private Map<String, String> traceHeaders(Step step) {
        TraceContext context = step.traceContext().orElse(TraceContext.NONE);
        TraceContext trace = context.withBaggage(null);
        return context.baggageEntry(TraceContext.RUN_ID)
                .filter(run -> tellsRun)
                .map(run -> trace.withRun(
                        run, context.baggageEntry(TraceContext.ROLLOUT_ID).orElse(null)))
                .orElse(trace)
                .toMap();
    }

    private ObjectNode request() {
        ObjectNode request = NODES.objectNode().put("model", model);
        request.set("messages", conversation.messages());
        request.setAll(parameters);
        return tools.isEmpty() ? request : request.set("tools", tools);
    }

    private Action action(MessageJson.Call request) {
        return RequestedAction.of(briefing.tools(), request.id(), request.tool(), request.arguments());
    }
}
