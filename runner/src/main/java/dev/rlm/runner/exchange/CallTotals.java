package dev.rlm.runner.exchange;

import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import java.util.List;
import java.util.function.Function;
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

    static CallTotals of(List<RunEvent> events) {
        List<ModelCalled> models = of(events, ModelCalled.class);
        List<ToolCalled> tools = of(events, ToolCalled.class);
        return new CallTotals(
                models.size(),
                sum(models, Usage::inputTokens),
                sum(models, Usage::outputTokens),
                sum(models, Usage::cachedTokens),
                sum(models, Usage::reasoningTokens),
                tools.size(),
                tools.stream().filter(ToolCalled::failed).count());
    }

    private static <T> List<T> of(List<RunEvent> events, Class<T> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private static @Nullable Long sum(List<ModelCalled> calls, Function<Usage, @Nullable Long> tokens) {
        Long sum = null;
        for (ModelCalled call : calls) {
            Long count = tokens.apply(call.usage());
            sum = count == null ? sum : (Long) (count + (sum == null ? 0 : sum));
        }
        return sum;
    }

    /** In the order of {@link #HEAD}. */
    void writeTo(Row row) {
        row.add(modelCalls)
                .add(inputTokens)
                .add(outputTokens)
                .add(cachedTokens)
                .add(reasoningTokens)
                .add(toolCalls)
                .add(failedToolCalls);
    }
}
