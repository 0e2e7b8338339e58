package dev.rlm.episodes;

/** Brings a reward function, for {@code --reward NAME=WEIGHT}. */
public interface RewardProvider extends Provider {
    /** The function for a job; asked for once. */
    RewardFunction create();
}
