package dev.rlm.runner.reward;

import dev.rlm.episodes.RewardFunction;

/**
 * A reward function with its weight.
 *
 * @param name what the user chose it by
 */
record Component(String name, double weight, RewardFunction function) {
    /** Whether it only looks at the trajectory: then nobody needs to watch over it. */
    boolean isInstant() {
        return function instanceof BuiltInReward;
    }
}
