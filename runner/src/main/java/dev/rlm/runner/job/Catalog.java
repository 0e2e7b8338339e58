package dev.rlm.runner.job;

import dev.rlm.cli.Registry;
import dev.rlm.cli.UsageException;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.Provider;
import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.RewardProvider;
import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.Tool;
import dev.rlm.episodes.ToolAddress;
import dev.rlm.episodes.ToolSource;
import dev.rlm.episodes.ToolSourceProvider;
import dev.rlm.runner.calc.CalcEnvironmentProvider;
import dev.rlm.runner.chat.ChatEnvironmentProvider;
import dev.rlm.runner.episode.Toolbox;
import dev.rlm.runner.openai.OpenAiPolicyProvider;
import dev.rlm.runner.plugin.PluginCalls;
import dev.rlm.runner.policy.RecordedPolicyProvider;
import dev.rlm.runner.policy.ScriptedPolicyProvider;
import dev.rlm.runner.python.PythonEnvironmentProvider;
import dev.rlm.runner.remote.RemotePolicyProvider;
import dev.rlm.runner.reward.BuiltInReward;
import dev.rlm.runner.reward.Rewards;
import dev.rlm.sinks.Plugins;
import dev.rlm.sinks.SinkConfig;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the options have chosen of all that episodes can be made of, the program's own and that of plug-ins. */
final class Catalog implements AutoCloseable {
    private static final Duration CLOSE_TIME = Duration.ofSeconds(5);

    private final EpisodeOptions options;
    private final PluginCalls calls;
    private final ClassLoader plugins; // one for all, since they may share classes
    private final EnvironmentProvider environment;
    private final PolicyProvider policy;
    private final Rewards rewards;
    private final Toolbox toolbox;
    private final Deque<Opened> opened = new ArrayDeque<>(); // the last one first

    /** Looks for plug-ins, takes what was chosen, and tells it what was set for it. */
    Catalog(EpisodeOptions options, SinkConfig config) {
        options.check();
        this.options = options;
        this.calls = PluginCalls.of(config);
        this.plugins = new Plugins(config).classLoader();
        environment = registry(
                        "environment",
                        EnvironmentProvider.class,
                        List.of(
                                new CalcEnvironmentProvider(options.shaping()),
                                new PythonEnvironmentProvider(options.execution, options.shaping()),
                                new ChatEnvironmentProvider()))
                .get(options.environment);
        policy = registry(
                        "policy",
                        PolicyProvider.class,
                        List.of(
                                new ScriptedPolicyProvider(options.errorRate(), options.latency),
                                new RecordedPolicyProvider(options.latency),
                                new OpenAiPolicyProvider(options.openAi, options.models, config),
                                new RemotePolicyProvider(options.remote, options.openAi, options.models, config)))
                .get(options.policy());
        Registry<RewardProvider> functions = registry("reward", RewardProvider.class, BuiltInReward.all());
        List<RewardProvider> chosen =
                options.rewards.names().stream().map(functions::get).toList();
        checkOwners(chosen);
        try {
            open("environment", environment);
            open("policy", policy);
            Map<String, RewardFunction> byName = new LinkedHashMap<>();
            for (RewardProvider reward : chosen) {
                open("reward", reward);
                calls.run("making reward '" + reward.name() + "'", () -> byName.put(reward.name(), reward.create()));
            }
            rewards = Rewards.of(options.rewards, byName);
            opened.push(new Opened("rewards", rewards));
            toolbox = new Toolbox(connect(options.mcp.addresses(config)));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Finds providers; where that takes too long, those that are found until then. */
    private <P extends Provider> Registry<P> registry(String kind, Class<P> type, List<? extends P> own) {
        Registry<P> registry = new Registry<>(kind);
        Consumer<P> add = provider -> registry.add(provider.name(), provider.getClass(), provider);
        own.forEach(add);
        try {
            calls.run(
                    "finding plug-ins of kind " + kind,
                    () -> registry.forEach(ServiceLoader.load(type, plugins).iterator(), add));
        } catch (SetupException e) {
            registry.isBroken(String.valueOf(e.getMessage()));
        }
        return registry;
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

    private void open(String kind, Provider provider) {
        String what = kind + " '" + provider.name() + "'";
        calls.run("opening " + what, () -> provider.open(options.settingsOf(provider.name())));
        opened.push(new Opened(what, provider));
    }

    /** Connects all servers, in their order; their tools. */
    private List<Tool> connect(List<ToolAddress> servers) {
        Map<String, Tool> tools = new LinkedHashMap<>();
        if (!servers.isEmpty()) {
            ToolSourceProvider mcp = registry("kind of tools", ToolSourceProvider.class, List.of())
                    .get(McpOptions.KIND);
            open("tools", mcp);
            for (ToolAddress server : servers) {
                ToolSource source = mcp.connect(server);
                opened.push(new Opened("tools", source));
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

    Rewards rewards() {
        return rewards;
    }

    Toolbox toolbox() {
        return toolbox;
    }

    /** The job is over, whatever its parts say to that. */
    @Override
    public void close() {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    private record Opened(String what, AutoCloseable part) {
        void close() {
            if (part instanceof ToolSource tools) {
                tools.close(); // bounds itself, and must not be left with its processes
                return;
            }
            try {
                PluginCalls.of(CLOSE_TIME).run("closing " + what, part::close);
            } catch (SetupException e) {
                Logger log = LoggerFactory.getLogger(Catalog.class); // not before the command is parsed: see Logging
                log.warn("{}", e.getMessage());
            }
        }
    }
}
