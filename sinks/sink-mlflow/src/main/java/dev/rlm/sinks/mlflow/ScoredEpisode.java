package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.schema.RunResult;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Score of an episode that has ended, late rewards included, and the sums that it is part of. On the lane only. */
final class ScoredEpisode {
    private final FigureGroup group;
    private final List<FigureSums> sums;
    private final @Nullable Double passReward;
    private RunResult result; // steps, calls and times are in no figure of a job
    private boolean entered;

    /**
     * An episode with its end.
     *
     * @param sums of the job, and of its model and split
     */
    ScoredEpisode(RunEnded end, FigureGroup group, List<FigureSums> sums) {
        this.group = group;
        this.sums = List.copyOf(sums);
        passReward = end.run().passReward();
        Double total = end.hasReward() ? end.totalReward() : null;
        result = new RunResult(end.outcome(), end.isSolved(null), total, end.absentRewards() > 0, 0, 0, null);
    }

    /** Counts it in its sums, if it came to an end of its own. */
    void enter() {
        if (result.counts() && !entered) {
            entered = true;
            sums.forEach(each -> each.add(result));
            countInGroup(1);
        }
    }

    /** Takes it out of its sums. */
    void leave() {
        if (entered) {
            entered = false;
            sums.forEach(each -> each.remove(result));
            countInGroup(-1);
        }
    }

    private void countInGroup(int sign) {
        if (result.isDecided()) {
            group.count(sign, result.isSolved(), sums);
        }
    }

    /** A reward came after the end. */
    void rewarded(RewardGiven reward) {
        boolean again = entered;
        leave();
        Boolean solved = result.solved();
        if (reward.solved() != null) {
            solved = reward.solved();
        } else if (solved == null && !reward.isAbsent()) {
            solved = RunEnded.solvedBy(reward.value(), passReward);
        }
        double total = Objects.requireNonNullElse(result.totalReward(), 0.0);
        result = new RunResult(
                result.outcome(),
                solved,
                total + (Double.isFinite(reward.value()) ? reward.value() : 0),
                result.rewardAbsent() || reward.isAbsent(),
                0,
                0,
                null);
        if (again) {
            enter();
        }
    }
}
