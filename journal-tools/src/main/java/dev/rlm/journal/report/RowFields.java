package dev.rlm.journal.report;

import dev.rlm.sinks.jsonl.RunState;
import dev.rlm.sinks.schema.statistics.Estimate;
import dev.rlm.sinks.schema.statistics.Lengths;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A row's plain figures by the names that JSON and CSV give them. Times are in seconds; {@code null} stands for none. */
final class RowFields {
    private static final double NANOS = 1e9;

    private final Map<String, @Nullable Number> fields = new LinkedHashMap<>();

    private RowFields() {}

    static Map<String, @Nullable Number> of(RowFigures row) {
        RowFields all = new RowFields();
        all.runs(row);
        all.passes(row);
        all.rewards(row.rewards());
        all.costs(row.costs());
        return all.fields;
    }

    /** The figures of a tool. */
    static Map<String, @Nullable Number> of(CallFigures tool) {
        RowFields all = new RowFields();
        all.put("calls", tool.calls());
        all.put("failed", tool.failed());
        all.put("error_rate", tool.errorRate());
        all.put("runs", tool.runs());
        all.percentiles("", tool.latencies());
        return all.fields;
    }

    private void runs(RowFigures row) {
        put("runs", row.runs().all());
        put("completed", row.runs().in(RunState.COMPLETED));
        put("failed", row.runs().in(RunState.FAILED));
        put("aborted", row.runs().in(RunState.ABORTED));
        put("abandoned", row.runs().abandoned());
        put("running", row.runs().in(RunState.RUNNING));
        put("samples", (long) row.samples());
        put("incomplete_runs", row.runs().incomplete());
    }

    private void passes(RowFigures row) {
        PassFigures passes = row.passes();
        put("solved", passes.solved());
        put("undecided", passes.undecided());
        estimate("solved_rate", passes.rate());
        put("groups_compared", passes.groups().comparable());
        put("groups_without_signal", (long) passes.groupsWithoutSignal().size());
    }

    private void rewards(RewardFigures rewards) {
        estimate("mean_reward", rewards.mean());
        put("min_reward", rewards.min());
        put("max_reward", rewards.max());
        put("total_reward", rewards.total());
        put("absent_rewards", rewards.absent());
        put("not_finite_rewards", rewards.infinite());
        put("out_of_range_rewards", rewards.outOfRange());
        put("runs_without_usable_reward", rewards.unusable());
        put("unrewarded_runs", rewards.unrewarded());
        put("late_rewarded_runs", rewards.rewardedLate());
    }

    private void costs(CostFigures costs) {
        put("steps", costs.steps());
        put("runs_without_times", costs.untimed());
        percentiles("duration_", costs.durations());
        put("model_calls", costs.models().calls());
        put("failed_model_calls", costs.models().failed());
        percentiles("model_call_", costs.models().latencies());
        tokens("input", costs.input());
        tokens("output", costs.output());
        tokens("cached", costs.cached());
        tokens("reasoning", costs.reasoning());
        put("model_cost", costs.money().sum());
        put("model_cost_calls", costs.money().calls());
        put("tool_calls", costs.tools().calls());
        put("failed_tool_calls", costs.tools().failed());
        put("tool_error_rate", costs.tools().errorRate());
        percentiles("tool_call_", costs.tools().latencies());
    }

    private void estimate(String name, Estimate estimate) {
        put(name, estimate.value());
        put(name + "_se", estimate.error());
        put(name + "_runs", estimate.count());
    }

    private void tokens(String kind, CostFigures.Tokens tokens) {
        put(kind + "_tokens", tokens.sum());
        put(kind + "_tokens_calls", tokens.calls());
    }

    private void percentiles(String prefix, Lengths lengths) {
        put(prefix + "p50", seconds(lengths.percentile(50)));
        put(prefix + "p95", seconds(lengths.percentile(95)));
    }

    private static @Nullable Double seconds(@Nullable Duration length) {
        return length == null ? null : length.toNanos() / NANOS;
    }

    private void put(String name, @Nullable Number value) {
        fields.put(name, value instanceof Double number && number.isNaN() ? null : value);
    }
}
