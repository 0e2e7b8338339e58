package dev.rlm.collector.runs;

import dev.rlm.collector.otlp.Attributes;
import dev.rlm.collector.otlp.ReceivedSpan;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.OriginalSpan;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.ToolCalledBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Calls of models and tools as spans tell them. */
final class CallEvents {
    private CallEvents() {}

    /**
     * Position of an event in its run.
     *
     * @param parentSeq the number of the event whose span it lies in; 0 for the step or the run
     * @param start in nanoseconds from the run's start
     * @param span what the event keeps of its span; {@code null} where it has none of its own
     */
    record Position(
            int step,
            long parentSeq,
            long start,
            long end,
            @Nullable OriginalSpan span) {}

    static ModelCalled model(RunInfo run, long seq, Position place, ReceivedSpan span) {
        Attributes on = span.attributes();
        CallFields fields = new CallFields(span);
        List<Message> messages = fields.messages();
        Double first = on.decimal("gen_ai.response.time_to_first_chunk");
        return ModelCalledBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(place.end())
                .step(place.step())
                .startNanos(place.start())
                .parentSeq(place.parentSeq())
                .firstTokenNanos(first == null ? null : (Long) (place.start() + Math.round(first * 1e9)))
                .provider(on.textOrEmpty(CallFields.PROVIDER))
                .model(fields.model())
                .responseId(on.text("gen_ai.response.id", "ai.response.id"))
                .responseModel(fields.responseModel())
                .serverAddress(on.text("server.address"))
                .serverPort(on.count("server.port"))
                .parameters(fields.parameters())
                .systemInstructions(fields.instructions())
                .toolDefinitions(fields.toolDefinitions())
                .messages(messages)
                .reply(fields.reply())
                .usage(fields.usage())
                .costAmount(on.decimal("llm.cost.total"))
                .costCurrency(on.has("llm.cost.total") ? "USD" : null)
                .finishReason(fields.finishReason())
                .error(error(span))
                .originalSpan(place.span())
                .build();
    }

    static ToolCalled tool(RunInfo run, long seq, Position place, ReceivedSpan span) {
        CallFields fields = new CallFields(span);
        return ToolCalledBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(place.end())
                .step(place.step())
                .startNanos(place.start())
                .parentSeq(place.parentSeq())
                .tool(fields.tool())
                .provider(fields.toolProvider())
                .callId(fields.callId())
                .arguments(Content.redacted(fields.arguments()))
                .result(Content.redacted(fields.result()))
                .statusCode(fields.toolStatus())
                .error(error(span))
                .attributes(fields.otherAttributes())
                .documents(fields.documents())
                .originalSpan(place.span())
                .build();
    }

    /** Returns why it failed; {@code null} where it did not. */
    static @Nullable Content error(ReceivedSpan span) {
        if (!span.failed()) {
            return null;
        }
        String exception = span.events().stream()
                .map(event -> event.attributes().text("exception.message"))
                .filter(text -> text != null)
                .findFirst()
                .orElse(span.attributes().text(AttributeNames.ERROR_TYPE));
        return Content.redacted(!span.message().isEmpty() ? span.message() : exception == null ? "failed" : exception);
    }
}
