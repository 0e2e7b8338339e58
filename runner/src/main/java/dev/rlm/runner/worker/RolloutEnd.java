package dev.rlm.runner.worker;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * End of a rollout, as agent-lightning's server is told it.
 *
 * @param reward {@code null} where none was given, or one could not be computed
 */
record RolloutEnd(
        String rollout,
        boolean succeeded,
        String message,
        @Nullable Double reward) {
    /** Returns the end of a rollout that came to nothing, for that reason. */
    static RolloutEnd failed(String rollout, String why) {
        return new RolloutEnd(rollout, false, why, null);
    }

    /** Returns agent-lightning's name for it. */
    String state() {
        return succeeded ? "succeeded" : "failed";
    }

    /** Reader of a run's end from its events. For one thread. */
    static final class Reader {
        private final Set<String> rewarded = new HashSet<>(); // runs that go on

        /** Takes an event, those of a run in order. Returns the end that it tells; {@code null} for none. */
        @Nullable
        RolloutEnd read(RunEvent event) {
            RunInfo run = event.run();
            String rollout = run.correlation().rollout();
            if (event instanceof RewardGiven reward && !reward.isAbsent()) {
                rewarded.add(run.runId());
            } else if (event instanceof RunEnded end && rollout != null) {
                boolean usable = rewarded.remove(run.runId()) && end.hasUsableReward();
                return new RolloutEnd(
                        rollout,
                        end.outcome() == Outcome.COMPLETED,
                        end.status().message().isEmpty()
                                ? end.outcome().label()
                                : end.status().message(),
                        usable && Double.isFinite(end.totalReward()) ? end.totalReward() : null);
            }
            return null;
        }
    }
}
