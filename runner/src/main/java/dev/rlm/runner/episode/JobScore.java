package dev.rlm.runner.episode;

import dev.rlm.engine.EpisodeResult;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.schema.RunFigures;
import java.util.ArrayList;
import java.util.List;

/** Counts while a job goes on; once for each run and never for a step. Safe for use by several threads. */
final class JobScore {
    private static final int KEPT = 5;

    private final RunFigures figures = new RunFigures(); // of rollouts that are over
    private final boolean sizeIsKnown;
    private final int maxFailures;
    private final List<EpisodeResult> firstFailures = new ArrayList<>();
    private int size;
    private int failures; // for good, and since the job's start
    private int running;

    /**
     * Makes the counts of a job that starts.
     *
     * @param size how many rollouts there are; 0 where they become known one by one
     * @param maxFailures 0 for no limit
     */
    JobScore(int size, int maxFailures) {
        this.sizeIsKnown = size > 0;
        this.size = size;
        this.maxFailures = maxFailures;
    }

    /** Notes that a rollout was asked for. */
    synchronized void asked() {
        size += sizeIsKnown ? 0 : 1;
    }

    synchronized void started() {
        running++;
    }

    synchronized void cameBack() {
        running--;
    }

    /** A rollout is over. */
    synchronized void over(EpisodeResult result) {
        figures.add(result.counted());
    }

    /** A rollout has failed for good; whether it is the one that strikes the limit, which only one ever is. */
    synchronized boolean failed(EpisodeResult result) {
        failures++;
        if (firstFailures.size() < KEPT) {
            firstFailures.add(result);
        }
        return failures == maxFailures;
    }

    /** The first of the failures, where there are as many as the limit allows no more; else none. */
    synchronized List<EpisodeResult> fatal() {
        return maxFailures > 0 && failures >= maxFailures ? List.copyOf(firstFailures) : List.of();
    }

    synchronized JobCounts counts() {
        return new JobCounts(
                size,
                (int) figures.runs(),
                running,
                (int) figures.ended(Outcome.FAILED),
                (int) figures.decided(),
                (int) figures.solved(),
                figures.meanReward());
    }
}
