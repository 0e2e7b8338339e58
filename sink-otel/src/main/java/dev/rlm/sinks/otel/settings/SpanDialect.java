package dev.rlm.sinks.otel.settings;

import dev.rlm.sinks.otel.mapping.ContentCapture;
import dev.rlm.sinks.otel.mapping.GenAi;
import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.mapping.RewardMapping;
import dev.rlm.sinks.otel.mapping.TextLimits;
import dev.rlm.sinks.otel.spans.OwnSpan;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.trace.data.EventData;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names under which a vendor reads what a span is, and its input and output, where the conventions' names do not reach its
 * lists: they are added to what the span has already.
 */
@SuppressWarnings("ImmutableEnumChecker") // keys, sets and maps that do not change
public enum SpanDialect {
    /** The conventions' names alone. */
    NONE(null, null, null, EnumSet.noneOf(Kind.class), Map.of()),

    /** OpenInference, which Phoenix and Weave read. */
    OPENINFERENCE(
            "openinference.span.kind",
            "input.value",
            "output.value",
            EnumSet.allOf(Kind.class),
            Map.of(Kind.EVALUATION, "EVALUATOR")),

    /** Langfuse, which makes a conversation of the messages of a model call by itself, and shows a tool's arguments. */
    LANGFUSE(
            "langfuse.observation.type",
            "langfuse.observation.input",
            "langfuse.observation.output",
            EnumSet.of(Kind.AGENT, Kind.CHAIN),
            Map.of(
                    Kind.AGENT, "agent",
                    Kind.CHAIN, "chain",
                    Kind.LLM, "generation",
                    Kind.TOOL, "tool",
                    Kind.RETRIEVER, "retriever",
                    Kind.EMBEDDING, "embedding",
                    Kind.EVALUATION, "evaluator")),

    /** LangSmith, which knows fewer kinds. */
    LANGSMITH(
            "langsmith.span.kind",
            "gen_ai.prompt",
            "gen_ai.completion",
            EnumSet.allOf(Kind.class),
            Map.of(
                    Kind.AGENT, "chain",
                    Kind.CHAIN, "chain",
                    Kind.LLM, "llm",
                    Kind.TOOL, "tool",
                    Kind.RETRIEVER, "retriever",
                    Kind.EMBEDDING, "embedding",
                    Kind.EVALUATION, "chain"));

    private static final AttributeKey<String> SESSION = AttributeKey.stringKey("session.id");
    private static final AttributeKey<String> TRACE_NAME = AttributeKey.stringKey("langfuse.trace.name");
    private static final AttributeKey<String> TRACE_INPUT = AttributeKey.stringKey("langfuse.trace.input");
    private static final AttributeKey<String> TRACE_OUTPUT = AttributeKey.stringKey("langfuse.trace.output");

    private final @Nullable AttributeKey<String> kind;
    private final @Nullable AttributeKey<String> input;
    private final @Nullable AttributeKey<String> output;
    private final Set<Kind> withTexts;
    private final Map<Kind, String> kinds;

    /**
     * @param withTexts the kinds of spans whose input and output have these names
     * @param kinds what it calls kinds that have another name here
     */
    SpanDialect(
            @Nullable String kind,
            @Nullable String input,
            @Nullable String output,
            Set<Kind> withTexts,
            Map<Kind, String> kinds) {
        this.kind = kind == null ? null : AttributeKey.stringKey(kind);
        this.input = input == null ? null : AttributeKey.stringKey(input);
        this.output = output == null ? null : AttributeKey.stringKey(output);
        this.withTexts = withTexts;
        this.kinds = kinds;
    }

    /** Adds them to a span that is described and about to end. What the span says under such a name already stays. */
    public void complete(OwnSpan span, ContentCapture capture) {
        if (kind == null || input == null || output == null) {
            return;
        }
        Kind its = Kind.of(span);
        set(span, kind, kinds.getOrDefault(its, its.name()));
        set(span, SESSION, span.getAttributes().get(GenAi.CONVERSATION));
        if (withTexts.contains(its)) {
            String asked = cut(its.input(span), capture);
            String replied = cut(its.output(span), capture);
            set(span, input, asked);
            set(span, output, replied);
            if (this == LANGFUSE
                    && its == Kind.AGENT
                    && !span.getParentSpanContext().isValid()) {
                set(span, TRACE_NAME, span.getAttributes().get(Names.ENVIRONMENT));
                set(span, TRACE_INPUT, asked);
                set(span, TRACE_OUTPUT, replied);
            }
        }
    }

    private static @Nullable String cut(@Nullable String text, ContentCapture capture) {
        return text == null ? null : TextLimits.again(text, capture);
    }

    private static void set(OwnSpan span, AttributeKey<String> key, @Nullable String value) {
        if (value != null && span.getAttributes().get(key) == null) {
            span.setAttribute(key, value);
        }
    }

    /** Kinds of spans that vendors tell apart. */
    private enum Kind {
        /** A run. */
        AGENT(Names.TASK, null, Names.EVENT_FINAL_ANSWER, Names.ANSWER),
        LLM(null, Names.EVENT_MESSAGE, Names.EVENT_REPLY, Names.CONTENT),
        TOOL(GenAi.TOOL_ARGUMENTS, null, null, GenAi.TOOL_RESULT),
        RETRIEVER(GenAi.RETRIEVAL_QUERY, null, null, GenAi.RETRIEVAL_DOCUMENTS),
        EMBEDDING(null, null, null, null),
        /** The computation of a reward. */
        EVALUATION(null, null, null, null),
        /** A step, and all else. */
        CHAIN(Names.CODE, Names.EVENT_CODE, Names.EVENT_OUTPUT, Names.OUTPUT);

        private final @Nullable AttributeKey<String> input;
        private final @Nullable String inputEvent;
        private final @Nullable String outputEvent;
        private final @Nullable AttributeKey<String> output;

        /**
         * @param inputEvent the span event that has the input; {@code null} where the span itself has
         * @param outputEvent the same of the output
         */
        Kind(
                @Nullable AttributeKey<String> input,
                @Nullable String inputEvent,
                @Nullable String outputEvent,
                @Nullable AttributeKey<String> output) {
            this.input = input == null ? output : input;
            this.inputEvent = inputEvent;
            this.outputEvent = outputEvent;
            this.output = output;
        }

        static Kind of(OwnSpan span) {
            String operation = span.getAttributes().get(GenAi.OPERATION);
            if (operation == null) {
                return span.getName().equals(RewardMapping.SPAN_NAME) ? EVALUATION : CHAIN;
            }
            return switch (operation) {
                case GenAi.INVOKE_AGENT, "create_agent" -> AGENT;
                case GenAi.CHAT, "text_completion", "generate_content" -> LLM; // the others of spans recorded elsewhere
                case "embeddings" -> EMBEDDING;
                case GenAi.EXECUTE_TOOL -> TOOL;
                case GenAi.RETRIEVAL -> RETRIEVER;
                default -> CHAIN;
            };
        }

        @Nullable
        String input(OwnSpan span) {
            return text(span, inputEvent, input);
        }

        @Nullable
        String output(OwnSpan span) {
            return text(span, outputEvent, output);
        }

        private static @Nullable String text(OwnSpan span, @Nullable String event, @Nullable AttributeKey<String> key) {
            if (key == null) {
                return null;
            }
            Attributes holder = event == null ? span.getAttributes() : last(span.getEvents(), event);
            return holder == null ? null : holder.get(key);
        }

        /** They come near the end, as a rule. */
        private static @Nullable Attributes last(List<EventData> events, String name) {
            for (int i = events.size() - 1; i >= 0; i--) {
                if (events.get(i).getName().equals(name)) {
                    return events.get(i).getAttributes();
                }
            }
            return null;
        }
    }
}
