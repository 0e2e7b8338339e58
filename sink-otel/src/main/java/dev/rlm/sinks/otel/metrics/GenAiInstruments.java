package dev.rlm.sinks.otel.metrics;

import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.otel.mapping.CallMapping;
import dev.rlm.sinks.otel.mapping.GenAi;
import dev.rlm.sinks.otel.mapping.GenAiVersions;
import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.mapping.RunMapping;
import dev.rlm.sinks.otel.mapping.SpanAttributes;
import dev.rlm.sinks.otel.mapping.TextLimits;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.LongHistogram;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.context.Context;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Measurements that {@link GenAi the conventions} define: of model calls, tool calls and runs, which invoke an agent. */
public final class GenAiInstruments {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String TOKENS = "{token}";

    private final List<AttributeKey<String>> provider;
    private final @Nullable LongHistogram tokens; // null where the latest version alone is chosen
    private final @Nullable LatestTokens latestTokens; // null where it is not
    private final List<DoubleHistogram> durations;
    private final List<DoubleHistogram> firstChunks;
    private final DoubleHistogram agentDuration;
    private final LongHistogram agentInferenceCalls;
    private final LongHistogram agentToolCalls;
    private final DoubleHistogram toolDuration;

    public GenAiInstruments(Meter meter, GenAiVersions versions) {
        provider = versions.names(GenAi.PROVIDER.getKey()).stream()
                .map(AttributeKey::stringKey)
                .toList();
        tokens = versions.hasEarlier()
                ? histogram(
                        meter,
                        GenAi.TOKEN_USAGE,
                        TOKENS,
                        "Number of input and output tokens used.",
                        GenAi.TOKEN_BOUNDARIES)
                : null;
        latestTokens = versions.hasLatest() ? new LatestTokens(meter) : null;
        durations = seconds(meter, versions.names(GenAi.OPERATION_DURATION), "GenAI operation duration.");
        firstChunks = seconds(
                meter,
                versions.names(GenAi.FIRST_CHUNK_DURATION),
                "Time to receive the first chunk of a streamed reply.");
        agentDuration = Instruments.seconds(
                meter, GenAi.AGENT_DURATION, "From a run's start to its end.", GenAi.AGENT_BOUNDARIES);
        agentInferenceCalls = histogram(
                meter,
                GenAi.AGENT_INFERENCE_CALLS,
                "{inference_call}",
                "Calls of models in a run.",
                GenAi.CALL_BOUNDARIES);
        agentToolCalls = histogram(
                meter, GenAi.AGENT_TOOL_CALLS, "{tool_call}", "Calls of tools in a run.", GenAi.CALL_BOUNDARIES);
        toolDuration = Instruments.seconds(
                meter, GenAi.TOOL_DURATION, "From a tool's call to its result.", GenAi.DURATION_BOUNDARIES);
    }

    private static List<DoubleHistogram> seconds(Meter meter, List<String> names, String description) {
        return names.stream()
                .map(name -> Instruments.seconds(meter, name, description, GenAi.DURATION_BOUNDARIES))
                .toList();
    }

    private static LongHistogram histogram(
            Meter meter, String name, String unit, String description, List<Long> boundaries) {
        return meter.histogramBuilder(name)
                .ofLongs()
                .setUnit(unit)
                .setDescription(description)
                .setExplicitBucketBoundariesAdvice(boundaries)
                .build();
    }

    void modelCalled(ModelCalled call, Context context) {
        Attributes labels = labels(call);
        if (tokens != null) {
            tokens(tokens, call.usage().inputTokens(), "input", labels, context);
            tokens(tokens, call.usage().outputTokens(), "output", labels, context);
        }
        if (latestTokens != null) {
            latestTokens.used(call.usage(), labels, context);
        }
        Attributes outcome = call.error() == null
                ? labels
                : labels.toBuilder()
                        .put(Names.ERROR_TYPE, CallMapping.MODEL_ERROR)
                        .build();
        durations.forEach(each -> each.record((call.nanos() - call.startNanos()) / NANOS, outcome, context));
        Long firstToken = call.firstTokenNanos();
        if (firstToken != null) {
            firstChunks.forEach(each -> each.record((firstToken - call.startNanos()) / NANOS, labels, context));
        }
    }

    private Attributes labels(ModelCalled call) {
        AttributesBuilder labels = Attributes.builder().put(GenAi.OPERATION, GenAi.CHAT);
        provider.forEach(key -> labels.put(key, TextLimits.name(call.provider())));
        SpanAttributes.of(labels).set(GenAi.REQUEST_MODEL, call.model().isEmpty() ? null : call.model());
        return labels.build();
    }

    private static void tokens(
            LongHistogram tokens, @Nullable Long number, String type, Attributes labels, Context context) {
        if (number != null) {
            tokens.record(number, labels.toBuilder().put(GenAi.TOKEN_TYPE, type).build(), context);
        }
    }

    void toolCalled(ToolCalled call, Context context) {
        AttributesBuilder labels = Attributes.builder();
        SpanAttributes.of(labels)
                .set(GenAi.TOOL, call.tool())
                .set(GenAi.TOOL_TYPE, CallMapping.toolType(call))
                .set(GenAi.AGENT, call.run().agent())
                .set(Names.ERROR_TYPE, call.failed() ? CallMapping.errorType(call) : null);
        toolDuration.record(Instruments.seconds(call.duration()), labels.build(), context);
    }

    /** Measures a run, whose span invokes an agent. */
    void agentInvoked(RunEnded end, long modelCalls, long toolCalls, Context context) {
        AttributesBuilder agent = Attributes.builder();
        SpanAttributes.of(agent)
                .set(GenAi.AGENT, end.run().agent())
                .set(
                        GenAi.REQUEST_MODEL,
                        end.run().model().isEmpty() ? null : end.run().model());
        Attributes labels = agent.build();
        SpanAttributes.of(agent)
                .set(Names.ERROR_TYPE, end.outcome() == Outcome.COMPLETED ? null : RunMapping.errorType(end));
        agentDuration.record(Instruments.seconds(end.duration()), agent.build(), context);
        agentInferenceCalls.record(modelCalls, labels, context);
        agentToolCalls.record(toolCalls, labels, context);
    }

    /** Instruments of the latest version in the place of the token usage: sums by kind, and how many one call takes. */
    private static final class LatestTokens {
        private final LongCounter input;
        private final LongCounter output;
        private final LongCounter cacheRead;
        private final LongCounter cacheWrite;
        private final LongCounter reasoning;
        private final LongHistogram inputOfCall;
        private final LongHistogram outputOfCall;

        LatestTokens(Meter meter) {
            input = counter(meter, "input_tokens", "Input tokens, those of caches among them.");
            output = counter(meter, "output_tokens", "Output tokens, those of reasoning among them.");
            cacheRead = counter(meter, "cache_read.input_tokens", "Input tokens that came out of a cache.");
            cacheWrite = counter(meter, "cache_write.input_tokens", "Input tokens that went into a cache.");
            reasoning = counter(meter, "reasoning.output_tokens", "Output tokens of reasoning.");
            inputOfCall = ofCall(meter, "input_tokens", "Input tokens of a call.");
            outputOfCall = ofCall(meter, "output_tokens", "Output tokens of a call.");
        }

        private static LongCounter counter(Meter meter, String kind, String description) {
            return meter.counterBuilder(GenAi.USED_TOKENS + kind)
                    .setUnit(TOKENS)
                    .setDescription(description)
                    .build();
        }

        private static LongHistogram ofCall(Meter meter, String kind, String description) {
            return histogram(meter, GenAi.TOKENS_OF_OPERATION + kind, TOKENS, description, GenAi.TOKEN_BOUNDARIES);
        }

        /** The modality is not known: what a call is given may be anything. */
        void used(Usage usage, Attributes call, Context context) {
            Attributes labels = call.toBuilder()
                    .put(GenAi.TOKEN_MODALITY, GenAi.UNKNOWN_MODALITY)
                    .build();
            add(input, usage.inputTokens(), labels, context);
            add(output, usage.outputTokens(), labels, context);
            add(cacheRead, usage.cachedTokens(), labels, context);
            add(cacheWrite, usage.cacheCreationTokens(), labels, context);
            add(reasoning, usage.reasoningTokens(), labels, context);
            if (usage.inputTokens() != null) {
                inputOfCall.record(usage.inputTokens(), call, context);
            }
            if (usage.outputTokens() != null) {
                outputOfCall.record(usage.outputTokens(), call, context);
            }
        }

        private static void add(LongCounter counter, @Nullable Long number, Attributes labels, Context context) {
            if (number != null) {
                counter.add(number, labels, context);
            }
        }
    }
}
