package dev.rlm.runner.policy;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.Role;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.calc.Problem;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Makes policies that follow a script.
 *
 * @param errorRate how likely each step is a mistake, from 0 to 1
 * @param latency how long each step takes
 */
public record ScriptedPolicyProvider(double errorRate, Duration latency) implements PolicyProvider {
    @Override
    public String name() {
        return ScriptedPolicy.NAME;
    }

    @Override
    public List<String> models(Sample sample) {
        if (!(sample instanceof Problem)) {
            throw new SetupException("--policy scripted knows no solutions here: it is for the problems of calc");
        }
        return List.of(ScriptedPolicy.NAME);
    }

    @Override
    public Policy create(Role role, Briefing briefing) {
        return new ScriptedPolicy(
                (Problem) role.sample(),
                Calculating.of(briefing),
                new SplittableRandom(role.seed()),
                errorRate,
                latency);
    }

    @Override
    public Map<String, Object> params() {
        return Map.of("error_rate", errorRate);
    }
}
