package dev.rlm.runner.exec;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Observation;
import dev.rlm.episodes.PluginSettings;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.Role;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SetupException;
import dev.rlm.episodes.Turn;
import dev.rlm.runner.openai.OpenAiOptions;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Step;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes policies of a program, which is started once a run: to act turn by turn, or to do the whole by itself, where what it asks of models is
 * recorded by a gateway.
 */
public final class ExecPolicyProvider implements PolicyProvider {
    /** Its name. */
    public static final String NAME = "exec";

    private final OpenAiOptions options;
    private final List<String> models;
    private String command = "";
    private boolean whole;

    /**
     * Creates one.
     *
     * @param options where its models are
     * @param models each of which does every sample
     */
    public ExecPolicyProvider(OpenAiOptions options, List<String> models) {
        this.options = options;
        this.models = models.stream().distinct().toList();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void open(Map<String, String> settings) throws SetupException {
        PluginSettings.check(NAME, settings, "command", "whole");
        command = settings.getOrDefault("command", "").strip();
        String all = settings.getOrDefault("whole", "false");
        if (command.isEmpty()) {
            throw new SetupException("--policy exec wants --set exec.command='PROGRAM AND ARGUMENTS'");
        } else if (!Set.of("true", "false").contains(all)) {
            throw new SetupException("--set exec.whole=" + all + " is not valid: expected true or false");
        }
        whole = Boolean.parseBoolean(all);
    }

    @Override
    public List<String> models(Sample sample) {
        return models.isEmpty() ? List.of(NAME) : models;
    }

    @Override
    public Policy create(Role role, Briefing briefing) throws IOException {
        AgentProcess process = AgentProcess.start(command, variables(role, briefing.run()));
        String task = role.sample().task();
        return whole ? new Whole(process, task, briefing) : new ExecPolicy(process, task, role.model(), briefing);
    }

    private Map<String, String> variables(Role role, RunSpec run) {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("RLM_RUN_ID", run.runId());
        variables.put(
                "RLM_ROLLOUT_ID",
                run.correlation().rollout() == null
                        ? run.runId()
                        : run.correlation().rollout());
        variables.put("RLM_SAMPLE_ID", role.sample().id());
        variables.put("RLM_SEED", String.valueOf(role.seed()));
        if (!models.isEmpty()) {
            variables.put("RLM_MODEL", role.model());
        }
        String address = options.baseUrl(run);
        if (address != null) {
            variables.put("OPENAI_BASE_URL", address);
        }
        return variables;
    }

    /** A program that is told the task, and says the answer. */
    private record Whole(AgentProcess process, String task, Briefing briefing) implements Policy {
        @Override
        public Turn act(Observation seen, Step step) throws IOException, InterruptedException {
            String answer = process.whole(task.isEmpty() ? seen.text() : task);
            return Turn.of(briefing.understand().apply(answer));
        }

        @Override
        public void close() {
            process.close();
        }
    }

    @Override
    public Map<String, Object> params() {
        return Map.of("exec_whole", whole);
    }
}
