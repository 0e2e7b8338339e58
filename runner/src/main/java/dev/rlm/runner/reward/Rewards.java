package dev.rlm.runner.reward;

import dev.rlm.episodes.RewardFunction;
import dev.rlm.runner.plugin.BoundedCalls;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rewards of a job's runs and steps, besides those of the environment. Safe for use by several threads.
 *
 * @param ofRuns rewards runs, in the place of what the environment gives for the final answer
 * @param ofSteps rewards steps, besides what the environment gives for them
 * @param calls of both
 */
public record Rewards(RewardSum ofRuns, RewardSum ofSteps, BoundedCalls calls) implements AutoCloseable {
    /** Leaves all rewards to the environment. */
    public static final Rewards NONE = of(new RewardOptions(), Map.of());

    /**
     * Returns what the options ask for.
     *
     * @param functions all that they name
     */
    public static Rewards of(RewardOptions options, Map<String, RewardFunction> functions) {
        BoundedCalls calls = new BoundedCalls("rlm-reward", options.timeout());
        return new Rewards(sum(options.ofRuns(), functions, calls), sum(options.ofSteps(), functions, calls), calls);
    }

    /**
     * Returns a sum of functions.
     *
     * @param functions all that have weights
     * @param calls of those that take time
     */
    public static RewardSum sum(
            Map<String, Double> weights, Map<String, RewardFunction> functions, BoundedCalls calls) {
        List<RewardSum.Component> components = weights.entrySet().stream()
                .map(one -> new RewardSum.Component(
                        one.getKey(), one.getValue(), Objects.requireNonNull(functions.get(one.getKey()))))
                .toList();
        return new RewardSum(components, calls);
    }

    /** Returns the parameters that the job's runs have of their rewards. */
    public Map<String, Object> params() {
        Map<String, Object> params = new LinkedHashMap<>();
        if (!ofRuns.isEmpty()) {
            params.put("reward", ofRuns.toString());
        }
        if (!ofSteps.isEmpty()) {
            params.put("step_reward", ofSteps.toString());
        }
        return params;
    }

    /** Logs at the end of the job how many computations were given up and still go on. */
    @Override
    public void close() {
        int left = calls.left();
        if (left > 0) {
            Logger log = LoggerFactory.getLogger(Rewards.class);
            log.warn("{} computations of rewards took too long and did not stop when they were told to", left);
        }
    }
}
