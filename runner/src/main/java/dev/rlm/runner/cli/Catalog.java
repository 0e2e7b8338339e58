package dev.rlm.runner.cli;

import dev.rlm.episodes.EnvironmentProvider;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.runner.calc.CalcEnvironmentProvider;
import dev.rlm.runner.openai.OpenAiPolicyProvider;
import dev.rlm.runner.policy.RecordedPolicyProvider;
import dev.rlm.runner.policy.ScriptedPolicyProvider;
import dev.rlm.sinks.SinkConfig;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What episodes can be made of, the program's own and that of plug-ins, and what the options have chosen of it. */
final class Catalog implements AutoCloseable {
    private final EnvironmentProvider environment;
    private final PolicyProvider policy;

    /** Looks for plug-ins, takes what was chosen, and tells it what was set for it. */
    Catalog(EpisodeOptions options, SinkConfig config) {
        options.check();
        Offer<EnvironmentProvider> environments = new Offer<>(
                "environment", EnvironmentProvider::name, List.of(new CalcEnvironmentProvider(options.shaping())));
        Offer<PolicyProvider> policies = new Offer<>(
                "policy",
                PolicyProvider::name,
                List.of(
                        new ScriptedPolicyProvider(options.errorRate(), options.latency),
                        new RecordedPolicyProvider(options.latency),
                        new OpenAiPolicyProvider(options.openAi, options.models, config)));
        environments.discover(EnvironmentProvider.class, config);
        policies.discover(PolicyProvider.class, config);
        environment = environments.get(options.environment);
        policy = policies.get(options.policy);
        checkOwners(options.settings.keySet());
        environment.open(options.settingsOf(environment.name()));
        policy.open(options.settingsOf(policy.name()));
    }

    private void checkOwners(Set<String> settings) {
        Set<String> owners = new TreeSet<>(List.of(environment.name(), policy.name()));
        for (String setting : settings) {
            String owner = setting.substring(0, Math.max(0, setting.indexOf('.')));
            if (!owners.contains(owner)) {
                throw new UsageException("--set " + setting + " is for nothing that was chosen: expected "
                        + String.join(".KEY=VALUE or ", owners) + ".KEY=VALUE");
            }
        }
    }

    EnvironmentProvider environment() {
        return environment;
    }

    PolicyProvider policy() {
        return policy;
    }

    @Override
    public void close() {
        policy.close();
        environment.close();
    }
}
