package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.ModelCalled;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongHistogram;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.context.Context;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What {@link GenAi the conventions} have measured of model calls. */
final class GenAiInstruments {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongHistogram tokens;
    private final DoubleHistogram duration;
    private final DoubleHistogram firstChunk;

    GenAiInstruments(Meter meter) {
        tokens = meter.histogramBuilder(GenAi.TOKEN_USAGE)
                .ofLongs()
                .setUnit("{token}")
                .setDescription("Number of input and output tokens used.")
                .setExplicitBucketBoundariesAdvice(GenAi.TOKEN_BOUNDARIES)
                .build();
        duration = Instruments.seconds(
                meter, GenAi.OPERATION_DURATION, "GenAI operation duration.", GenAi.DURATION_BOUNDARIES);
        firstChunk = Instruments.seconds(
                meter,
                GenAi.FIRST_CHUNK_DURATION,
                "Time to receive the first chunk of a streamed reply.",
                GenAi.DURATION_BOUNDARIES);
    }

    void modelCalled(ModelCalled call, Context context) {
        Attributes labels = labels(call);
        tokens(call.usage().inputTokens(), "input", labels, context);
        tokens(call.usage().outputTokens(), "output", labels, context);
        Attributes outcome = call.error() == null
                ? labels
                : labels.toBuilder()
                        .put(Names.ERROR_TYPE, CallMapping.MODEL_ERROR)
                        .build();
        duration.record((call.nanos() - call.startNanos()) / NANOS, outcome, context);
        if (call.firstTokenNanos() != null) {
            firstChunk.record((call.firstTokenNanos() - call.startNanos()) / NANOS, labels, context);
        }
    }

    private static Attributes labels(ModelCalled call) {
        AttributesBuilder labels = Attributes.builder()
                .put(GenAi.OPERATION, GenAi.CHAT)
                .put(GenAi.PROVIDER, ContentCapture.name(call.provider()));
        if (!call.model().isEmpty()) {
            labels.put(GenAi.REQUEST_MODEL, ContentCapture.name(call.model()));
        }
        return labels.build();
    }

    private void tokens(@Nullable Long number, String type, Attributes labels, Context context) {
        if (number != null) {
            tokens.record(number, labels.toBuilder().put(GenAi.TOKEN_TYPE, type).build(), context);
        }
    }
}
