package dev.rlm.benchmarks.soak;

import dev.rlm.benchmarks.Agent;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import java.util.ArrayDeque;
import java.util.Deque;

/** Runs that stay open for several rounds; in each a step of every one of them is done, and the oldest gives way. */
final class LongRuns implements AutoCloseable {
    private static final int OPEN = 3;

    private final Sinks hub;
    private final Deque<Run> open = new ArrayDeque<>();
    private long started;

    LongRuns(Sinks hub) {
        this.hub = hub;
    }

    void nextRound() {
        if (open.size() == OPEN) {
            open.removeFirst().complete("at last");
        }
        open.addLast(hub.startRun(
                RunSpec.builder(Agent.ENVIRONMENT).tag("kind", "long").build()));
        started++;
        Agent agent = new Agent(started, 1, () -> {});
        open.forEach(agent::step);
    }

    /** Returns the number of runs that were begun. */
    long started() {
        return started;
    }

    @Override
    public void close() {
        open.forEach(run -> run.complete("at last"));
    }
}
