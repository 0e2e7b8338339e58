package dev.rlm.sinks.core.lane;

import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.FileContent;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.OriginalSpan;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.TraceContext;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Size of an event's texts and values in bytes, with two for each character. It is the same whenever it is asked, and
 * no less than they take; a text that is {@linkplain Content#again told again} counts where it was told first.
 */
final class SizeEstimator {
    private static final int CHARACTER = 2;
    private static final int VALUE = 64; // an entry of a map, say
    private static final int TOKEN = 24; // a number in a list
    private static final int TEXT = 128; // the objects around a text

    private SizeEstimator() {}

    static long of(Event event) {
        return switch (event.type()) {
            case STEP_STARTED -> of(((StepStarted) event).observation());
            case STEP_ENDED -> of((StepEnded) event);
            case TOOL_CALLED -> of((ToolCalled) event);
            case MODEL_CALLED -> of((ModelCalled) event);
            case RUN_STARTED -> of(((RunStarted) event).run());
            case RUN_ENDED -> of((RunEnded) event);
            case SPAN_RECORDED -> of((SpanRecorded) event);
            case METRICS_REPORTED -> values(((MetricsReported) event).values());
            case STANDALONE_SPAN_RECORDED ->
                of(((StandaloneSpanRecorded) event).error()) + values(((StandaloneSpanRecorded) event).attributes());
            case REWARD_GIVEN -> of(((RewardGiven) event).explanation()) + of(((RewardGiven) event).originalSpan());
            case ARTIFACT_SAVED -> of(((ArtifactSaved) event).content());
            case HEARTBEAT, LEDGER_REPORTED -> 0;
        };
    }

    private static long of(StepEnded end) {
        return of(end.code()) + of(end.output()) + of(end.error()) + values(end.tags());
    }

    private static long of(ToolCalled call) {
        long sum = of(call.arguments()) + of(call.result()) + of(call.error()) + values(call.attributes());
        sum += of(call.originalSpan());
        for (RetrievedDocument document : call.documents()) {
            sum += TEXT + ofValue(document.id()) + ofValue(document.sha256());
        }
        return sum;
    }

    private static long of(ModelCalled call) {
        long sum = of(call.reply()) + of(call.error()) + of(call.tokens()) + values(call.parameters());
        sum += of(call.systemInstructions()) + of(call.toolDefinitions()) + of(call.originalSpan());
        for (Message message : call.messages()) {
            sum += of(message);
        }
        return sum;
    }

    private static long of(SpanRecorded span) {
        return of(span.error()) + values(span.attributes()) + of(span.originalSpan());
    }

    private static long of(RunInfo run) {
        return of(run.task())
                + of(run.expectedAnswer())
                + of(run.parent())
                + of(run.originalSpan())
                + values(run.params())
                + values(run.tags());
    }

    private static long of(@Nullable OriginalSpan span) {
        return span == null ? 0 : VALUE + ofValue(span.spanId()) + ofValue(span.name()) + values(span.resource());
    }

    private static long of(RunEnded end) {
        return of(end.finalAnswer())
                + of(end.error())
                + values(end.metrics())
                + values(end.status().details());
    }

    private static long of(@Nullable Message message) {
        if (message == null) {
            return 0;
        }
        long sum = of(message.content());
        for (Message.ToolRequest call : message.toolCalls()) {
            sum += of(call.arguments());
        }
        for (MessagePart part : message.parts()) {
            sum += VALUE + of(part.content());
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
        count += tokens.responseLengths().size();
        return TOKEN * count + of(tokens.responseText());
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

    private static long of(@Nullable FileContent content) {
        return content == null ? 0 : TEXT + content.weight();
    }

    private static long of(@Nullable Content content) {
        return content == null || content.weight() == 0
                ? 0
                : content.isAgain() ? TEXT : TEXT + CHARACTER * (long) content.weight();
    }
}
