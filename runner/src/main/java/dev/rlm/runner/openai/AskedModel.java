package dev.rlm.runner.openai;

import dev.rlm.cli.Bounds;
import dev.rlm.episodes.SetupException;
import dev.rlm.json.Json;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Model of a server of OpenAI's chat completions that is asked single questions, as a judge is. Nothing of that is recorded. Safe for use
 * by several threads.
 */
public final class AskedModel {
    private final OpenAiOptions options = new OpenAiOptions();
    private final CompletionsClient client;
    private final String model;
    private final @Nullable String key;

    /**
     * A model of a server, which is asked whether it has it.
     *
     * @param asker the option that names both, for messages
     * @param keyVariable the variable with the key; {@code null} for the usual ones
     * @param temperature of its answers; {@code null} for the server's own
     * @param timeout how long an answer may take, with retries
     * @throws SetupException if that is not valid, or the server cannot be had, or has no such model
     */
    public AskedModel(
            String asker,
            String baseUrl,
            String model,
            SinkConfig config,
            @Nullable String keyVariable,
            @Nullable Double temperature,
            Duration timeout) {
        Bounds.checkAboveZero("--model-timeout", timeout);
        this.model = model;
        options.noStream = true;
        options.keyVariable = keyVariable;
        options.temperature = temperature;
        options.timeout = timeout;
        options.check(List.of(model));
        key = options.key(config);
        CompletionsServer server = new CompletionsServer(CompletionsEndpoint.of(asker, baseUrl.strip()), key);
        new ServerCheck(asker, server).run(List.of(model));
        client = new CompletionsClient(server, options);
    }

    /**
     * Asks, and asks again where the server says that this may help.
     *
     * @param instructions what the model is told first
     * @param seed of its random choices
     * @return what it said
     * @throws IOException if nothing comes of it
     */
    public String ask(String instructions, String question, long seed) throws IOException, InterruptedException {
        ObjectNode request = JsonNodeFactory.instance.objectNode().put("model", model);
        ArrayNode messages = request.putArray("messages");
        messages.addObject().put("role", "system").put("content", instructions);
        messages.addObject().put("role", "user").put("content", question);
        request.setAll(options.parameters(seed));
        Reply reply = new Reply(1, ModelCall.NOOP);
        try {
            client.complete(Json.text(request), Map.of(), reply, Step.NOOP, retries -> {});
        } catch (IOException e) {
            String said = String.valueOf(e.getMessage());
            throw key == null || !said.contains(key) ? e : new IOException(said.replace(key, "[REDACTED]"));
        }
        return reply.text();
    }

    /** Returns the secret values: the key, if there is one. */
    public Collection<String> secrets() {
        return key == null ? List.of() : List.of(key);
    }
}
