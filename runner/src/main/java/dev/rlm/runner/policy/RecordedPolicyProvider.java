package dev.rlm.runner.policy;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.Role;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.demo.Problem;
import dev.rlm.runner.demo.Solution;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * Makes policies that say again what models once said.
 *
 * @param latency how long each step takes
 */
public record RecordedPolicyProvider(Duration latency) implements PolicyProvider {
    @Override
    public String name() {
        return RecordedPolicy.NAME;
    }

    @Override
    public List<String> models(Sample sample) {
        if (sample instanceof Problem problem) {
            return List.copyOf(problem.recorded().keySet());
        }
        throw new SetupException("--policy recorded knows no solutions here: it is for the problems of calc");
    }

    @Override
    public Policy create(Role role, Briefing briefing) {
        Solution said = ((Problem) role.sample()).recorded().get(role.model());
        return new RecordedPolicy(role.model(), Objects.requireNonNull(said), Calculating.of(briefing), latency);
    }
}
