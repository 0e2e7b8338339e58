package dev.rlm.runs;

import dev.rlm.journal.RunSummary;
import dev.rlm.journal.Verdict;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.schema.RecordSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One side of a comparison of two runs.
 *
 * @param facts what is known of the run as a whole, by name, in order; without those that are not known
 * @param steps its steps by number; at last what happened outside of them, if anything did
 */
record RunSide(Map<String, Object> facts, List<StepSide> steps) {
    static RunSide of(RunSummary run, List<RunEvent> events) {
        return new RunSide(
                facts(run, events), StepSide.all(events, run.rewards().total() != null));
    }

    private static Map<String, Object> facts(RunSummary summary, List<RunEvent> events) {
        RunInfo run = summary.run();
        RunEnded end = summary.end();
        Map<String, Object> facts = new LinkedHashMap<>();
        put(facts, "run_id", run.runId());
        put(facts, "started_at", run.startedAt());
        put(facts, "state", summary.state().label());
        put(facts, "solved", end == null ? null : solved(summary));
        put(facts, "total_reward", summary.rewards().usable());
        put(facts, "steps", summary.steps());
        put(facts, "duration", summary.duration());
        put(facts, "termination_reason", end == null ? null : end.terminationReason());
        put(facts, "failure", summary.failure());
        put(facts, "error", end == null ? null : end.error());
        put(facts, "final_answer", end == null ? null : end.finalAnswer());
        put(facts, "environment", run.environment());
        put(facts, "model", run.model());
        put(facts, "agent", run.agent());
        put(facts, "agent_version", run.agentVersion());
        put(facts, "task", run.task());
        put(facts, "expected_answer", run.expectedAnswer());
        put(facts, "max_steps", run.maxSteps() == 0 ? null : (Integer) run.maxSteps());
        put(facts, "seed", run.seed());
        RecordSchema.of(Correlation.class).fields().forEach(id -> put(facts, id.name(), id.get(run.correlation())));
        new TreeMap<>(run.params()).forEach((name, value) -> put(facts, "params." + name, value));
        new TreeMap<>(run.tags()).forEach((name, value) -> put(facts, "tags." + name, value));
        calls(summary, events, facts);
        return facts;
    }

    private static @Nullable Object solved(RunSummary run) {
        Verdict verdict = run.verdict();
        return verdict == Verdict.UNDECIDED ? verdict.label() : verdict.solved();
    }

    private static void calls(RunSummary summary, List<RunEvent> events, Map<String, Object> facts) {
        List<ModelCalled> calls = events.stream()
                .filter(ModelCalled.class::isInstance)
                .map(ModelCalled.class::cast)
                .toList();
        Costs costs = new Costs();
        calls.forEach(call -> costs.add(call.costAmount(), call.costCurrency()));
        put(facts, "model_calls", calls.size());
        put(facts, "tool_calls", summary.toolCalls());
        put(facts, "input_tokens", sum(calls, Usage::inputTokens));
        put(facts, "output_tokens", sum(calls, Usage::outputTokens));
        put(facts, "cost", costs.toString());
    }

    private static @Nullable Long sum(List<ModelCalled> calls, Function<Usage, @Nullable Long> tokens) {
        return calls.stream()
                .map(call -> tokens.apply(call.usage()))
                .filter(Objects::nonNull)
                .reduce(Long::sum)
                .orElse(null);
    }

    /** Puts a value in; texts as such, and nothing where there is none. */
    static void put(Map<String, Object> values, String name, @Nullable Object value) {
        Object plain = value instanceof Content content ? content.text() : value;
        if (plain != null && !plain.equals("")) {
            values.put(name, plain);
        }
    }
}
