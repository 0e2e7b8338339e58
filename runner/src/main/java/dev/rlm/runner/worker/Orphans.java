package dev.rlm.runner.worker;

import dev.rlm.runner.job.JobJournal;
import dev.rlm.runner.job.JobLock;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/**
 * Rollouts that a worker of the same journal had claimed when it died. The server would have them run for ever: they have no lease.
 * Workers of a journal know each other's attempts by the journal's id, and whether one lives by its lock.
 *
 * @param prefix of the ids of all attempts by workers of the journal
 */
record Orphans(JobJournal journal, String prefix) {
    private static final int LISTED = 100_000;

    /**
     * Returns those of a journal.
     *
     * @throws IOException if the journal's id cannot be read or written
     */
    static Orphans of(JobJournal journal) throws IOException {
        return new Orphans(journal, "rlm-" + journal.id() + "-");
    }

    /** Returns the attempt id of a worker. */
    String attempt(String invocation) {
        return prefix + invocation;
    }

    /**
     * Tells the server the ends of those rollouts: what the journal says of runs that had ended, and of the others that they have
     * failed.
     *
     * @param said is given a line for each
     * @throws IOException if the server does not answer
     */
    void end(AgentLightning server, Consumer<String> said) throws IOException {
        for (JsonNode running : server.rollouts(AgentLightning.RUNNING, LISTED)) {
            String attempt = running.path("status").path("last_attempt_id").stringValue("");
            if (!attempt.startsWith(prefix) || attempt.equals(server.attempt())) {
                continue;
            }
            Optional<JobLock> lock = journal.take(attempt.substring(prefix.length()));
            if (lock.isPresent()) { // its process has ended
                try (JobLock ignored = lock.get()) {
                    RolloutEnd end = end(running.path("rollout_id").stringValue(""), attempt);
                    Optional<Failure> failure = server.tell(end, attempt, true).join();
                    said.accept("rollout " + end.rollout() + ", which an earlier process had claimed: "
                            + failure.map(why -> "not told, " + why.detail()).orElse(end.state()));
                }
            }
        }
    }

    private RolloutEnd end(String rollout, String attempt) {
        RolloutEnd last = RolloutEnd.failed(rollout, "the worker's process died");
        for (RunEvent event :
                journal.events(run -> rollout.equals(run.correlation().rollout())
                        && attempt.equals(run.params().get(WorkerCommand.ATTEMPT)))) {
            RolloutEnd told = RolloutEnd.of(event);
            last = told == null ? last : told;
        }
        return last;
    }
}
