package dev.rlm.runner.openai;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.SetupException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Model of one rollout: where a trainer says it is, and how it is to be asked. Safe for use by several threads. */
public final class RolloutModel {
    private static final List<String> OTHERS = List.of("model", "messages", "base_url", "api_key", "extra_body");

    private final CompletionsServer server;
    private final String name;
    private final ObjectNode parameters;

    private RolloutModel(CompletionsServer server, String name, ObjectNode parameters) {
        this.server = server;
        this.name = name;
        this.parameters = parameters;
    }

    /**
     * Returns the model at an address.
     *
     * @param key signs in there; {@code null} for nothing
     * @param params as OpenAI's clients take them: members of {@code extra_body} become members of the request
     * @throws SetupException if the address is none, or the parameters name no model
     */
    public static RolloutModel of(String baseUrl, @Nullable String key, JsonNode params) {
        CompletionsEndpoint endpoint = CompletionsEndpoint.of("model_base_url", baseUrl);
        String model = params.path("model").stringValue("");
        if (model.isBlank()) {
            throw new SetupException("completion_params.model is missing: expected a model's name");
        }
        ObjectNode parameters = (ObjectNode) params.deepCopy();
        if (parameters.path("extra_body") instanceof ObjectNode extra) {
            parameters.setAll(extra);
        }
        parameters.remove(OTHERS).removeIf(JsonNode::isNull);
        return new RolloutModel(new CompletionsServer(endpoint, key), model, parameters);
    }

    public String name() {
        return name;
    }

    /**
     * Returns a policy that asks it.
     *
     * @param messages what the conversation begins with, instead of what the environment shows first; {@code null} for that
     */
    public Policy policy(Briefing briefing, @Nullable ArrayNode messages, OpenAiOptions options) {
        String provider = options.provider == null ? server.endpoint().provider() : options.provider;
        Conversation conversation = messages == null
                ? new Conversation(briefing.instructions(), options.sendReasoning)
                : new Conversation(messages, options.sendReasoning);
        return new OpenAiPolicy(
                new CompletionsClient(server, options),
                provider,
                name,
                parameters,
                briefing,
                options,
                conversation,
                true);
    }

    /**
     * Returns the messages that a request holds, as {@link #clean} does; none where it has none.
     *
     * @throws SetupException if they are no messages
     */
    public static ArrayNode messages(JsonNode given) {
        if (given.isNull() || given.isMissingNode()) {
            return JsonNodeFactory.instance.arrayNode();
        } else if (!given.isArray()
                || !given.valueStream().allMatch(message -> message.path("role").isString())) {
            throw new SetupException("messages is not valid: expected a list of objects with a role");
        }
        return clean((ArrayNode) given);
    }

    /** Returns messages without members that are null, which models refuse. */
    public static ArrayNode clean(ArrayNode messages) {
        ArrayNode clean = messages.deepCopy();
        clean.forEach(message -> ((ObjectNode) message).removeIf(JsonNode::isNull));
        return clean;
    }
}
