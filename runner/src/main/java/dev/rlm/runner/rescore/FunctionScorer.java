package dev.rlm.runner.rescore;

import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.RewardNeed;
import dev.rlm.runner.reward.Judgement;
import dev.rlm.runner.reward.RewardSum;
import dev.rlm.sinks.Reward;
import java.util.Collection;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/** The weighted sum of reward functions. */
final class FunctionScorer implements Scorer {
    private final RewardSum sum;
    private final Set<RewardNeed> needs = new HashSet<>();

    /**
     * A sum of functions.
     *
     * @param functions that are in the sum
     */
    FunctionScorer(RewardSum sum, Collection<RewardFunction> functions) {
        this.sum = sum;
        functions.forEach(function -> needs.addAll(function.needs()));
    }

    @Override
    public Set<RewardNeed> needs() {
        return needs;
    }

    @Override
    public Reward score(JudgedRun run) throws ScoreException, InterruptedException {
        Judgement judgement = sum.judge(Objects.requireNonNull(run.trajectory()));
        if (judgement.absence() != null) {
            throw new ScoreException(judgement.absence());
        }
        return judgement.reward();
    }
}
