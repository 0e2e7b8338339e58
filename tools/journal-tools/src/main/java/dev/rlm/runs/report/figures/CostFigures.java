package dev.rlm.runs.report.figures;

import dev.rlm.journal.index.EventRow;
import dev.rlm.runs.Costs;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.event.Usage;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Cost of runs, however they ended: calls, tokens, money. */
public final class CostFigures {
    private final CallFigures models = new CallFigures();
    private final CallFigures tools = new CallFigures();
    private final Map<String, CallFigures> toolsByName = new TreeMap<>();
    private final Tokens input = new Tokens();
    private final Tokens output = new Tokens();
    private final Tokens cached = new Tokens();
    private final Tokens reasoning = new Tokens();
    private final Costs money = new Costs();

    void add(RunFacts run) {
        boolean timed = run.summary().hasTimesWithin();
        run.all(EventRow.ModelCall.class).forEach(call -> add(call, timed));
        Set<String> used = new HashSet<>();
        for (EventRow.ToolCall call : run.all(EventRow.ToolCall.class)) {
            CallFigures own = toolsByName.computeIfAbsent(call.tool(), name -> new CallFigures());
            Duration latency = timed ? Duration.ofNanos(call.nanos()) : null;
            own.add(latency, call.failed());
            tools.add(latency, call.failed());
            if (used.add(call.tool())) {
                own.run();
            }
        }
    }

    private void add(EventRow.ModelCall call, boolean timed) {
        models.add(timed ? Duration.ofNanos(call.nanos()) : null, call.failed());
        Usage usage = call.usage();
        input.add(usage.inputTokens());
        output.add(usage.outputTokens());
        cached.add(usage.cachedTokens());
        reasoning.add(usage.reasoningTokens());
        money.add(call.costAmount(), call.costCurrency());
    }

    public Map<String, CallFigures> toolsByName() {
        return toolsByName;
    }

    /** Returns the number of model calls. */
    public long calls() {
        return models.calls();
    }

    /** Returns the number of model calls that tell their output tokens. */
    public long callsWithTokens() {
        return output.calls;
    }

    /** Returns the costs of the model calls, as far as they tell. */
    public Costs money() {
        return money;
    }

    NamedFigures fields() {
        return models.counts("model")
                .percentiles("model_call_", models.latencies())
                .putAll(input.fields("input_tokens"))
                .putAll(output.fields("output_tokens"))
                .putAll(cached.fields("cached_tokens"))
                .putAll(reasoning.fields("reasoning_tokens"))
                .put("model_cost", money.sum())
                .put("model_cost_calls", money.calls())
                .putAll(tools.counts("tool"))
                .put("tool_error_rate", tools.errorRate())
                .percentiles("tool_call_", tools.latencies());
    }

    /** Tokens of one kind, over the calls that tell them. */
    private static final class Tokens {
        private long sum;
        private long calls;

        void add(@Nullable Long tokens) {
            if (tokens != null) {
                sum += tokens;
                calls++;
            }
        }

        NamedFigures fields(String name) {
            return new NamedFigures().put(name, calls == 0 ? null : sum).put(name + "_calls", calls);
        }
    }
}
