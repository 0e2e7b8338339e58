package dev.rlm.runner.episode;

/**
 * Progress of a job.
 *
 * @param size how many rollouts there are, or were asked for so far
 * @param ended how many of them are over, those included that were before the job
 * @param running how many runs go on
 * @param failed how many of the ended have failed
 * @param decided of how many of the ended it is known whether they are solved
 * @param solved how many of those are
 * @param meanReward over the ended with a usable reward; NaN where there is none
 */
public record JobCounts(int size, int ended, int running, int failed, int decided, int solved, double meanReward) {}
