package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Ids that join a run to the world around it: those of the experiment, the trainer and the data set. Each is absent
 * ({@code null}) unless it was given.
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
 * @param jobSpan the span of the job that the run is part of, as a {@code traceparent}: see {@link dev.rlm.sinks.Sinks#span}
 */
@RecordBuilder
public record Correlation(
        @Recorded(id = true, name = "experiment_id") @Nullable
        String experiment,

        @Recorded(id = true, name = "invocation_id") @Nullable
        String invocation,

        @Recorded(id = true, name = "rollout_id") @Nullable String rollout,

        @Recorded(id = true, name = "trainer_run_id") @Nullable
        String trainerRun,

        @Recorded(id = true, name = "sample_id") @Nullable String sample,
        @Recorded(id = true, name = "row_id") @Nullable String row,
        @Nullable Integer trajectoryIndex,
        @Nullable Integer attempt,
        @Nullable Integer epoch,
        @Nullable Long trainStep,
        @Recorded(id = true) @Nullable String split,
        @Recorded(id = true) @Nullable String policyVersion,
        @Recorded(id = true) @Nullable String codeVersion,
        @Recorded(id = true) @Nullable String datasetVersion,

        @Recorded(id = true, name = "parent_run_id") @Nullable
        String parentRun,

        @Recorded(id = true, since = 2) @Nullable String jobSpan) {
    /** Nothing known. */
    public static final Correlation NONE = builder().build();

    /** Starts a description; each value is described at the component. */
    public static CorrelationBuilder builder() {
        return CorrelationBuilder.builder();
    }

    /** The same with the rollout that it is an attempt at. */
    public Correlation withRollout(String value) {
        return CorrelationBuilder.builder(this).rollout(value).build();
    }

    /** The same with the span of the job that it is part of. */
    public Correlation withJobSpan(String value) {
        return CorrelationBuilder.builder(this).jobSpan(value).build();
    }

    /** The same with the run that started this one. */
    public Correlation withParentRun(String value) {
        return CorrelationBuilder.builder(this).parentRun(value).build();
    }
}
