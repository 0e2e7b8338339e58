package dev.rlm.episodes;

/**
 * Assignment of a model to a sample, for one run.
 *
 * @param model one of {@link PolicyProvider#models}
 * @param rollout the run's place among those of its sample, from 0
 * @param seed of this run's random choices: the same in each job with the same {@code --seed}, and another for each rollout
 */
public record Role(Sample sample, String model, int rollout, long seed) {}
