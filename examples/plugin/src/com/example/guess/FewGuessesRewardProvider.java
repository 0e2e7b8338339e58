package com.example.guess;

import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.RewardProvider;
import dev.rlm.episodes.Trajectory;

/** Rewards few guesses, 1 for the first one being right: {@code --reward few_guesses=0.5}. */
public final class FewGuessesRewardProvider implements RewardProvider {
    @Override
    public String name() {
        return "few_guesses";
    }

    @Override
    public RewardFunction create() {
        return FewGuessesRewardProvider::reward;
    }

    private static double reward(Trajectory trajectory) {
        return trajectory.finalAnswer() == null ? 0 : 1.0 / trajectory.steps().size();
    }
}
