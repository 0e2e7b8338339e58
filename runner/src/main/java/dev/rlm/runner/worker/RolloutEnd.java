package dev.rlm.runner.worker;

import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
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

    /** Returns the end that an event tells; {@code null} if it tells none. */
    static @Nullable RolloutEnd of(Event event) {
        if (!(event instanceof RunEnded end) || end.run().correlation().rollout() == null) {
            return null;
        }
        return new RolloutEnd(
                end.run().correlation().rollout(),
                end.outcome() == Outcome.COMPLETED,
                end.status().message().isEmpty()
                        ? end.outcome().label()
                        : end.status().message(),
                end.hasUsableReward() && Double.isFinite(end.totalReward()) ? end.totalReward() : null);
    }
}
