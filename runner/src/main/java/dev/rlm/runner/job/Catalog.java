package dev.rlm.runner.job;

import dev.rlm.cli.UsageException;
import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.RewardProvider;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.calc.CalcEnvironmentProvider;
import dev.rlm.runner.openai.OpenAiPolicyProvider;
import dev.rlm.runner.policy.RecordedPolicyProvider;
import dev.rlm.runner.policy.ScriptedPolicyProvider;
import dev.rlm.runner.python.PythonEnvironmentProvider;
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
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What episodes can be made of, the program's own and that of plug-ins, and what the options have chosen of it. */
final class Catalog implements AutoCloseable {
    private static final Duration CLOSE_TIME = Duration.ofSeconds(5);

    private final EpisodeOptions options;
    private final Patience patience;
    private final EnvironmentProvider environment;
    private final PolicyProvider policy;
    private final List<RewardProvider> rewardProviders;
    private final Rewards rewards;
    private final Deque<Opened> opened = new ArrayDeque<>(); // the last one first

    /** Looks for plug-ins, takes what was chosen, and tells it what was set for it. */
    Catalog(EpisodeOptions options, SinkConfig config) {
        options.check();
        this.options = options;
        this.patience = Patience.of(config);
        Offer<EnvironmentProvider> environments = new Offer<>(
                "environment",
                EnvironmentProvider::name,
                List.of(
                        new CalcEnvironmentProvider(options.shaping()),
                        new PythonEnvironmentProvider(options.execution, options.shaping())));
        Offer<PolicyProvider> policies = new Offer<>(
                "policy",
                PolicyProvider::name,
                List.of(
                        new ScriptedPolicyProvider(options.errorRate(), options.latency),
                        new RecordedPolicyProvider(options.latency),
                        new OpenAiPolicyProvider(options.openAi, options.models, config)));
        Offer<RewardProvider> functions = new Offer<>("reward", RewardProvider::name, BuiltInReward.all());
        ClassLoader plugins = new Plugins(config).classLoader(); // one for all, since they may share classes
        environments.discover(EnvironmentProvider.class, plugins, patience);
        policies.discover(PolicyProvider.class, plugins, patience);
        functions.discover(RewardProvider.class, plugins, patience);
        environment = environments.get(options.environment);
        policy = policies.get(options.policy);
        rewardProviders = options.rewards.names().stream().map(functions::get).toList();
        checkOwners(options.settings.keySet());
        rewards = new Rewards(options.rewards, openAll());
        opened.push(new Opened("rewards", rewards));
    }

    private void checkOwners(Set<String> settings) {
        Set<String> owners = new TreeSet<>(List.of(environment.name(), policy.name()));
        rewardProviders.forEach(reward -> owners.add(reward.name()));
        for (String setting : settings) {
            String owner = setting.substring(0, Math.max(0, setting.indexOf('.')));
            if (!owners.contains(owner)) {
                throw new UsageException("--set " + setting + " is for nothing that was chosen: expected "
                        + String.join(".KEY=VALUE or ", owners) + ".KEY=VALUE");
            }
        }
    }

    /** Opens what was chosen, or nothing; the reward functions by name. */
    private Map<String, RewardFunction> openAll() {
        try {
            open("environment", environment.name(), environment::open, environment);
            open("policy", policy.name(), policy::open, policy);
            Map<String, RewardFunction> functions = new LinkedHashMap<>();
            for (RewardProvider reward : rewardProviders) {
                String name = reward.name();
                open("reward", name, reward::open, reward);
                functions.put(name, patience.call("making reward '" + name + "'", reward::create));
            }
            return functions;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private void open(String kind, String name, Consumer<Map<String, String>> open, AutoCloseable provider) {
        patience.call("opening " + kind + " '" + name + "'", () -> {
            open.accept(options.settingsOf(name));
            return true;
        });
        opened.push(new Opened(kind + " '" + name + "'", provider));
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

    /** The job is over, whatever its parts say to that. */
    @Override
    public void close() {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    private record Opened(String what, AutoCloseable provider) {
        void close() {
            try {
                Patience.of(CLOSE_TIME).call("closing " + what, () -> {
                    provider.close();
                    return true;
                });
            } catch (SetupException e) {
                Logger log = LoggerFactory.getLogger(Catalog.class); // not before the command is parsed: see Logging
                log.warn("{}", e.getMessage());
            }
        }
    }
}
