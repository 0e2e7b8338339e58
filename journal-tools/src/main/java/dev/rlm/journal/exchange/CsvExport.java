package dev.rlm.journal.exchange;

import de.siegmar.fastcsv.writer.CsvWriter;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.jsonl.JournalJson;
import dev.rlm.sinks.jsonl.RunSummary;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.EventSchema;
import dev.rlm.sinks.schema.RecordSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs and their steps as two tables in the form of RFC 4180, in UTF-8. What is absent is an empty cell.
 *
 * @param forSpreadsheets whether to put an apostrophe before texts that a spreadsheet would compute
 */
record CsvExport(boolean forSpreadsheets) implements ExportFormat {
    static final String NAME = "csv";

    private static final String RUNS = "runs.csv";
    private static final String STEPS = "steps.csv";
    private static final String FORMULA = "=+-@\t\r";
    private static final List<String> CALLS = List.of(
            "model_calls",
            "input_tokens",
            "output_tokens",
            "cached_tokens",
            "reasoning_tokens",
            "tool_calls",
            "failed_tool_calls");
    private static final List<String> RUN_HEAD = head(
            List.of(
                    Stream.of("run_id", "outcome", "solved", "reward", "total_reward", "absent_rewards", "steps"),
                    Stream.of("started_at", "finished_at", "duration_s", "environment", "model"),
                    Stream.of("sample_id", "trial", "rollout_id", "attempt"),
                    RunFields.OTHERS.stream().map(EventField::name),
                    Stream.of("seed", "max_steps", "status_code", "status_message", "termination_reason", "truncated"),
                    CALLS.stream(),
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
                    CALLS.stream(),
                    Stream.of("state_before", "state_after", "tags")),
            Set.of("start_seq", "start_nanos"),
            Stream.of(EventSchema.of(EventType.STEP_ENDED).fields()));

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<String> tables() {
        return List.of(RUNS, STEPS);
    }

    @Override
    public void write(Export export) throws IOException {
        CsvWriter runs = CsvWriter.builder().build(export.open(RUNS), StandardCharsets.UTF_8);
        CsvWriter steps = CsvWriter.builder().build(export.open(STEPS), StandardCharsets.UTF_8);
        runs.writeRecord(RUN_HEAD);
        steps.writeRecord(STEP_HEAD);
        export.each((run, events) -> {
            runs.writeRecord(runRow(run, events));
            List<List<@Nullable String>> rows = stepRows(run, events);
            rows.forEach(steps::writeRecord);
            export.written(1, 1 + rows.size());
        });
        runs.flush();
        steps.flush();
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

    private List<List<@Nullable String>> stepRows(RunSummary run, List<RunEvent> events) {
        Map<Integer, List<RunEvent>> bySteps = events.stream().collect(Collectors.groupingBy(RunEvent::step));
        return only(StepEnded.class, events)
                .map(end -> stepRow(end, run.hasTimesWithin(), bySteps.getOrDefault(end.step(), List.of())))
                .toList();
    }

    private List<@Nullable String> runRow(RunSummary summary, List<RunEvent> events) {
        RunInfo run = RunFields.run(summary, events);
        RunEnded end = RunFields.end(summary, events);
        Map<String, @Nullable Object> values = new HashMap<>();
        put(values, RecordSchema.of(RunInfo.class).fields(), run);
        if (end != null) {
            put(values, EventSchema.of(EventType.RUN_ENDED).fields(), end);
            values.put("finished_at", summary.duration() == null ? null : end.time());
            values.put("absent_rewards", summary.rewards().absent());
            values.put("status_code", end.status().code());
            values.put("status_message", end.status().message());
        }
        RunFields.result(summary, values);
        values.put("total_reward", summary.totalReward());
        values.put("steps", summary.steps());
        values.put("duration_s", summary.duration());
        values.put("trial", run.correlation().trajectoryIndex());
        values.put("max_steps", run.maxSteps() == 0 ? null : run.maxSteps());
        putCalls(values, events);
        return row(RUN_HEAD, values);
    }

    private List<@Nullable String> stepRow(StepEnded end, boolean timed, List<RunEvent> events) {
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
        putCalls(values, events);
        return row(STEP_HEAD, values);
    }

    /** Calls of a run or a step, and what they took. Tokens are absent where no call told any. */
    private static void putCalls(Map<String, @Nullable Object> values, List<RunEvent> events) {
        List<Usage> usages =
                only(ModelCalled.class, events).map(ModelCalled::usage).toList();
        values.put("model_calls", usages.size());
        values.put("input_tokens", sum(usages, Usage::inputTokens));
        values.put("output_tokens", sum(usages, Usage::outputTokens));
        values.put("cached_tokens", sum(usages, Usage::cachedTokens));
        values.put("reasoning_tokens", sum(usages, Usage::reasoningTokens));
        values.put("tool_calls", only(ToolCalled.class, events).count());
        values.put(
                "failed_tool_calls",
                only(ToolCalled.class, events).filter(ToolCalled::failed).count());
    }

    private static <T> Stream<T> only(Class<T> kind, List<RunEvent> events) {
        return events.stream().filter(kind::isInstance).map(kind::cast);
    }

    private static @Nullable Long sum(List<Usage> usages, Function<Usage, @Nullable Long> tokens) {
        return usages.stream()
                .map(tokens)
                .filter(Objects::nonNull)
                .reduce(Long::sum)
                .orElse(null);
    }

    static void put(Map<String, @Nullable Object> values, List<EventField> fields, Record record) {
        fields.forEach(field -> values.put(field.name(), field.get(record)));
    }

    private List<@Nullable String> row(List<String> head, Map<String, @Nullable Object> values) {
        List<@Nullable String> row = new ArrayList<>();
        head.forEach(name -> row.add(cell(values.get(name))));
        return row;
    }

    /** A value: durations in seconds, maps as JSON. */
    private @Nullable String cell(@Nullable Object value) {
        if (value instanceof Duration duration) {
            return String.valueOf(duration.toNanos() / 1e9);
        } else if (value instanceof Instant time) {
            return JournalJson.time(time);
        } else if (value instanceof Number number) {
            return Double.isNaN(number.doubleValue()) ? null : number.toString();
        } else if (value instanceof Map<?, ?> map) {
            return map.isEmpty() ? null : text(Json.text(map));
        }
        return value == null ? null : text(value.toString());
    }

    private @Nullable String text(String text) {
        boolean computed = forSpreadsheets && !text.isEmpty() && FORMULA.indexOf(text.charAt(0)) >= 0;
        return text.isEmpty() ? null : computed ? "'" + text : text;
    }
}
