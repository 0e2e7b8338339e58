package dev.rlm.sinks.schema;

import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Name of the rollout that a run is an attempt at. Of the runs with the same one only those with the highest attempt count.
 * Rollout ids may come again in another job, epoch or step, and those are other rollouts.
 */
public record RolloutKey(
        String rollout,
        @Nullable String experiment,
        @Nullable String trainerRun,
        @Nullable String invocation,
        @Nullable Integer epoch,
        @Nullable Long trainStep,
        @Nullable String split,
        @Nullable String sample,
        String environment,
        String model) {

    /** That of the run; empty where the run does not tell its rollout and its attempt: then it counts whatever others do. */
    public static Optional<RolloutKey> of(RunInfo run) {
        Correlation ids = run.correlation();
        return ids.rollout() == null || ids.attempt() == null
                ? Optional.empty()
                : Optional.of(new RolloutKey(
                        ids.rollout(),
                        ids.experiment(),
                        ids.trainerRun(),
                        ids.invocation(),
                        ids.epoch(),
                        ids.trainStep(),
                        ids.split(),
                        ids.sample(),
                        run.environment(),
                        run.model()));
    }

    /** Returns the number of the run's attempt; 1 where it does not tell. */
    public static int attempt(RunInfo run) {
        Integer attempt = run.correlation().attempt();
        return attempt == null ? 1 : attempt;
    }
}
