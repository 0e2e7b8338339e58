package dev.rlm.sinks.core;

import dev.rlm.sinks.HubProvider;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.Sinks;
import java.util.List;

/** Makes the hubs of this module; found by {@link java.util.ServiceLoader}. */
public final class CoreHubProvider implements HubProvider {
    @Override
    public Sinks.Builder builder() {
        return new HubBuilder();
    }

    @Override
    public List<Variable> variables() {
        return List.of(
                new Variable("RLM_OBS_ENABLED", "true", "false turns all sinks off"),
                new Variable(
                        "RLM_HEARTBEAT",
                        "30s",
                        "how often a heartbeat tells an open run's steps and rewards so far; 0 for never"),
                new Variable(
                        "RLM_QUEUE_EVENTS",
                        "65536",
                        "how many events wait for each sink at most, 256 to 4194304; more are dropped and counted"),
                new Variable("RLM_QUEUE_BYTES", "64MiB", "of what size these are at most, from 1MiB on"),
                new Variable(
                        "EP_ROLLOUT_ID",
                        "",
                        "the rollout that the process's runs are attempts at, where they name none"),
                new Variable(
                        "RLM_ARTIFACT_SIZE",
                        "10MB",
                        "size up to which files of runs are kept, at most 64MiB; of larger ones name and size"
                                + " are; 0 keeps only empty ones"),
                new Variable(
                        "RLM_ARTIFACT_BINARY",
                        "false",
                        "whether binary files other than pictures, sound and video are kept too, which are not"
                                + " searched for secrets"),
                new Variable(
                        "RLM_MODEL_PRICES",
                        "",
                        "file with prices of models, by which calls get a cost that tell their tokens and none"),
                new Variable(
                        "RLM_REDACT",
                        "true",
                        "whether secrets are taken out of all text; without, each run has the tag redaction=off"),
                new Variable("RLM_REDACT_EMAIL", "false", "whether e-mail addresses are taken out too"),
                new Variable("RLM_REDACT_PHONE", "false", "whether international telephone numbers are taken out too"),
                new Variable("RLM_REDACT_CARD", "false", "whether numbers of payment cards are taken out too"),
                new Variable("RLM_REDACT_IBAN", "false", "whether numbers of bank accounts are taken out too"),
                new Variable(
                        "RLM_PLUGINS",
                        "",
                        "folder of jars with more sinks, redactors, environments, policies and rewards"));
    }

    @Override
    public List<SinkProvider> providers(SinkConfig config) {
        return List.copyOf(Providers.discover(config).byName().values());
    }
}
