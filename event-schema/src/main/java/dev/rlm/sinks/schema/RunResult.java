package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.statistics.Group;
import dev.rlm.sinks.schema.statistics.Groups;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A run as figures count it: in the summary of a job, in reports and in MLflow.
 *
 * @param outcome {@code null} while the run goes on
 * @param undecided whether it is open if the run is solved, because its first reward came after its end
 * @param totalReward the sum of its finite rewards
 * @param rewardAbsent whether one of its rewards could not be computed
 * @param duration {@code null} where it is not known
 */
public record RunResult(
        @Nullable Outcome outcome,
        boolean solved,
        boolean undecided,
        double totalReward,
        boolean rewardAbsent,
        int steps,
        int toolCalls,
        @Nullable Duration duration) {
    /** Returns whether rates, means and percentiles are over it: it came to an end of its own. */
    public boolean counts() {
        return outcome != null && outcome.isOwnEnd();
    }

    /** Returns whether rates are over it. */
    public boolean isDecided() {
        return counts() && !undecided;
    }

    /** Returns whether means may use its total reward. */
    public boolean hasUsableReward() {
        return counts() && !rewardAbsent;
    }

    /** Adds it to the group of that name, if it counts. */
    public <K> void addTo(Groups<K> groups, K name) {
        if (counts()) {
            Group group = groups.get(name);
            if (isDecided()) {
                group.add(solved);
            }
            if (hasUsableReward()) {
                group.add(totalReward);
            }
        }
    }
}
