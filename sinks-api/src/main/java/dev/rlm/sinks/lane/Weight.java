package dev.rlm.sinks.lane;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.TraceContext;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes an event holds in texts and values, each character counted as two: the same whenever it is asked, and no
 * less than they take.
 */
final class Weight {
    private static final int CHARACTER = 2;
    private static final int VALUE = 64; // an entry of a map, say
    private static final int TOKEN = 24; // a number in a list
    private static final int TEXT = 128; // the objects around a text

    private Weight() {}

    static long of(Event event) {
        if (event instanceof RewardGiven) { // one of the three of each step, and asked about by each
            return 0;
        } else if (event instanceof StepStarted e) {
            return of(e.observation());
        } else if (event instanceof StepEnded e) {
            return of(e.code()) + of(e.output()) + of(e.error()) + values(e.tags());
        } else if (event instanceof ToolCalled e) {
            return of(e.arguments()) + of(e.result()) + of(e.error()) + values(e.attributes());
        } else if (event instanceof ModelCalled e) {
            long sum = of(e.reply()) + of(e.error()) + of(e.tokens()) + values(e.parameters());
            for (Message message : e.messages()) {
                sum += of(message);
            }
            return sum;
        } else if (event instanceof RunStarted e) {
            RunInfo run = e.run();
            return of(run.task()) + of(run.parent()) + values(run.params()) + values(run.tags());
        } else if (event instanceof RunEnded e) {
            return of(e.finalAnswer()) + of(e.error()) + values(e.metrics());
        } else if (event instanceof SpanRecorded e) {
            return of(e.error()) + values(e.attributes());
        } else if (event instanceof MetricsReported e) {
            return values(e.values());
        }
        return 0;
    }

    private static long of(@Nullable Message message) {
        if (message == null) {
            return 0;
        }
        long sum = of(message.content());
        for (Message.ToolRequest call : message.toolCalls()) {
            sum += of(call.arguments());
        }
        return sum;
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

    private static long values(Map<String, ?> values) {
        return values.isEmpty() ? 0 : ofValue(values);
    }

    private static long ofValue(@Nullable Object value) {
        long sum = VALUE;
        if (value instanceof String text) {
            sum += CHARACTER * (long) text.length();
        } else if (value instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                sum += ofValue(entry.getKey()) + ofValue(entry.getValue());
            }
        } else if (value instanceof List<?> list) {
            for (Object element : list) {
                sum += ofValue(element);
            }
        }
        return sum;
    }

    private static long of(@Nullable TraceContext parent) {
        return parent == null || parent.baggage() == null
                ? 0
                : CHARACTER * (long) parent.baggage().length();
    }

    private static long of(@Nullable Content content) {
        return content == null || content.weight() == 0 ? 0 : TEXT + CHARACTER * (long) content.weight();
    }
}
