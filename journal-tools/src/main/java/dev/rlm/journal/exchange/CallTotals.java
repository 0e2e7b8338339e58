package dev.rlm.journal.exchange;

import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How many calls a run or a step made, and what they took. */
final class CallTotals {
    static final List<String> HEAD = List.of(
            "model_calls",
            "input_tokens",
            "output_tokens",
            "cached_tokens",
            "reasoning_tokens",
            "tool_calls",
            "failed_tool_calls");

    private CallTotals() {}

    /** Adds them by the names of {@link #HEAD}. Tokens are {@code null} where no call told any. */
    static void put(List<RunEvent> events, Map<String, @Nullable Object> values) {
        List<Usage> usages =
                of(ModelCalled.class, events).map(ModelCalled::usage).toList();
        values.put("model_calls", usages.size());
        values.put("input_tokens", sum(usages, Usage::inputTokens));
        values.put("output_tokens", sum(usages, Usage::outputTokens));
        values.put("cached_tokens", sum(usages, Usage::cachedTokens));
        values.put("reasoning_tokens", sum(usages, Usage::reasoningTokens));
        values.put("tool_calls", of(ToolCalled.class, events).count());
        values.put(
                "failed_tool_calls",
                of(ToolCalled.class, events).filter(ToolCalled::failed).count());
    }

    private static <T> Stream<T> of(Class<T> kind, List<RunEvent> events) {
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
