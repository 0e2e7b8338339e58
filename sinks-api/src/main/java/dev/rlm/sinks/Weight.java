package dev.rlm.sinks;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.TraceContext;
import org.jspecify.annotations.Nullable;

/** How much an event holds, in characters of text: the same whenever it is asked. */
final class Weight {
    private static final int TOKEN = 16; // a boxed number takes about as much as so many characters

    private Weight() {}

    static long of(Event event) {
        if (event instanceof StepStarted e) {
            return of(e.observation());
        } else if (event instanceof StepEnded e) {
            return of(e.code()) + of(e.output()) + of(e.error());
        } else if (event instanceof ToolCalled e) {
            return of(e.arguments()) + of(e.result()) + of(e.error());
        } else if (event instanceof ModelCalled e) {
            return e.messages().stream().mapToLong(Weight::of).sum() + of(e.reply()) + of(e.error()) + of(e.tokens());
        } else if (event instanceof RunStarted e) {
            return of(e.run().task()) + of(e.run().parent());
        } else if (event instanceof RunEnded e) {
            return of(e.finalAnswer()) + of(e.error());
        } else if (event instanceof SpanRecorded e) {
            return of(e.error());
        }
        return 0;
    }

    private static long of(@Nullable Message message) {
        if (message == null) {
            return 0;
        }
        return of(message.content())
                + message.toolCalls().stream()
                        .mapToLong(call -> of(call.arguments()))
                        .sum();
    }

    private static long of(@Nullable TokenTrace tokens) {
        if (tokens == null) {
            return 0;
        }
        long count = tokens.promptIds().size();
        count += tokens.responseIds().size();
        count += tokens.logProbabilities().size();
        return TOKEN * count;
    }

    private static long of(@Nullable TraceContext parent) {
        return parent == null || parent.baggage() == null ? 0 : parent.baggage().length();
    }

    private static long of(@Nullable Content content) {
        return content == null ? 0 : content.weight();
    }
}
