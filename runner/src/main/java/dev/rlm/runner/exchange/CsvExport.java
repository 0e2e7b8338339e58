package dev.rlm.runner.exchange;

import de.siegmar.fastcsv.writer.CsvWriter;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs and their steps as two tables in the form of RFC 4180, in UTF-8. */
final class CsvExport implements RunForm {
    private static final List<String> RUN_HEAD = Stream.of(
                    Stream.of("run_id", "outcome", "solved", "reward", "total_reward", "absent_rewards", "steps"),
                    Stream.of("started_at", "finished_at", "duration_s", "environment", "model"),
                    Stream.of("sample_id", "trial", "rollout_id", "attempt"),
                    ids(),
                    Stream.of("seed", "max_steps", "status_code", "status_message", "termination_reason", "truncated"),
                    CallTotals.HEAD.stream(),
                    Stream.of("task", "final_answer", "error_type", "error", "params", "tags", "metrics"))
            .flatMap(names -> names)
            .toList();
    private static final List<String> STEP_HEAD = Stream.of(
                    Stream.of("run_id", "sample_id", "step", "parent_step", "started_at", "ended_at", "duration_s"),
                    Stream.of("action_type", "code", "observation", "output", "success", "error", "error_type"),
                    Stream.of("reward", "cumulative_reward"),
                    CallTotals.HEAD.stream(),
                    Stream.of("state_before", "state_after", "tags"))
            .flatMap(names -> names)
            .toList();

    private final CsvWriter runs;
    private final CsvWriter steps;
    private final Exported exported;
    private final boolean forSpreadsheets;

    /**
     * Writes the heads of the tables.
     *
     * @param forSpreadsheets see {@link Row}
     */
    CsvExport(OutputStream runs, OutputStream steps, Exported exported, boolean forSpreadsheets) throws IOException {
        this.runs = CsvWriter.builder().build(runs, StandardCharsets.UTF_8);
        this.steps = CsvWriter.builder().build(steps, StandardCharsets.UTF_8);
        this.exported = exported;
        this.forSpreadsheets = forSpreadsheets;
        write(this.runs, RUN_HEAD);
        write(this.steps, STEP_HEAD);
    }

    private static Stream<String> ids() {
        List<String> names = new ArrayList<>();
        RunFields.others(Correlation.NONE, (name, value) -> names.add(name));
        return names.stream();
    }

    @Override
    public void write(RunSummary run, List<RunEvent> events) throws IOException {
        Map<Integer, List<RunEvent>> bySteps = new HashMap<>();
        events.forEach(event ->
                bySteps.computeIfAbsent(event.step(), step -> new ArrayList<>()).add(event));
        write(runs, runRow(run, events).cells());
        int written = 0;
        for (RunEvent event : events) {
            if (event instanceof StepEnded end) {
                write(
                        steps,
                        stepRow(end, bySteps.getOrDefault(end.step(), List.of()))
                                .cells());
                written++;
            }
        }
        exported.run(1 + written);
    }

    private Row runRow(RunSummary summary, List<RunEvent> events) {
        RunInfo run = summary.run();
        RunEnded end = summary.end();
        Row row = new Row(forSpreadsheets)
                .add(run.runId())
                .add(summary.state().label())
                .add(summary.isSolved())
                .add(Exported.reward(summary))
                .add(summary.totalReward())
                .add(end == null ? null : end.absentRewards())
                .add(summary.steps())
                .add(run.startedAt())
                .add(end == null ? null : end.time())
                .add(summary.duration())
                .add(run.environment())
                .add(run.model())
                .add(run.correlation().sample())
                .add(run.correlation().trajectoryIndex())
                .add(run.correlation().rollout())
                .add(run.correlation().attempt());
        RunFields.others(run.correlation(), (name, value) -> row.add(value == null ? null : value.toString()));
        row.add(run.seed()).add(run.maxSteps() == 0 ? null : run.maxSteps());
        row.add(end == null ? null : end.status().code())
                .add(end == null ? null : end.status().message())
                .add(end == null ? null : end.terminationReason())
                .add(end == null ? null : end.truncated());
        CallTotals.of(events).writeTo(row);
        return row.add(run.task())
                .add(end == null ? null : end.finalAnswer())
                .add(end == null ? null : end.errorType())
                .add(end == null ? null : end.error())
                .add(run.params())
                .add(run.tags())
                .add(end == null ? Map.of() : end.metrics());
    }

    private Row stepRow(StepEnded end, List<RunEvent> events) {
        int parent = end.started().parentStep();
        Row row = new Row(forSpreadsheets)
                .add(end.run().runId())
                .add(end.run().correlation().sample())
                .add(end.step())
                .add(parent == RunEvent.NO_STEP ? null : parent)
                .add(end.started().time())
                .add(end.time())
                .add(end.duration())
                .add(end.actionType())
                .add(end.code())
                .add(end.started().observation())
                .add(end.output())
                .add(end.success())
                .add(end.error())
                .add(end.errorType())
                .add(end.reward())
                .add(end.cumulativeReward());
        CallTotals.of(events).writeTo(row);
        return row.add(end.stateBefore()).add(end.stateAfter()).add(end.tags());
    }

    private static void write(CsvWriter table, List<String> cells) throws IOException {
        try {
            table.writeRecord(cells);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public void close() throws IOException {
        runs.flush();
        steps.flush();
    }
}
