package dev.rlm.runner.policy;

import dev.rlm.episodes.Briefing;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.PolicyProvider;
import dev.rlm.episodes.Role;
import dev.rlm.episodes.Sample;
import dev.rlm.episodes.SetupException;
import dev.rlm.runner.demo.Problem;
import dev.rlm.runner.taskfolder.TaskFolder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        if (sample instanceof TaskFolder task && solution(task).isEmpty()) {
            throw new SetupException("--policy scripted knows no solution of " + task.folder()
                    + ": expected solution/solve.sh in it; choose --policy openai or exec");
        } else if (!(sample instanceof Problem || sample instanceof TaskFolder)) {
            throw new SetupException(
                    "--policy scripted knows no solutions here: it is for the problems of calc, and for task-folder");
        }
        return List.of(ScriptedPolicy.NAME);
    }

    @Override
    public Policy create(Role role, Briefing briefing) {
        if (role.sample() instanceof TaskFolder task) {
            return new SolutionPolicy(
                    solution(task).orElseThrow(), new SplittableRandom(role.seed()).nextDouble() < errorRate, latency);
        }
        return new ScriptedPolicy(
                (Problem) role.sample(),
                Calculating.of(briefing),
                new SplittableRandom(role.seed()),
                errorRate,
                latency);
    }

    private static Optional<String> solution(TaskFolder task) {
        try {
            return task.solution();
        } catch (IOException e) {
            throw new SetupException("the solution of " + task.folder() + " cannot be read: " + e);
        }
    }

    @Override
    public Map<String, Object> params() {
        return Map.of("error_rate", errorRate);
    }
}
