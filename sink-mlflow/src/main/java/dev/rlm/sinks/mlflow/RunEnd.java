package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;

/**
 * How one of MLflow's runs ended, as far as is known: when its last event came, and the worst of what came of its episodes.
 * Noted on the lane, read on any thread.
 */
final class RunEnd {
    private Status status = Status.FINISHED;
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

    /** One of a job's episodes ended: killed if it was stopped, failed if its process died. */
    synchronized void episode(RunEnded end) {
        worst(
                end.outcome() == Outcome.ABORTED
                        ? Status.KILLED
                        : end.outcome() == Outcome.ABANDONED ? Status.FAILED : Status.FINISHED);
    }

    /** The one episode ended that it is made for: failed too if an error ended it. */
    synchronized void only(RunEnded end) {
        episode(end);
        worst(end.outcome() == Outcome.FAILED ? Status.FAILED : Status.FINISHED);
    }

    private void worst(Status other) {
        status = status.compareTo(other) < 0 ? other : status;
    }

    /** Whether it says more than what MLflow has. */
    synchronized boolean isToBeSent(String standing) {
        return time > 0 && status.compareTo(Status.of(standing)) > 0;
    }

    synchronized String status() {
        return status.name();
    }

    /** In milliseconds since the epoch. */
    synchronized long time() {
        return time;
    }
}
