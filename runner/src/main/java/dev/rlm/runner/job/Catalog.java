package dev.rlm.runner.job;

import dev.rlm.cli.Registry;
import dev.rlm.cli.UsageException;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.Provider;
import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.RewardNeed;
import dev.rlm.episodes.RewardProvider;
import dev.rlm.episodes.Tool;
import dev.rlm.episodes.ToolAddress;
import dev.rlm.episodes.ToolSource;
import dev.rlm.episodes.ToolSourceProvider;
import dev.rlm.runner.chat.ChatEnvironmentProvider;
import dev.rlm.runner.demo.CalcEnvironmentProvider;
import dev.rlm.runner.episode.Toolbox;
import dev.rlm.runner.exec.ExecPolicyProvider;
import dev.rlm.runner.openai.OpenAiPolicyProvider;
import dev.rlm.runner.openenv.OpenEnvProvider;
import dev.rlm.runner.plugin.OpenProviders;
import dev.rlm.runner.policy.RecordedPolicyProvider;
import dev.rlm.runner.policy.ScriptedPolicyProvider;
import dev.rlm.runner.python.PythonEnvironmentProvider;
import dev.rlm.runner.remote.RemotePolicyProvider;
import dev.rlm.runner.replay.ReplayPolicyProvider;
import dev.rlm.runner.replay.ReplayedRun;
import dev.rlm.runner.reward.BuiltInReward;
import dev.rlm.runner.reward.Rewards;
import dev.rlm.runner.taskfolder.TaskFolderProvider;
import dev.rlm.sinks.SinkConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Parts of episodes that the options have chosen, from the program's own and those of plug-ins. */
final class Catalog implements AutoCloseable {
    private final EpisodeOptions options;
    private final OpenProviders providers;
    private final EnvironmentProvider environment;
    private final PolicyProvider policy;
    private final Rewards rewards;
    private final Toolbox toolbox;

    /**
     * Looks for plug-ins, takes what was chosen, and tells it what was set for it.
     *
     * @param recorded the runs to be replayed
     */
    Catalog(EpisodeOptions options, List<ReplayedRun> recorded, SinkConfig config) {
        options.check();
        this.options = options;
        this.providers = new OpenProviders(config);
        environment = providers
                .find(
                        "environment",
                        EnvironmentProvider.class,
                        List.of(
                                new CalcEnvironmentProvider(options.shaping()),
                                new PythonEnvironmentProvider(options.execution, options.shaping()),
                                new OpenEnvProvider(),
                                new TaskFolderProvider(options.execution),
                                new ChatEnvironmentProvider()))
                .get(options.environment);
        policy = providers
                .find(
                        "policy",
                        PolicyProvider.class,
                        List.of(
                                new ScriptedPolicyProvider(options.errorRate(), options.latency),
                                new RecordedPolicyProvider(options.latency),
                                new OpenAiPolicyProvider(options.openAi, options.models, config),
                                new ExecPolicyProvider(options.openAi, options.models),
                                new RemotePolicyProvider(options.remote, options.openAi, options.models, config),
                                new ReplayPolicyProvider(recorded, options.replay.isOfRecordedTools())))
                .get(options.policy());
        Registry<RewardProvider> functions = providers.find("reward", RewardProvider.class, BuiltInReward.all());
        List<RewardProvider> chosen =
                options.rewards.names().stream().map(functions::get).toList();
        checkOwners(chosen);
        try {
            open("environment", environment);
            open("policy", policy);
            Map<String, RewardFunction> byName = new LinkedHashMap<>();
            for (RewardProvider reward : chosen) {
                RewardFunction function = providers.reward(reward, options.settings);
                String name = reward.name();
                providers.run("asking reward '" + name + "' what it needs", () -> checkNeeds(name, function));
                byName.put(name, function);
            }
            rewards = Rewards.of(options.rewards, byName);
            providers.add("rewards", rewards);
            toolbox = new Toolbox(connect(options.mcp.addresses(config)));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void checkOwners(List<RewardProvider> chosen) {
        Set<String> owners = new TreeSet<>(List.of(environment.name(), policy.name()));
        chosen.forEach(reward -> owners.add(reward.name()));
        for (String setting : options.settings.keySet()) {
            String owner = setting.substring(0, Math.max(0, setting.indexOf('.')));
            if (!owners.contains(owner)) {
                throw new UsageException("--set " + setting + " is for nothing that was chosen: expected "
                        + String.join(".KEY=VALUE or ", owners) + ".KEY=VALUE");
            }
        }
    }

    private static void checkNeeds(String name, RewardFunction function) {
        if (function.needs().contains(RewardNeed.TOKENS)) {
            throw new UsageException(
                    "reward " + name
                            + " looks at tokens, which are not at hand while runs go on: rlm rescore scores recorded runs by it");
        }
    }

    private void open(String kind, Provider provider) {
        providers.open(kind, provider, options.settings);
    }

    /** Connects all servers, in their order; their tools. */
    private List<Tool> connect(List<ToolAddress> servers) {
        Map<String, Tool> tools = new LinkedHashMap<>();
        if (!servers.isEmpty()) {
            ToolSourceProvider mcp = providers
                    .find("kind of tools", ToolSourceProvider.class, List.of())
                    .get(McpOptions.KIND);
            open("tools", mcp);
            for (ToolAddress server : servers) {
                ToolSource source = mcp.connect(server);
                providers.add("tools", source);
                for (Tool tool : source.tools()) {
                    if (tools.putIfAbsent(tool.spec().name(), tool) != null) {
                        throw new UsageException(
                                "two tools are named '"
                                        + tool.spec().name()
                                        + "': give a server a name (--mcp NAME=SERVER), with which the names of its tools begin");
                    }
                }
            }
        }
        return List.copyOf(tools.values());
    }

    EnvironmentProvider environment() {
        return environment;
    }

    PolicyProvider policy() {
        return policy;
    }

    /** Returns the policy where it replays runs; {@code null} where it does something else. */
    @Nullable
    ReplayPolicyProvider replay() {
        return policy instanceof ReplayPolicyProvider replay ? replay : null;
    }

    Rewards rewards() {
        return rewards;
    }

    Toolbox toolbox() {
        return toolbox;
    }

    /** The job is over, whatever its parts say to that. */
    @Override
    public void close() {
        providers.close();
    }
}
