package dev.rlm.runs.report.tokens;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.cli.recorded.OwnCalls;
import dev.rlm.runs.report.figures.RunCounter;
import dev.rlm.runs.report.figures.RunFacts;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lengths of completed and failed runs, without the calls of judges; and how many were cut, or repeated their actions. */
public final class TrajectoryRow implements RunCounter {
    /** The events that it needs. */
    public static final Set<Class<? extends RunEvent>> KINDS =
            Set.of(StepEnded.class, ModelCalled.class, ToolCalled.class, SpanRecorded.class);

    private final Amounts turns = new Amounts();
    private final Amounts modelCalls = new Amounts();
    private final Amounts toolCalls = new Amounts();
    private final Amounts responseTokens = new Amounts(); // of runs that were not cut
    private long truncated;
    private long clipped;
    private long toldRuns; // that tell why replies ended
    private long actions;
    private long repeated;

    @Override
    public void add(RunFacts run) {
        if (!run.result().counts()) {
            return;
        }
        OwnCalls own = new OwnCalls(run.events());
        List<ModelCalled> models = own.of(ModelCalled.class, run.events());
        List<ToolCalled> tools = own.of(ToolCalled.class, run.events());
        int steps = run.result().steps();
        turns.add(steps == 0 ? models.size() : steps);
        modelCalls.add(models.size());
        toolCalls.add(tools.size());
        lengths(models, run.summary().row().end());
        actions(run.events(), tools);
    }

    private void lengths(List<ModelCalled> models, @Nullable RunEnded end) {
        boolean told = models.stream().anyMatch(call -> call.finishReason() != null);
        boolean isClipped = models.stream()
                .map(ModelCalled::finishReason)
                .filter(Objects::nonNull)
                .anyMatch(TokenAudit::isCut);
        boolean isTruncated = end != null && end.truncated();
        toldRuns += told ? 1 : 0;
        clipped += isClipped ? 1 : 0;
        truncated += isTruncated ? 1 : 0;
        Long tokens = tokens(models);
        if (tokens != null && !isClipped && !isTruncated) {
            responseTokens.add(tokens);
        }
    }

    /** Returns the tokens of all replies; {@code null} where not all of them tell theirs. */
    private static @Nullable Long tokens(List<ModelCalled> models) {
        long sum = 0;
        for (ModelCalled call : models) {
            Long tokens = call.usage().outputTokens();
            if (tokens == null) {
                return null;
            }
            sum += tokens;
        }
        return models.isEmpty() ? null : sum;
    }

    /** Counts the actions of the steps; of a run whose steps tell none, its calls of tools. */
    private void actions(List<RunEvent> events, List<ToolCalled> tools) {
        List<List<String>> all = events.stream()
                .filter(StepEnded.class::isInstance)
                .map(StepEnded.class::cast)
                .filter(step -> !step.actionType().isEmpty() || !step.code().isEmpty())
                .map(step -> List.of(step.actionType(), step.code().text()))
                .toList();
        if (all.isEmpty()) {
            all = tools.stream()
                    .map(call -> List.of(call.tool(), call.arguments().text()))
                    .toList();
        }
        actions += all.size();
        repeated += all.size() - new HashSet<>(all).size();
    }

    int runs() {
        return turns.count();
    }

    NamedFigures fields() {
        return new NamedFigures()
                .put("runs", runs())
                .putAll(turns.fields("turns"))
                .putAll(modelCalls.fields("model_calls"))
                .putAll(toolCalls.fields("tool_calls"))
                .putAll(responseTokens.fields("response_tokens"))
                .put("response_tokens_runs", responseTokens.count())
                .put("truncated_runs", truncated)
                .put("clip_ratio", share(clipped, toldRuns), Numbers.percent(share(clipped, toldRuns)))
                .put("clip_ratio_runs", toldRuns)
                .put("actions", actions)
                .put("repeated_actions", repeated)
                .put("repeated_action_ratio", share(repeated, actions), Numbers.percent(share(repeated, actions)));
    }

    private static double share(long part, long whole) {
        return (double) part / whole;
    }
}
