package dev.rlm.runner.openai;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.Role;
import dev.rlm.episodes.Sample;
import dev.rlm.sinks.SinkConfig;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes policies that ask models of a server of OpenAI's chat completions. The server is asked for its models before the
 * first run.
 */
public final class OpenAiPolicyProvider implements PolicyProvider {
    /** Its name. */
    public static final String NAME = "openai";

    private final OpenAiOptions options;
    private final List<String> models; // each acts on every sample
    private final SinkConfig config;
    private @Nullable String key;
    private @Nullable CompletionsClient client;

    public OpenAiPolicyProvider(OpenAiOptions options, List<String> models, SinkConfig config) {
        this.options = options;
        this.models = models.stream().distinct().toList();
        this.config = config;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void open(Map<String, String> settings) {
        PolicyProvider.super.open(settings);
        options.check(models);
        CompletionsEndpoint endpoint = options.endpoint(config);
        key = options.key(config);
        if (!endpoint.isOfRuns()) { // whose addresses are not there yet
            new ServerCheck("--policy openai", new CompletionsServer(endpoint, key)).run(models);
        }
        client = new CompletionsClient(new CompletionsServer(endpoint, key), options);
    }

    @Override
    public List<String> models(Sample sample) {
        return models;
    }

    @Override
    public Policy create(Role role, Briefing briefing) {
        Conversation conversation = new Conversation(briefing.instructions(), options.sendReasoning);
        CompletionsEndpoint endpoint = client().endpoint();
        CompletionsClient asked = endpoint.isOfRuns()
                ? new CompletionsClient(new CompletionsServer(endpoint.of(briefing.run()), key), options)
                : client();
        return new OpenAiPolicy(
                asked,
                provider(),
                role.model(),
                options.parameters(role.seed()),
                briefing,
                options,
                conversation,
                endpoint.isOfRuns());
    }

    private String provider() {
        return options.provider == null ? client().endpoint().provider() : options.provider;
    }

    private CompletionsClient client() {
        return Objects.requireNonNull(client, "not opened");
    }

    @Override
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("base_url", client().endpoint().base());
        params.put("provider", provider());
        return params;
    }

    @Override
    public Collection<String> secrets() {
        return key == null ? List.of() : List.of(key);
    }
}
