package dev.rlm.journal.format;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import java.time.Instant;

/** The names and order of the fields of {@code runs.jsonl}, the record of one ended run a line. */
public final class SummaryWriter {
    private SummaryWriter() {}

    /**
     * Writes the run's line.
     *
     * @param stepsObserved number of ends of steps that have passed by; fewer than the run counts if some were lost
     * @param path place at which the run is recorded
     */
    public static void write(RunEnded end, int stepsObserved, String path, Instant now, JsonLine line) {
        RunInfo run = end.run();
        line.put("timestamp", now)
                .put("run_id", run.runId())
                .put("started_at", run.startedAt())
                .put("finished_at", end.time())
                .put("task", run.task())
                .put("environment", run.environment())
                .put("params", run.params())
                .put("completed", end.outcome() == Outcome.COMPLETED)
                .put("steps", end.steps())
                .put("step_count_observed", stepsObserved)
                .put("total_reward", end.totalReward())
                .put("run_path", path)
                .put("outcome", end.outcome().label())
                .put("solved", end.solved())
                .put("absent_rewards", end.absentRewards())
                .put("rewards", end.rewards())
                .put("termination_reason", end.terminationReason())
                .put("model", run.model())
                .put("agent", run.agent())
                .put("agent_version", run.agentVersion())
                .put("expected_answer", run.expectedAnswer())
                .put("tags", run.tags())
                .put("status", EventWriter.plain(end.status()));
        EventWriter.record(run.correlation(), line);
    }
}
