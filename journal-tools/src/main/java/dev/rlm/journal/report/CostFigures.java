package dev.rlm.journal.report;

import dev.rlm.journal.Costs;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What runs took, however they ended: calls, tokens, money. */
final class CostFigures {
    private final CallFigures models = new CallFigures();
    private final CallFigures tools = new CallFigures();
    private final Map<String, CallFigures> toolsByName = new TreeMap<>();
    private final Map<TokenKind, Tokens> tokens = new EnumMap<>(TokenKind.class);
    private final Costs money = new Costs();

    void add(RunFacts run) {
        boolean timed = run.summary().hasTimesWithin();
        run.all(ModelCalled.class).forEach(call -> add(call, timed));
        Set<String> used = new HashSet<>();
        for (ToolCalled call : run.all(ToolCalled.class)) {
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
        for (TokenKind kind : TokenKind.values()) {
            Long told = kind.of.apply(call.usage());
            if (told != null) {
                tokens.merge(kind, new Tokens(told, 1), Tokens::plus);
            }
        }
        money.add(call);
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

    Tokens tokens(TokenKind kind) {
        return tokens.getOrDefault(kind, Tokens.NONE);
    }

    /** Returns the costs of the model calls, as far as they tell. */
    Costs money() {
        return money;
    }

    /** Kinds of tokens. */
    enum TokenKind {
        INPUT(Usage::inputTokens),
        OUTPUT(Usage::outputTokens),
        CACHED(Usage::cachedTokens),
        REASONING(Usage::reasoningTokens);

        @SuppressWarnings("ImmutableEnumChecker") // a function without a state
        private final Function<Usage, @Nullable Long> of;

        TokenKind(Function<Usage, @Nullable Long> of) {
            this.of = of;
        }
    }

    /**
     * Tokens of one kind, over the calls that tell them.
     *
     * @param sum {@code null} where no call tells them
     * @param calls how many calls tell them
     */
    record Tokens(@Nullable Long sum, long calls) {
        private static final Tokens NONE = new Tokens(null, 0);

        private Tokens plus(Tokens other) {
            long all = Objects.requireNonNullElse(sum, 0L) + Objects.requireNonNullElse(other.sum, 0L);
            return new Tokens(all, calls + other.calls);
        }
    }
}
