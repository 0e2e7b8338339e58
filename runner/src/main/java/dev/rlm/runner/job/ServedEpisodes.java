package dev.rlm.runner.job;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SampleRequest;
import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.ToolSpec;
import dev.rlm.json.chat.MessageJson;
import dev.rlm.runner.chat.ChatEnvironmentProvider;
import dev.rlm.runner.chat.ChatRow;
import dev.rlm.runner.episode.Episode;
import dev.rlm.runner.openai.OpenAiPolicyProvider;
import dev.rlm.runner.openai.RolloutModel;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.event.CorrelationBuilder;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/**
 * Episodes of the chosen environment that are asked for one by one; each request brings its model along. Safe for use by
 * several threads.
 */
public final class ServedEpisodes implements AutoCloseable {
    /** Options of episodes that say who acts, and how often: here each request says so. */
    private static final Set<String> SAID_BY_REQUESTS = Set.of(
            "--policy",
            "--model",
            "--rollouts",
            "--sample-id",
            "--error-rate",
            "--latency",
            "--base-url",
            "--api-key-env",
            "--temperature",
            "--top-p",
            "--max-tokens",
            "--logprobs",
            "--token-ids",
            "--no-stream",
            "--no-tools",
            "--model-concurrency",
            "--extra-body",
            "--rollout-id",
            "--row",
            "--invocation",
            "--experiment",
            "--trainer-run",
            "--replay",
            "--replay-where",
            "--replay-journal",
            "--replay-tools");

    private final EpisodeOptions options;
    private final Catalog catalog;
    private final EnvironmentProvider environment;
    private final List<? extends Sample> samples;
    private final Map<String, Sample> known = new HashMap<>(); // by id, and by task
    private final Set<String> tools;

    /** Looks for what the options choose. */
    public ServedEpisodes(EpisodeOptions options, SinkConfig config) {
        this.options = options;
        this.catalog = new Catalog(options, List.of(), config);
        this.environment = catalog.environment();
        this.tools = new HashSet<>(catalog.toolbox().names());
        try {
            options.openAi.check(List.of("any"));
            this.samples = isChat() ? List.of() : samples();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        samples.forEach(sample -> known.putIfAbsent(sample.task(), sample));
        samples.forEach(sample -> known.put(sample.id(), sample));
    }

    private List<? extends Sample> samples() {
        return environment
                .samples(new SampleRequest(options.dataset, options.skipBadLines, options.samples(), options.seed()))
                .samples()
                .stream()
                .limit(options.limit == null ? Long.MAX_VALUE : options.limit)
                .toList();
    }

    private boolean isChat() {
        return environment instanceof ChatEnvironmentProvider;
    }

    /** Returns the name of the environment. */
    public String environment() {
        return environment.name();
    }

    /**
     * Returns the sample that a row stands for: of that id, else at that place from 0 on, else with the task that its messages end
     * with.
     *
     * @throws SetupException if there is none
     */
    public Sample sample(String row, ArrayNode messages, JsonNode offered) {
        String task = "";
        for (JsonNode message : messages) {
            boolean user = message.path("role").stringValue("").equals("user");
            task = user ? MessageJson.text(message.path("content")) : task;
        }
        if (isChat()) {
            if (messages.isEmpty()) {
                throw new SetupException("messages is empty: --env chat hands them to the model");
            }
            return new ChatRow(row, task, tools(offered));
        }
        Sample found = known.get(row);
        if (found == null && row.matches("\\d{1,9}") && Integer.parseInt(row) < samples.size()) {
            found = samples.get(Integer.parseInt(row));
        }
        found = found == null ? known.get(task) : found;
        if (found == null) {
            throw new SetupException("--env " + environment() + " has no sample '" + row
                    + "': expected the id of a sample, a number below " + samples.size() + ", or the text of a task");
        }
        return found;
    }

    private List<ToolSpec> tools(JsonNode offered) {
        return offered.valueStream()
                .map(tool -> tool.path("function"))
                .filter(function -> !tools.contains(function.path("name").stringValue("")))
                .map(ServedEpisodes::tool)
                .toList();
    }

    private static ToolSpec tool(JsonNode function) {
        String name = function.path("name").stringValue("");
        JsonNode schema = function.path("parameters");
        if (name.isBlank()) {
            throw new SetupException("tools holds one without a name: expected OpenAI's functions");
        }
        return new ToolSpec(
                name,
                function.path("description").stringValue(""),
                schema.isObject() ? schema.toString() : "{\"type\":\"object\",\"properties\":{}}",
                null);
    }

    /**
     * Returns an episode of that sample.
     *
     * @param ids what joins it to a trainer
     * @param params further parameters of the run
     */
    public Episode episode(
            Sample sample, ArrayNode messages, RolloutModel model, CorrelationBuilder ids, Map<String, ?> params) {
        RunSpec.Builder spec = RunSpec.builder(environment.name())
                .task(sample.task())
                .model(model.name())
                .agent(OpenAiPolicyProvider.NAME, null)
                .maxSteps(options.maxSteps())
                .seed(options.seed())
                .passReward(options.passReward)
                .passOn(options.passOn)
                .correlation(options.training.addTo(ids.sample(sample.id())).build());
        sample.truth().ifPresent(spec::expectedAnswer);
        environment.params().forEach(spec::param);
        catalog.rewards().params().forEach(spec::param);
        params.forEach(spec::param);
        options.tags.forEach(spec::tag);
        ArrayNode given = isChat() ? messages : null;
        return new Episode(
                spec.build(),
                () -> environment.create(sample),
                briefing -> policy(model, briefing, given),
                catalog.toolbox(),
                catalog.rewards(),
                sample);
    }

    private Policy policy(RolloutModel model, Briefing briefing, @Nullable ArrayNode messages) {
        return model.policy(briefing, messages, options.openAi);
    }

    /** Leaves out the options of episodes that each request says. */
    public static final class WithoutRequests implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec command) {
            SAID_BY_REQUESTS.forEach(name -> command.remove(command.findOption(name)));
            return command;
        }
    }

    @Override
    public void close() {
        catalog.close();
    }
}
