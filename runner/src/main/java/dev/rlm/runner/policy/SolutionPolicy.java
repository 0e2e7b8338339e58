package dev.rlm.runner.policy;

import dev.rlm.episodes.Observation;
import dev.rlm.episodes.Policy;
import dev.rlm.episodes.Turn;
import dev.rlm.runner.taskfolder.TaskEnvironment;
import dev.rlm.sinks.Step;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A policy that runs a task's own solution and submits, or, as its mistake, submits at once. */
final class SolutionPolicy implements Policy {
    private final String solution;
    private final Duration latency; // of each step
    private boolean done;

    SolutionPolicy(String solution, boolean mistaken, Duration latency) {
        this.solution = solution;
        this.done = mistaken;
        this.latency = latency;
    }

    @Override
    public Turn act(Observation seen, Step step) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(latency.toNanos());
        Turn turn = done ? Turn.of(TaskEnvironment.SUBMIT, "done") : Turn.of(TaskEnvironment.BASH, solution);
        done = true;
        return turn;
    }
}
