package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.statistics.Groups;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A run as figures count it: in the summary of a job, in reports and in MLflow.
 *
 * @param outcome {@code null} while the run goes on
 * @param solved {@code null} where that is open, as where no reward was given
 * @param totalReward the sum of its finite rewards; {@code null} where none was given
 * @param rewardAbsent whether one of its rewards could not be computed
 * @param duration {@code null} where it is not known
 */
public record RunResult(
        @Nullable Outcome outcome,
        @Nullable Boolean solved,
        @Nullable Double totalReward,
        boolean rewardAbsent,
        int steps,
        int toolCalls,
        @Nullable Duration duration) {
    /** Returns whether rates, means and percentiles can be over it: it came to an end of its own. */
    public boolean counts() {
        return outcome != null && outcome.isOwnEnd();
    }

    /** Returns whether rates are over it: a run that failed and was given no reward has not solved its task. */
    public boolean isDecided() {
        return counts() && (solved != null || outcome == Outcome.FAILED);
    }

    /** Returns whether it is solved, as far as that is known. */
    public boolean isSolved() {
        return Boolean.TRUE.equals(solved);
    }

    /** Returns the total reward that means are over; {@code null} where they are not over the run. */
    public @Nullable Double usableReward() {
        return counts() && !rewardAbsent ? totalReward : null;
    }

    /** Adds to the group of that name what counts of it. */
    public <K> void addTo(Groups<K> groups, K name) {
        Double reward = usableReward();
        if (isDecided()) {
            groups.get(name).add(isSolved());
        }
        if (reward != null) {
            groups.get(name).add(reward.doubleValue());
        }
    }
}
