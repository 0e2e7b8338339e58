package dev.rlm.journal.exchange;

import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How many calls a run or a step made, and what they took. Tokens are {@code null} where no call told any. */
record CallTotals(
        int modelCalls,
        @Nullable Long inputTokens,
        @Nullable Long outputTokens,
        @Nullable Long cachedTokens,
        @Nullable Long reasoningTokens,
        int toolCalls,
        long failedToolCalls) {
    static final List<String> HEAD = List.of(
            "model_calls",
            "input_tokens",
            "output_tokens",
            "cached_tokens",
            "reasoning_tokens",
            "tool_calls",
            "failed_tool_calls");

    private static final CallTotals NONE = new CallTotals(0, null, null, null, null, 0, 0);

    static CallTotals of(List<RunEvent> events) {
        CallTotals totals = NONE; // which most steps of an environment without models and tools keep
        for (RunEvent event : events) {
            if (event instanceof ModelCalled call) {
                totals = totals.plus(call.usage());
            } else if (event instanceof ToolCalled call) {
                totals = totals.plus(call);
            }
        }
        return totals;
    }

    private CallTotals plus(Usage usage) {
        return new CallTotals(
                modelCalls + 1,
                sum(inputTokens, usage.inputTokens()),
                sum(outputTokens, usage.outputTokens()),
                sum(cachedTokens, usage.cachedTokens()),
                sum(reasoningTokens, usage.reasoningTokens()),
                toolCalls,
                failedToolCalls);
    }

    private CallTotals plus(ToolCalled call) {
        return new CallTotals(
                modelCalls,
                inputTokens,
                outputTokens,
                cachedTokens,
                reasoningTokens,
                toolCalls + 1,
                failedToolCalls + (call.failed() ? 1 : 0));
    }

    private static @Nullable Long sum(@Nullable Long one, @Nullable Long other) {
        return one == null ? other : other == null ? one : (Long) (one + other);
    }

    /** By the names of {@link #HEAD}. */
    void putTo(Map<String, @Nullable Object> values) {
        values.put("model_calls", modelCalls);
        values.put("input_tokens", inputTokens);
        values.put("output_tokens", outputTokens);
        values.put("cached_tokens", cachedTokens);
        values.put("reasoning_tokens", reasoningTokens);
        values.put("tool_calls", toolCalls);
        values.put("failed_tool_calls", failedToolCalls);
    }
}
