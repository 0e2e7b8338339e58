package dev.rlm.runner.openai;

import dev.rlm.cli.Bounds;
import dev.rlm.cli.Durations;
import dev.rlm.episodes.SetupException;
import dev.rlm.json.Json;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The options of the policy that asks models. Those that are {@code null} are not sent, so that the server's own
 * count.
 */
public final class OpenAiOptions {
    private static final String BASE_URL = "OPENAI_BASE_URL";
    private static final List<String> KEYS = List.of("RLM_OPENAI_API_KEY", "OPENAI_API_KEY");
    private static final Set<String> OURS = Set.of("model", "messages", "stream", "tools", "n");
    private static final int MANY = 10_000;

    @Option(
            names = "--base-url",
            paramLabel = "URL",
            description =
                    "Where --policy openai finds its server, such as http://localhost:8000/v1 (OPENAI_BASE_URL). {run},"
                            + " {rollout}, {attempt} and {sample} in it are those of each run.")
    @Nullable
    String baseUrl;

    @Option(
            names = "--api-key-env",
            paramLabel = "NAME",
            description = "The variable with the key (RLM_OPENAI_API_KEY, else OPENAI_API_KEY).")
    @Nullable
    String keyVariable;

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            description = "Provider of the model, for the record (by the address's host, else openai).")
    @Nullable
    String provider;

    @Option(names = "--temperature", paramLabel = "T", description = "How random the model's choices are.")
    @Nullable
    Double temperature;

    @Option(names = "--top-p", paramLabel = "P", description = "Of which share of likely tokens the model chooses.")
    @Nullable
    Double topP;

    @Option(names = "--max-tokens", paramLabel = "N", description = "How long a reply may be.")
    @Nullable
    Integer maxTokens;

    @Option(names = "--logprobs", description = "Ask for the log probabilities of the tokens.")
    boolean logProbabilities;

    @Option(names = "--token-ids", description = "Ask for the ids of the tokens, as vLLM gives them.")
    boolean tokenIds;

    @Option(names = "--no-stream", description = "Ask for replies as a whole.")
    boolean noStream;

    @Option(names = "--no-tools", description = "Offer no tools: the model's words are what it does.")
    boolean noTools;

    @Option(names = "--send-reasoning", description = "Show the model its own thoughts again.")
    boolean sendReasoning;

    @Option(
            names = "--model-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a call of the model may take, with its retries (10m).")
    Duration timeout = Duration.ofMinutes(10);

    @Option(
            names = "--model-silence",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a reply that has begun may fall silent (2m).")
    Duration silence = Duration.ofMinutes(2);

    @Option(names = "--model-retries", paramLabel = "N", description = "How often a call is tried again (5).")
    int retries = 5;

    @Option(
            names = "--model-concurrency",
            paramLabel = "N",
            description = "How many calls of models at a time (as many as runs).")
    @Nullable
    Integer concurrency;

    @Option(
            names = "--extra-body",
            paramLabel = "JSON",
            description = "Further members of each request; a null takes one away.")
    @Nullable
    String extraBody;

    private ObjectNode extra = JsonNodeFactory.instance.objectNode();

    /** Checks all that can be checked without a look at the configuration. */
    public void check(List<String> models) {
        if (models.isEmpty() || models.stream().anyMatch(String::isBlank)) {
            throw new SetupException("--policy openai needs a --model");
        }
        checkRange("--temperature", temperature, 0, 100);
        checkRange("--top-p", topP, 0, 1);
        checkRange("--max-tokens", maxTokens, 1, Integer.MAX_VALUE);
        checkRange("--model-retries", retries, 0, 100);
        checkRange("--model-concurrency", concurrency, 1, MANY);
        Bounds.checkAboveZero("--model-timeout", timeout);
        Bounds.checkAboveZero("--model-silence", silence);
        extra = extra(extraBody == null ? "{}" : extraBody);
    }

    /** Has replies asked for as a whole. */
    public void withoutStreams() {
        noStream = true;
    }

    private static void checkRange(String option, @Nullable Number value, long min, long max) {
        if (value != null && !(value.doubleValue() >= min && value.doubleValue() <= max)) {
            throw new SetupException(
                    option + "=" + value + " is not valid: expected a number from " + min + " to " + max);
        }
    }

    /** Reads the extra body. An error does not quote the text, which may hold secrets. */
    private static ObjectNode extra(String json) {
        ObjectNode extra;
        try {
            extra = Json.REPLY.object(json);
        } catch (JacksonException e) {
            throw new SetupException("--extra-body is not valid: expected a JSON object such as {\"top_k\":20}");
        }
        for (String name : OURS) {
            if (extra.has(name)) {
                throw new SetupException("--extra-body may not say \"" + name + "\": the program does");
            }
        }
        return extra;
    }

    /** Returns where models are, as the option says; {@code null} where it does not. */
    public @Nullable String baseUrl() {
        return baseUrl;
    }

    /** Returns where models are for a run, as the option says; {@code null} where it does not. */
    public @Nullable String baseUrl(RunSpec run) {
        return baseUrl == null
                ? null
                : CompletionsEndpoint.ofTemplate("--base-url", baseUrl.strip())
                        .of(run)
                        .base();
    }

    int concurrency() {
        return concurrency == null ? MANY : concurrency;
    }

    CompletionsEndpoint endpoint(SinkConfig config) {
        if (baseUrl != null) {
            return CompletionsEndpoint.ofTemplate("--base-url", baseUrl.strip());
        }
        String found = config.shared()
                .string(BASE_URL)
                .orElseThrow(() -> new SetupException("--policy openai needs a --base-url, or " + BASE_URL));
        return CompletionsEndpoint.ofTemplate(BASE_URL, found);
    }

    /**
     * The key, where there is one. What is wrong is said without the variable's name: somebody may have given the key
     * for it.
     */
    @Nullable
    String key(SinkConfig config) {
        List<String> variables = keyVariable == null ? KEYS : List.of(keyVariable);
        for (String variable : variables) {
            String key = config.shared().string(variable).orElse(null);
            if (key != null) {
                return checked(key);
            }
        }
        if (keyVariable != null) {
            throw new SetupException("--api-key-env names a variable that is not set");
        }
        return null;
    }

    private static String checked(String key) {
        if (!key.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            throw new SetupException("the API key has characters that no key has: expected letters, digits and signs");
        }
        return key;
    }

    /**
     * The parameters of each request of a run, in order, beside model, messages and tools.
     *
     * @param seed the run's; servers differ in how many bits they take, and all take 31
     */
    public ObjectNode parameters(long seed) {
        ObjectNode all = JsonNodeFactory.instance.objectNode().put("stream", !noStream);
        if (!noStream) {
            all.putObject("stream_options").put("include_usage", true);
        }
        all.put("temperature", temperature)
                .put("top_p", topP)
                .put("max_tokens", maxTokens)
                .put("seed", (int) (seed ^ (seed >>> 32)) & Integer.MAX_VALUE)
                .put("logprobs", logProbabilities ? true : null)
                .put("return_token_ids", tokenIds ? true : null);
        return all.setAll(extra).removeIf(JsonNode::isNull);
    }
}
