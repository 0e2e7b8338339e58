package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import java.util.List;

/** Score of an episode that has ended, late rewards included, and the sums that it is part of. On the lane only. */
final class ScoredEpisode {
    private final FigureGroup group;
    private final List<FigureSums> sums;
    private final boolean counts;
    private final boolean failed;
    private final boolean solved;
    private final boolean unjudged;
    private boolean undecided;
    private boolean usable;
    private double totalReward;
    private boolean entered;

    /**
     * An episode with its end.
     *
     * @param rewards how many it had been given by then
     * @param sums of the job, and of its model and split
     */
    ScoredEpisode(RunEnded end, int rewards, FigureGroup group, List<FigureSums> sums) {
        this.group = group;
        this.sums = List.copyOf(sums);
        counts = end.outcome().isOwnEnd();
        failed = end.outcome() == Outcome.FAILED;
        solved = end.solved();
        unjudged = end.isUndecided(rewards, 1);
        usable = end.hasUsableReward();
        totalReward = end.totalReward();
    }

    /** Counts it in its sums, if it came to an end of its own. */
    void enter() {
        if (counts && !entered) {
            entered = true;
            count(1);
        }
    }

    /** Takes it out of its sums. */
    void leave() {
        if (entered) {
            entered = false;
            count(-1);
        }
    }

    private void count(int sign) {
        sums.forEach(each -> each.count(this, sign));
        if (!undecided) {
            group.count(sign, solved, sums);
        }
    }

    /** A reward came after the end. */
    void rewarded(RewardGiven reward) {
        boolean again = entered;
        leave();
        undecided |= unjudged;
        usable &= !reward.isAbsent();
        totalReward += Double.isFinite(reward.value()) ? reward.value() : 0;
        if (again) {
            enter();
        }
    }

    boolean failed() {
        return failed;
    }

    /** Whether its end said unsolved only because no reward had been given yet. */
    boolean undecided() {
        return undecided;
    }

    boolean solved() {
        return solved;
    }

    /** Whether means may use its total. */
    boolean usable() {
        return usable;
    }

    double totalReward() {
        return totalReward;
    }
}
