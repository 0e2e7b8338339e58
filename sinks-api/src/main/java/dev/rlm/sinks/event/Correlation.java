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
    public static final Correlation NONE = builder().build();

    /** Collects what is known. */
    public static Builder builder() {
        return new Builder();
    }

    /** The same with the rollout that it is an attempt at. */
    public Correlation withRollout(String value) {
        return new Builder(this).rollout(value).build();
    }

    /** The same with the run that started this one. */
    public Correlation withParentRun(String value) {
        return new Builder(this).parentRun(value).build();
    }

    /** Collects what is known; each value is described at the {@linkplain Correlation record's component}. */
    public static final class Builder {
        private @Nullable String experiment;
        private @Nullable String invocation;
        private @Nullable String rollout;
        private @Nullable String trainerRun;
        private @Nullable String sample;
        private @Nullable String row;
        private @Nullable Integer trajectoryIndex;
        private @Nullable Integer attempt;
        private @Nullable Integer epoch;
        private @Nullable Long trainStep;
        private @Nullable String split;
        private @Nullable String policyVersion;
        private @Nullable String codeVersion;
        private @Nullable String datasetVersion;
        private @Nullable String parentRun;

        private Builder() {}

        private Builder(Correlation known) {
            experiment = known.experiment;
            invocation = known.invocation;
            rollout = known.rollout;
            trainerRun = known.trainerRun;
            sample = known.sample;
            row = known.row;
            trajectoryIndex = known.trajectoryIndex;
            attempt = known.attempt;
            epoch = known.epoch;
            trainStep = known.trainStep;
            split = known.split;
            policyVersion = known.policyVersion;
            codeVersion = known.codeVersion;
            datasetVersion = known.datasetVersion;
            parentRun = known.parentRun;
        }

        public Builder experiment(String value) {
            experiment = value;
            return this;
        }

        public Builder invocation(String value) {
            invocation = value;
            return this;
        }

        public Builder rollout(String value) {
            rollout = value;
            return this;
        }

        public Builder trainerRun(String value) {
            trainerRun = value;
            return this;
        }

        public Builder sample(String value) {
            sample = value;
            return this;
        }

        public Builder row(String value) {
            row = value;
            return this;
        }

        public Builder trajectoryIndex(int value) {
            trajectoryIndex = value;
            return this;
        }

        public Builder attempt(int value) {
            attempt = value;
            return this;
        }

        public Builder epoch(int value) {
            epoch = value;
            return this;
        }

        public Builder trainStep(long value) {
            trainStep = value;
            return this;
        }

        public Builder split(String value) {
            split = value;
            return this;
        }

        public Builder policyVersion(String value) {
            policyVersion = value;
            return this;
        }

        public Builder codeVersion(String value) {
            codeVersion = value;
            return this;
        }

        public Builder datasetVersion(String value) {
            datasetVersion = value;
            return this;
        }

        public Builder parentRun(String value) {
            parentRun = value;
            return this;
        }

        public Correlation build() {
            return new Correlation(
                    experiment,
                    invocation,
                    rollout,
                    trainerRun,
                    sample,
                    row,
                    trajectoryIndex,
                    attempt,
                    epoch,
                    trainStep,
                    split,
                    policyVersion,
                    codeVersion,
                    datasetVersion,
                    parentRun);
        }
    }
}
