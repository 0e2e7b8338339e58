package dev.rlm.journal.exchange;

import de.siegmar.fastcsv.writer.CsvWriter;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.jsonl.RunSummary;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.EventSchema;
import dev.rlm.sinks.schema.RecordSchema;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs and their steps as two tables in the form of RFC 4180, in UTF-8. */
final class CsvExport implements RunForm {
    private static final List<String> RUN_HEAD = head(
            List.of(
                    Stream.of("run_id", "outcome", "solved", "reward", "total_reward", "absent_rewards", "steps"),
                    Stream.of("started_at", "finished_at", "duration_s", "environment", "model"),
                    Stream.of("sample_id", "trial", "rollout_id", "attempt"),
                    ids(),
                    Stream.of("seed", "max_steps", "status_code", "status_message", "termination_reason", "truncated"),
                    CallTotals.HEAD.stream(),
                    Stream.of("task", "final_answer", "error_type", "error", "params", "tags", "metrics")),
            Set.of("trajectory_index", "traceparent", "tracestate", "baggage", "status", "run_path"),
            Stream.of(
                    RecordSchema.of(RunInfo.class).fields(),
                    EventSchema.of(EventType.RUN_ENDED).fields()));
    private static final List<String> STEP_HEAD = head(
            List.of(
                    Stream.of("run_id", "sample_id", "step", "parent_step", "started_at", "ended_at", "duration_s"),
                    Stream.of("action_type", "code", "observation", "output", "success", "error", "error_type"),
                    Stream.of("reward", "cumulative_reward"),
                    CallTotals.HEAD.stream(),
                    Stream.of("state_before", "state_after", "tags")),
            Set.of("start_seq", "start_nanos"),
            Stream.of(EventSchema.of(EventType.STEP_ENDED).fields()));

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

    /** The columns, and behind them what else is declared: no field is forgotten. */
    static List<String> head(List<Stream<String>> columns, Set<String> leftOut, Stream<List<EventField>> declared) {
        Set<String> head = new LinkedHashSet<>();
        columns.forEach(names -> names.forEach(head::add));
        declared.flatMap(List::stream)
                .map(EventField::name)
                .filter(name -> !leftOut.contains(name))
                .forEach(head::add);
        return List.copyOf(head);
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
                        stepRow(end, run.hasTimesWithin(), bySteps.getOrDefault(end.step(), List.of()))
                                .cells());
                written++;
            }
        }
        exported.run(1 + written);
    }

    private Row runRow(RunSummary summary, List<RunEvent> events) {
        RunInfo run = summary.run();
        RunEnded end = summary.end();
        Map<String, @Nullable Object> values = new HashMap<>();
        put(values, RecordSchema.of(RunInfo.class).fields(), run);
        if (end != null) {
            put(values, EventSchema.of(EventType.RUN_ENDED).fields(), end);
            values.put("finished_at", summary.duration() == null ? null : end.time());
            values.put("absent_rewards", summary.rewards().absent());
            values.put("status_code", end.status().code());
            values.put("status_message", end.status().message());
        }
        values.put("outcome", summary.state().label());
        values.put("solved", Exported.solved(summary));
        values.put("reward", Exported.reward(summary));
        values.put("total_reward", summary.totalReward());
        values.put("steps", summary.steps());
        values.put("duration_s", summary.duration());
        values.put("trial", run.correlation().trajectoryIndex());
        values.put("max_steps", run.maxSteps() == 0 ? null : run.maxSteps());
        CallTotals.of(events).putTo(values);
        return row(RUN_HEAD, values);
    }

    private Row stepRow(StepEnded end, boolean timed, List<RunEvent> events) {
        Map<String, @Nullable Object> values = new HashMap<>();
        put(values, EventSchema.of(EventType.STEP_ENDED).fields(), end);
        int parent = end.parentStep();
        values.put("parent_step", parent == RunEvent.NO_STEP ? null : parent);
        values.put("run_id", end.run().runId());
        values.put("sample_id", end.run().correlation().sample());
        values.put("step", end.step());
        values.put("started_at", timed ? end.started().time() : null);
        values.put("ended_at", timed ? end.time() : null);
        values.put("duration_s", timed ? end.duration() : null);
        values.put("observation", end.started().observation());
        CallTotals.of(events).putTo(values);
        return row(STEP_HEAD, values);
    }

    static void put(Map<String, @Nullable Object> values, List<EventField> fields, Record record) {
        fields.forEach(field -> values.put(field.name(), field.get(record)));
    }

    private Row row(List<String> head, Map<String, @Nullable Object> values) {
        Row row = new Row(forSpreadsheets);
        head.forEach(name -> row.add(values.get(name)));
        return row;
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
