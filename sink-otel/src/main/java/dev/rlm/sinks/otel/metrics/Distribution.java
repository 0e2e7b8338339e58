package dev.rlm.sinks.otel.metrics;

/** A distribution of numbers that may be negative. */
public enum Distribution {
    REWARD("rlm.reward", "Rewards given"),
    RUN_REWARD("rlm.run_reward", "Total rewards of runs at their end"),
    REWARD_COMPONENT("rlm.reward.component", "Components of rewards, before weighting"),
    RUN_METRIC("rlm.run.metric", "Numbers of runs, at their end");

    private final String label;
    private final String description;

    Distribution(String label, String description) {
        this.label = label;
        this.description = description;
    }

    /** Returns the instrument's name. */
    public String label() {
        return label;
    }

    public String description() {
        return description;
    }
}
