package dev.rlm.runner.remote;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.Role;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.openai.OpenAiOptions;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Makes policies that have a whole rollout done by a rollout server, and look at it through a gateway. */
public final class RemotePolicyProvider implements PolicyProvider {
    /** Its name. */
    public static final String NAME = "remote";

    /** The variable with the key for the gateway. */
    public static final String KEY = "RLM_REMOTE_API_KEY";

    private final RemoteOptions options;
    private final OpenAiOptions completion;
    private final List<String> models; // each does every sample
    private final @Nullable String key;
    private final String job = RunSpec.builder(NAME).build().runId();
    private @Nullable RolloutClient client;

    /**
     * Creates one.
     *
     * @param completion what the server is to ask models with
     */
    public RemotePolicyProvider(
            RemoteOptions options, OpenAiOptions completion, List<String> models, SinkConfig config) {
        this.options = options;
        this.completion = completion;
        this.models = models.stream().distinct().toList();
        this.key = config.shared().string(KEY).orElse(null);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void open(Map<String, String> settings) {
        PolicyProvider.super.open(settings);
        options.check();
        if (models.isEmpty()) {
            throw new SetupException("--remote needs a --model: the rollout server is told which it is to ask");
        }
        completion.check(models);
        client = new RolloutClient(options.server(), options.gateway(), key, options.timeout());
        client.check();
    }

    @Override
    public List<String> models(Sample sample) {
        return models;
    }

    @Override
    public Policy create(Role role, Briefing briefing) {
        String rollout = RunSpec.builder(NAME).build().runId(); // of each attempt: what came before is not seen again
        Map<String, String> ids = new LinkedHashMap<>();
        ids.put("rollout_id", rollout);
        ids.put("invocation_id", job);
        ids.put("experiment_id", job);
        ids.put("run_id", job);
        ids.put("row_id", role.sample().id());
        ObjectNode params = completion.parameters(role.seed());
        params.remove(List.of("stream", "stream_options")); // the server's own business
        return new RemotePolicy(client(), ids, role.model(), params, completion.baseUrl(), briefing);
    }

    private RolloutClient client() {
        return Objects.requireNonNull(client, "not opened");
    }

    @Override
    public Map<String, Object> params() {
        return Map.of("remote_url", options.server(), "gateway_url", options.gateway());
    }

    @Override
    public Collection<String> secrets() {
        return key == null ? List.of() : List.of(key);
    }
}
