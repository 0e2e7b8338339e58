package dev.rlm.runs.exchange.tables;

import dev.rlm.journal.RunSummary;
import dev.rlm.journal.index.EventRow;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.EventSchema;
import dev.rlm.sinks.schema.RecordSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tables of runs and of their steps. */
final class RunTables {
    private static final List<EventField> OF_RUN =
            RecordSchema.of(RunInfo.class).fields();
    private static final List<EventField> OF_END =
            EventSchema.of(EventType.RUN_ENDED).fields();
    private static final List<EventField> OF_STEP =
            EventSchema.of(EventType.STEP_ENDED).fields();
    private static final List<String> CALLS = List.of(
            "model_calls",
            "input_tokens",
            "output_tokens",
            "cached_tokens",
            "reasoning_tokens",
            "tool_calls",
            "failed_tool_calls");

    static final ExportTable RUNS = new ExportTable(
            "runs",
            ExportTable.columns(
                    List.of(
                            Stream.of(
                                    "run_id", "outcome", "solved", "reward", "total_reward", "absent_rewards", "steps"),
                            Stream.of("started_at", "finished_at", "duration_s", "environment", "model"),
                            Stream.of("sample_id", "trial", "rollout_id", "attempt"),
                            RunFields.OTHERS.stream().map(EventField::name),
                            Stream.of("seed", "max_steps", "status_code", "status_message", "termination_reason"),
                            Stream.of("truncated"),
                            CALLS.stream(),
                            Stream.of("task", "final_answer", "error_type", "error", "params", "tags", "metrics")),
                    Set.of("trajectory_index", "traceparent", "tracestate", "baggage", "status", "run_path", "rewards"),
                    Stream.of(OF_RUN, OF_END)),
            (run, events) -> Stream.of(run(run, events)));

    static final ExportTable STEPS = new ExportTable(
            "steps",
            ExportTable.columns(
                    List.of(
                            Stream.of("run_id", "sample_id", "step", "parent_step"),
                            Stream.of("started_at", "ended_at", "duration_s"),
                            Stream.of("action_type", "code", "observation", "output", "success", "error", "error_type"),
                            Stream.of("reward", "cumulative_reward"),
                            CALLS.stream(),
                            Stream.of("state_before", "state_after", "tags")),
                    Set.of("start_seq", "start_nanos"),
                    Stream.of(OF_STEP)),
            RunTables::steps);

    private RunTables() {}

    private static Map<String, @Nullable Object> run(RunSummary summary, List<RunEvent> events) {
        RunInfo run = RunFields.run(summary, events);
        RunEnded end = RunFields.end(summary, events);
        Map<String, @Nullable Object> values = new HashMap<>();
        ExportTable.put(values, OF_RUN, run);
        if (end != null) {
            ExportTable.put(values, OF_END, end);
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
        List<Usage> usages = new ArrayList<>();
        int tools = 0;
        int failed = 0;
        for (EventRow row : summary.eventRows()) {
            if (row instanceof EventRow.ModelCall call) {
                usages.add(call.usage());
            } else if (row instanceof EventRow.ToolCall call) {
                tools++;
                failed += call.failed() ? 1 : 0;
            }
        }
        putCalls(values, usages, tools, failed);
        return values;
    }

    private static Stream<Map<String, @Nullable Object>> steps(RunSummary run, List<RunEvent> events) {
        Map<Integer, List<RunEvent>> bySteps = events.stream().collect(Collectors.groupingBy(RunEvent::step));
        return only(StepEnded.class, events).map(end -> step(end, run, bySteps.getOrDefault(end.step(), List.of())));
    }

    private static Map<String, @Nullable Object> step(StepEnded end, RunSummary run, List<RunEvent> events) {
        Map<String, @Nullable Object> values = new HashMap<>();
        boolean timed = run.hasTimesWithin();
        ExportTable.put(values, OF_STEP, end);
        if (!RunFields.isRewarded(run)) {
            values.put("reward", null);
            values.put("cumulative_reward", null);
        }
        values.put("run_id", end.run().runId());
        values.put("sample_id", end.run().correlation().sample());
        values.put("step", end.step());
        values.put("started_at", timed ? end.started().time() : null);
        values.put("ended_at", timed ? end.time() : null);
        values.put("duration_s", timed ? end.duration() : null);
        values.put("observation", end.started().observation());
        List<Usage> usages = new ArrayList<>();
        int tools = 0;
        int failed = 0;
        for (RunEvent event : events) { // not by streams: of each step
            if (event instanceof ModelCalled call) {
                usages.add(call.usage());
            } else if (event instanceof ToolCalled call) {
                tools++;
                failed += call.failed() ? 1 : 0;
            }
        }
        putCalls(values, usages, tools, failed);
        return values;
    }

    /** Calls of a run or a step, and what they took. Tokens are absent where no call told any. */
    private static void putCalls(Map<String, @Nullable Object> values, List<Usage> usages, int tools, int failed) {
        values.put("model_calls", usages.size());
        values.put("tool_calls", tools);
        values.put("failed_tool_calls", failed);
        if (!usages.isEmpty()) {
            values.put("input_tokens", sum(usages, Usage::inputTokens));
            values.put("output_tokens", sum(usages, Usage::outputTokens));
            values.put("cached_tokens", sum(usages, Usage::cachedTokens));
            values.put("reasoning_tokens", sum(usages, Usage::reasoningTokens));
        }
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
}
