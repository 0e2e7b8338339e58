package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.schema.RolloutKey;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * End of one of MLflow's runs, as far as it is known: the time of its last event, and the worst end among its episodes.
 * Noted on the lane, read on any thread.
 */
final class RunEnd {
    private final Map<RolloutKey, Status> unfinished = new HashMap<>(); // rollouts by their last attempt
    private Status others = Status.FINISHED; // of episodes that do not tell their attempt
    private long time;

    /** MLflow's words, the worst last. */
    private enum Status {
        RUNNING,
        SCHEDULED,
        FINISHED,
        KILLED,
        FAILED;

        static Status of(String name) {
            for (Status status : values()) {
                if (status.name().equals(name)) {
                    return status;
                }
            }
            return RUNNING;
        }
    }

    /** Something happened. */
    synchronized void note(Event event) {
        time = Math.max(time, event.time().toEpochMilli());
    }

    /** One of a job's episodes ended: killed if it was stopped, failed if its process died. A later attempt replaces it. */
    synchronized void episode(RunEnded end) {
        Status came = end.outcome() == Outcome.ABORTED
                ? Status.KILLED
                : end.outcome() == Outcome.ABANDONED ? Status.FAILED : Status.FINISHED;
        Optional<RolloutKey> rollout = RolloutKey.of(end.run());
        if (rollout.isEmpty()) {
            others = worse(others, came);
        } else if (came == Status.FINISHED) {
            unfinished.remove(rollout.get());
        } else {
            unfinished.put(rollout.get(), came);
        }
    }

    /** The one episode ended that it is made for: failed too if an error ended it. */
    synchronized void only(RunEnded end) {
        episode(end);
        others = worse(others, end.outcome() == Outcome.FAILED ? Status.FAILED : Status.FINISHED);
    }

    private static Status worse(Status one, Status other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    private Status worst() {
        return unfinished.values().stream().reduce(others, RunEnd::worse);
    }

    /** Returns whether the status is worse than the given one, which MLflow has; not before the first event. */
    synchronized boolean isToBeSent(String standing) {
        return time > 0 && worst().compareTo(Status.of(standing)) > 0;
    }

    synchronized String status() {
        return worst().name();
    }

    /** Returns the time of the last event, in milliseconds since the epoch; 0 before the first. */
    synchronized long time() {
        return time;
    }
}
