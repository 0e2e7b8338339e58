/**
 * Parts of an episode: a {@link dev.rlm.episodes.Policy} acts, an {@link dev.rlm.episodes.Environment} and
 * {@linkplain dev.rlm.episodes.Tool tools} answer, {@linkplain dev.rlm.episodes.RewardFunction reward functions} judge.
 * Providers, found by {@link java.util.ServiceLoader}, bring further ones to the runner.
 */
@NullMarked
package dev.rlm.episodes;

import org.jspecify.annotations.NullMarked;
