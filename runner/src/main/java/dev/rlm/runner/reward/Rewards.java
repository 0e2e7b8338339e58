package dev.rlm.runner.reward;

import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.Sample;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the runs of a job are rewarded by, and their steps. Safe for use by several threads. */
public final class Rewards implements AutoCloseable {
    private final RewardThreads threads;
    private final RewardSum ofRuns;
    private final RewardSum ofSteps;

    /**
     * What the options ask for.
     *
     * @param functions all that they name
     */
    public Rewards(RewardOptions options, Map<String, RewardFunction> functions) {
        this.threads = new RewardThreads(options.timeout());
        this.ofRuns = sum(options.ofRuns(), functions);
        this.ofSteps = sum(options.ofSteps(), functions);
    }

    private RewardSum sum(Map<String, Double> weights, Map<String, RewardFunction> functions) {
        List<Component> components = weights.entrySet().stream()
                .map(one -> new Component(
                        one.getKey(), one.getValue(), Objects.requireNonNull(functions.get(one.getKey()))))
                .toList();
        return new RewardSum(components, threads);
    }

    /** Who rewards the runs of that sample. */
    public Judge judge(Sample sample) {
        return new Judge(ofRuns, ofSteps, sample);
    }

    /** What is to be known of every run of the job, for its parameters. */
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

    /** The job is over: says how many computations were given up and go on all the same. */
    @Override
    public void close() {
        int left = threads.left();
        if (left > 0) {
            Logger log = LoggerFactory.getLogger(Rewards.class);
            log.warn("{} computations of rewards took too long and did not stop when they were told to", left);
        }
    }
}
