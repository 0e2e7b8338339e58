package dev.rlm.runs.exchange.tables;

import dev.rlm.journal.RunState;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.schema.RunResult;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A run as figures count it, read from its row in {@link ExportedTable#RUNS}.
 *
 * @param run ids, environment and model; the time of its start and its texts are not known
 * @param failure the class of the error that it failed by, else why it ended; {@code null} where it has not failed
 */
public record ExportedRun(
        RunInfo run, RunResult result, @Nullable String failure) {
    /** The columns that are read. */
    public static final List<String> COLUMNS = List.of(
            RunFields.RUN_ID,
            "environment",
            "model",
            "experiment_id",
            "invocation_id",
            RunFields.ROLLOUT,
            "trainer_run_id",
            RunFields.SAMPLE,
            RunFields.TRIAL,
            RunFields.ATTEMPT,
            "epoch",
            "train_step",
            "split",
            "policy_version",
            "outcome",
            "solved",
            "total_reward",
            "absent_rewards",
            "steps",
            "tool_calls",
            "duration_s",
            "error_type",
            "termination_reason");

    private static final double NANOS_A_SECOND = 1e9;

    /**
     * Reads a run.
     *
     * @param row gives the cells by the names of their columns
     */
    public static ExportedRun of(Function<String, @Nullable Object> row) {
        Correlation ids = Correlation.builder()
                .experiment(text(row, "experiment_id"))
                .invocation(text(row, "invocation_id"))
                .rollout(text(row, RunFields.ROLLOUT))
                .trainerRun(text(row, "trainer_run_id"))
                .sample(text(row, RunFields.SAMPLE))
                .trajectoryIndex(count(row, RunFields.TRIAL))
                .attempt(count(row, RunFields.ATTEMPT))
                .epoch(count(row, "epoch"))
                .trainStep((Long) row.apply("train_step"))
                .split(text(row, "split"))
                .policyVersion(text(row, "policy_version"))
                .build();
        RunInfo run = RunInfoBuilder.builder()
                .runId(Objects.requireNonNullElse(text(row, RunFields.RUN_ID), ""))
                .startedAt(Instant.EPOCH)
                .task(Content.EMPTY)
                .environment(Objects.requireNonNullElse(text(row, "environment"), ""))
                .model(Objects.requireNonNullElse(text(row, "model"), ""))
                .correlation(ids)
                .build();
        Outcome outcome = outcome(text(row, "outcome"));
        String error = text(row, "error_type");
        return new ExportedRun(
                run,
                result(outcome, row),
                outcome != Outcome.FAILED ? null : error == null ? text(row, "termination_reason") : error);
    }

    private static RunResult result(@Nullable Outcome outcome, Function<String, @Nullable Object> row) {
        Double seconds = (Double) row.apply("duration_s");
        return new RunResult(
                outcome,
                (Boolean) row.apply("solved"),
                (Double) row.apply("total_reward"),
                orZero(count(row, "absent_rewards")) > 0,
                orZero(count(row, "steps")),
                orZero(count(row, "tool_calls")),
                seconds == null ? null : Duration.ofNanos(Math.round(seconds * NANOS_A_SECOND)));
    }

    private static @Nullable Outcome outcome(@Nullable String label) {
        return label == null || label.equals(RunState.RUNNING.label())
                ? null
                : Outcome.valueOf(label.toUpperCase(Locale.ROOT));
    }

    private static @Nullable String text(Function<String, @Nullable Object> row, String column) {
        return (String) row.apply(column);
    }

    private static @Nullable Integer count(Function<String, @Nullable Object> row, String column) {
        Long value = (Long) row.apply(column);
        return value == null ? null : (Integer) Math.toIntExact(value);
    }

    private static int orZero(@Nullable Integer value) {
        return value == null ? 0 : value;
    }
}
