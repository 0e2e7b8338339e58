package dev.rlm.sinks.otel.mapping;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePartBuilder;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Mapping of model calls, tool calls and the user's own work to attributes and events of their spans. */
public final class CallMapping {
    /** The {@code error.type} of a model call that failed. */
    public static final String MODEL_ERROR = "model_call_failed";

    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int APART_BYTES = TextLimits.FULL_BYTES / 4; // beside the messages in one request

    private final ContentCapture capture;
    private final List<AttributeKey<String>> provider;
    private final List<AttributeKey<Long>> cacheCreation;
    private final boolean wholeTopK;

    /** @param versions whose names differ for some of what is told of a model call */
    public CallMapping(ContentCapture capture, GenAiVersions versions) {
        this.capture = capture;
        provider = versions.names(GenAi.PROVIDER.getKey()).stream()
                .map(AttributeKey::stringKey)
                .toList();
        cacheCreation = versions.names(GenAi.CACHE_CREATION_TOKENS.getKey()).stream()
                .map(AttributeKey::longKey)
                .toList();
        wholeTopK = versions.hasLatest();
    }

    public static String name(ModelCalled call) {
        return call.model().isEmpty() ? GenAi.CHAT : GenAi.CHAT + " " + call.model();
    }

    public static String name(ToolCalled call) {
        return call.isRetrieval()
                ? GenAi.RETRIEVAL + " " + call.attributes().getOrDefault(GenAi.DATA_SOURCE.getKey(), call.tool())
                : GenAi.EXECUTE_TOOL + " " + call.tool();
    }

    public void modelCalled(Span span, ModelCalled call) {
        SpanAttributes fields = common(span, call, GenAi.CHAT)
                .set(GenAi.REQUEST_MODEL, orNull(call.model()))
                .set(GenAi.RESPONSE_ID, call.responseId())
                .set(GenAi.RESPONSE_MODEL, call.responseModel())
                .set(Names.SERVER_ADDRESS, call.serverAddress())
                .set(Names.SERVER_PORT, call.serverPort() == 0 ? null : call.serverPort())
                .set(Names.RETRIES, call.retries() == 0 ? null : call.retries());
        provider.forEach(key -> fields.set(key, orNull(call.provider())));
        parameters(fields, call.parameters());
        usage(fields, call.usage());
        if (call.costAmount() != null) {
            fields.set(Names.COST_AMOUNT, call.costAmount().doubleValue());
            fields.set(Names.COST_CURRENCY, call.costCurrency());
        }
        if (call.firstTokenNanos() != null) {
            fields.set(GenAi.REQUEST_STREAM, true);
            fields.set(GenAi.TIME_TO_FIRST_CHUNK, (call.firstTokenNanos() - call.startNanos()) / NANOS);
        }
        if (call.finishReason() != null) {
            fields.list(GenAi.FINISH_REASONS, List.of(call.finishReason()));
        }
        if (capture != ContentCapture.NONE) {
            if (capture == ContentCapture.FULL) {
                toldApart(fields, call);
            }
            asked(span, fields, call);
            replied(span, fields, call);
        }
        outcome(span, call.error() != null, call.error(), MODEL_ERROR);
    }

    /** Instructions and tools, which a preview leaves out: they are long, and the same in each call. */
    private static void toldApart(SpanAttributes fields, ModelCalled call) {
        if (call.systemInstructions() != null) {
            String text = call.systemInstructions().text();
            messages(fields, GenAi.SYSTEM_INSTRUCTIONS, Messages.instructions(text, APART_BYTES));
        }
        if (call.toolDefinitions() != null) {
            String json = call.toolDefinitions().text();
            messages(fields, GenAi.TOOL_DEFINITIONS, Messages.tools(json, APART_BYTES));
        }
    }

    /** The conversation, or its last message; that one as an event too, since the other is no text to read. */
    private void asked(Span span, SpanAttributes fields, ModelCalled call) {
        if (call.messages().isEmpty()) {
            return;
        }
        Message last = beginning(call.messages().get(call.messages().size() - 1));
        messages(
                fields,
                GenAi.INPUT_MESSAGES,
                capture == ContentCapture.FULL
                        ? Messages.input(call.messages(), TextLimits.FULL_BYTES)
                        : Messages.input(List.of(last), TextLimits.PREVIEW_BYTES));
        event(span, Names.EVENT_MESSAGE, last, call.run().at(call.startNanos()));
    }

    private void replied(Span span, SpanAttributes fields, ModelCalled call) {
        if (call.reply() == null) {
            return;
        }
        Message reply = beginning(call.reply());
        messages(
                fields,
                GenAi.OUTPUT_MESSAGES,
                capture == ContentCapture.FULL
                        ? Messages.output(call.reply(), call.finishReason(), TextLimits.FULL_BYTES)
                        : Messages.output(reply, call.finishReason(), TextLimits.PREVIEW_BYTES));
        event(span, Names.EVENT_REPLY, reply, call.time());
    }

    /** The message with as much of its texts as is sent for people to read. */
    private Message beginning(Message message) {
        return new Message(
                message.role(),
                beginning(message.content()),
                message.toolCalls().stream()
                        .map(call -> new Message.ToolRequest(call.id(), call.tool(), beginning(call.arguments())))
                        .toList(),
                message.toolCallId(),
                message.parts().stream()
                        .map(part -> part.content() == null
                                ? part
                                : MessagePartBuilder.builder(part)
                                        .content(beginning(part.content()))
                                        .build())
                        .toList());
    }

    private Content beginning(Content content) {
        return Content.redacted(capture.beginning(content, RunMapping.TEXT_CHARACTERS));
    }

    /** Adds the message to the span as an event: its text, then one line for each tool that it asks for. */
    private static void event(Span span, String name, Message message, Instant time) {
        String text = Stream.concat(
                        Stream.of(message.content().text()),
                        message.toolCalls().stream().map(call -> call.tool() + "(" + call.arguments() + ")"))
                .filter(line -> !line.isEmpty())
                .collect(Collectors.joining("\n"));
        if (!text.isEmpty()) {
            span.addEvent(
                    name,
                    Attributes.of(Names.CONTENT, TextLimits.name(text), Names.ROLE, TextLimits.name(message.role())),
                    time);
        }
    }

    private static void messages(SpanAttributes fields, AttributeKey<String> key, Optional<String> json) {
        json.ifPresentOrElse(text -> fields.text(key, text), () -> fields.leaveOut(key.getKey(), "too large"));
    }

    private void parameters(SpanAttributes fields, Map<String, Object> parameters) {
        parameters.forEach((name, value) -> {
            if (value == null) {
                return; // as a journal may tell it
            }
            AttributeKey<Double> fractional = GenAi.FRACTIONAL_PARAMETERS.get(name);
            AttributeKey<Long> whole = GenAi.WHOLE_PARAMETERS.get(name);
            if (wholeTopK && name.equals(GenAi.TOP_K_PARAMETER) && value instanceof Number number) {
                fields.set(GenAi.WHOLE_TOP_K, number);
            } else if (fractional != null && value instanceof Number number) {
                fields.set(fractional, number.doubleValue());
            } else if (whole != null && value instanceof Number number) {
                fields.set(whole, number);
            } else if (name.equals(GenAi.REASONING_PARAMETER)) {
                fields.set(GenAi.REASONING_LEVEL, value.toString());
            } else if (name.equals(GenAi.STOP_PARAMETER)) {
                fields.list(GenAi.STOP_SEQUENCES, value instanceof List<?> all ? all : List.of(value));
            } else if (name.equals(GenAi.STREAM_PARAMETER) && value.equals(true)) { // nothing said is no stream
                fields.set(GenAi.REQUEST_STREAM, true);
            }
        });
        if (parameters.get("n") instanceof Number choices && choices.longValue() != 1) {
            fields.set(GenAi.CHOICE_COUNT, choices);
        }
    }

    private void usage(SpanAttributes fields, Usage usage) {
        fields.set(GenAi.INPUT_TOKENS, usage.inputTokens())
                .set(GenAi.OUTPUT_TOKENS, usage.outputTokens())
                .set(GenAi.CACHED_TOKENS, usage.cachedTokens())
                .set(GenAi.REASONING_TOKENS, usage.reasoningTokens());
        cacheCreation.forEach(key -> fields.set(key, usage.cacheCreationTokens()));
    }

    public void toolCalled(Span span, ToolCalled call) {
        String operation = call.isRetrieval() ? GenAi.RETRIEVAL : GenAi.EXECUTE_TOOL;
        SpanAttributes fields = common(span, call, operation)
                .set(GenAi.TOOL, call.tool())
                .set(GenAi.TOOL_TYPE, toolType(call))
                .set(GenAi.TOOL_CALL_ID, call.callId())
                .set(Names.RETRIES, call.retries() == 0 ? null : call.retries());
        if (call.provider().equals(ToolCalled.MCP)) {
            fields.set(GenAi.MCP_METHOD, GenAi.MCP_TOOLS_CALL);
        }
        call.attributes().forEach(fields::any);
        payload(fields, call.isRetrieval() ? GenAi.RETRIEVAL_QUERY : GenAi.TOOL_ARGUMENTS, call.arguments());
        documents(fields, call.documents());
        payload(fields, GenAi.TOOL_RESULT, call.result());
        outcome(span, call.failed(), call.error(), errorType(call));
    }

    public static String toolType(ToolCalled call) {
        return GenAi.TOOL_TYPES.getOrDefault(call.provider(), call.provider());
    }

    /** As many as there is room for: ids and figures, which are sent in any case. */
    private void documents(SpanAttributes fields, List<RetrievedDocument> all) {
        int maxBytes = capture == ContentCapture.FULL ? APART_BYTES : TextLimits.PREVIEW_BYTES;
        int sent = all.size();
        Optional<String> json = Optional.empty();
        while (sent > 0 && json.isEmpty()) {
            json = Messages.documents(all.subList(0, sent), maxBytes);
            sent -= json.isPresent() ? 0 : Math.max(1, sent / 8);
        }
        json.ifPresent(text -> fields.text(GenAi.RETRIEVAL_DOCUMENTS, text));
        if (sent < all.size()) {
            fields.leaveOut(GenAi.RETRIEVAL_DOCUMENTS.getKey(), (all.size() - sent) + " more");
        }
    }

    /**
     * Returns the failure's {@code error.type}: the caller's own value, else the status code, else {@code tool_failed}.
     */
    public static String errorType(ToolCalled call) {
        Object known = call.attributes().get(Names.ERROR_TYPE.getKey());
        if (known != null) {
            return known.toString();
        }
        return call.statusCode() == 0 ? "tool_failed" : Integer.toString(call.statusCode());
    }

    private void payload(SpanAttributes fields, AttributeKey<String> key, Content content) {
        if (!content.isEmpty()) {
            capture.of(content, RunMapping.TEXT_CHARACTERS).ifPresent(text -> fields.text(key, text));
        }
    }

    public void spanRecorded(Span span, SpanRecorded recorded) {
        SpanAttributes fields = RunMapping.identity(SpanAttributes.of(span), recorded);
        recorded.attributes().forEach(fields::any);
        outcome(span, recorded.error() != null, recorded.error(), "failed");
    }

    public void standaloneSpanRecorded(Span span, StandaloneSpanRecorded recorded) {
        SpanAttributes fields = SpanAttributes.of(span);
        recorded.attributes().forEach(fields::any);
        outcome(span, recorded.error() != null, recorded.error(), "failed");
    }

    private static SpanAttributes common(Span span, RunEvent call, String operation) {
        return RunMapping.identity(SpanAttributes.of(span), call)
                .set(GenAi.OPERATION, operation)
                .set(GenAi.CONVERSATION, RunMapping.conversation(call.run()));
    }

    /** A call that worked leaves its status unset, as the conventions have it. */
    private void outcome(Span span, boolean failed, @Nullable Content error, String type) {
        if (failed) {
            span.setAttribute(Names.ERROR_TYPE, type);
            span.setStatus(StatusCode.ERROR, capture.error(error));
        }
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
