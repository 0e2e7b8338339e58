package dev.rlm.sinks.event;

import org.jspecify.annotations.Nullable;

/**
 * What joins a run to the world around it: ids of the experiment, the trainer and the data set. Each is absent
 * ({@code null}) where nobody gave it.
 *
 * @param experiment the experiment that the run belongs to
 * @param invocation the call of the trainer or evaluator that asked for it
 * @param rollout the logical episode that was asked for; its attempts are runs
 * @param trainerRun the trainer's own job id
 * @param sample the task of the data set; the runs of one sample are a group
 * @param row the data set's row
 * @param trajectoryIndex the run's place in its group, from 0
 * @param attempt which attempt at the rollout this is, from 1
 * @param epoch the trainer's epoch, from 0
 * @param trainStep the trainer's optimisation step, from 0
 * @param split {@code train}, {@code validation} or {@code test}
 * @param policyVersion the version of the weights that act
 * @param codeVersion the version of the agent's code
 * @param datasetVersion the version of the data set
 * @param parentRun the run that started this one
 */
public record Correlation(
        @Nullable String experiment,
        @Nullable String invocation,
        @Nullable String rollout,
        @Nullable String trainerRun,
        @Nullable String sample,
        @Nullable String row,
        @Nullable Integer trajectoryIndex,
        @Nullable Integer attempt,
        @Nullable Integer epoch,
        @Nullable Long trainStep,
        @Nullable String split,
        @Nullable String policyVersion,
        @Nullable String codeVersion,
        @Nullable String datasetVersion,
        @Nullable String parentRun) {
    /** Nothing known. */
    public static final Correlation NONE =
            new Correlation(null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
}
