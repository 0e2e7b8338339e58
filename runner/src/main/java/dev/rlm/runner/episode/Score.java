package dev.rlm.runner.episode;

import dev.rlm.sinks.event.Outcome;

/** Counts while a job goes on; once for each run and never for a step. Safe for use by several threads. */
final class Score {
    private final int size;
    private int ended;
    private int running;
    private int failed;
    private int solved;
    private int usable;
    private double reward;

    Score(int size) {
        this.size = size;
    }

    synchronized void started() {
        running++;
    }

    synchronized void cameBack() {
        running--;
    }

    /** A rollout is over. */
    synchronized void over(EpisodeResult result) {
        ended++;
        failed += result.outcome() == Outcome.FAILED ? 1 : 0;
        solved += result.solved() ? 1 : 0;
        if (result.hasUsableReward()) {
            usable++;
            reward += result.totalReward();
        }
    }

    synchronized JobCounts counts() {
        return new JobCounts(size, ended, running, failed, solved, usable == 0 ? Double.NaN : reward / usable);
    }
}
