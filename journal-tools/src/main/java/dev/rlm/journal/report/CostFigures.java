package dev.rlm.journal.report;

import dev.rlm.journal.Costs;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.schema.statistics.Lengths;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What runs took: steps, time, calls, tokens. All but the durations are of all runs, however they ended. */
final class CostFigures {
    private final Lengths durations = new Lengths();
    private final CallFigures models = new CallFigures();
    private final CallFigures tools = new CallFigures();
    private final Map<String, CallFigures> toolsByName = new TreeMap<>();
    private final Tokens input = new Tokens();
    private final Tokens output = new Tokens();
    private final Tokens cached = new Tokens();
    private final Tokens reasoning = new Tokens();
    private final Costs money = new Costs();
    private long steps;
    private long untimed;

    void add(RunFacts run) {
        Duration length = run.summary().duration();
        boolean timed = run.summary().hasTimesWithin();
        steps += run.summary().steps();
        untimed += timed ? 0 : 1;
        if (run.counts() && length != null) {
            durations.add(length);
        }
        run.models().forEach(call -> add(call, timed));
        Set<String> used = new HashSet<>();
        for (ToolCalled call : run.tools()) {
            CallFigures own = toolsByName.computeIfAbsent(call.tool(), name -> new CallFigures());
            Duration latency = timed ? call.duration() : null;
            own.add(latency, call.failed());
            tools.add(latency, call.failed());
            if (used.add(call.tool())) {
                own.run();
            }
        }
    }

    private void add(ModelCalled call, boolean timed) {
        models.add(timed ? call.duration() : null, call.error() != null);
        Usage usage = call.usage();
        input.add(usage.inputTokens());
        output.add(usage.outputTokens());
        cached.add(usage.cachedTokens());
        reasoning.add(usage.reasoningTokens());
        money.add(call);
    }

    long steps() {
        return steps;
    }

    /** How many runs do not tell the times of what they did. */
    long untimed() {
        return untimed;
    }

    /** Of the completed and failed runs, as far as they are known; those of the others were cut short. */
    Lengths durations() {
        return durations;
    }

    CallFigures models() {
        return models;
    }

    CallFigures tools() {
        return tools;
    }

    Map<String, CallFigures> toolsByName() {
        return toolsByName;
    }

    Tokens input() {
        return input;
    }

    Tokens output() {
        return output;
    }

    Tokens cached() {
        return cached;
    }

    Tokens reasoning() {
        return reasoning;
    }

    /** Returns the costs of the model calls, as far as they tell. */
    Costs money() {
        return money;
    }

    /** Tokens of one kind, over the calls that tell them. */
    static final class Tokens {
        private long sum;
        private long calls;

        private void add(@Nullable Long tokens) {
            if (tokens != null) {
                sum += tokens;
                calls++;
            }
        }

        /** {@code null} where no call tells them. */
        @Nullable
        Long sum() {
            return calls == 0 ? null : sum;
        }

        /** How many calls tell them. */
        long calls() {
            return calls;
        }
    }
}
