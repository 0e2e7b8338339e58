package dev.rlm.benchmarks.otlp;

import dev.rlm.benchmarks.redaction.VariedTexts;
import dev.rlm.sinks.otel.otlp.OtlpSenders;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/**
 * OpenTelemetry called by hand, for spans and measurements with what the sink's have: a step's span has eight attributes,
 * three events and a status.
 */
final class RawFeed implements StepFeed {
    private static final AttributeKey<String> RUN_ID = AttributeKey.stringKey("rlm.run_id");
    private static final AttributeKey<String> ENVIRONMENT_KEY = AttributeKey.stringKey("rlm.environment");
    private static final AttributeKey<String> MODEL_KEY = AttributeKey.stringKey("rlm.model");
    private static final AttributeKey<Long> STEP = AttributeKey.longKey("rlm.step");
    private static final AttributeKey<String> ACTION_TYPE = AttributeKey.stringKey("rlm.action_type");
    private static final AttributeKey<Boolean> SUCCESS = AttributeKey.booleanKey("rlm.success");
    private static final AttributeKey<Double> STEP_REWARD = AttributeKey.doubleKey("rlm.reward");
    private static final AttributeKey<Double> CUMULATIVE = AttributeKey.doubleKey("rlm.cumulative_reward");
    private static final AttributeKey<String> CODE_KEY = AttributeKey.stringKey("code");
    private static final AttributeKey<String> OUTPUT_KEY = AttributeKey.stringKey("output");
    private static final AttributeKey<String> SOURCE = AttributeKey.stringKey("gen_ai.evaluation.name");
    private static final AttributeKey<Double> SCORE = AttributeKey.doubleKey("gen_ai.evaluation.score.value");
    private static final double SECOND = 1e9;
    private static final int QUEUE = 32_768; // spans
    private static final int STEPS_BETWEEN_LOOKS = 256;
    private static final long NAP_NANOS = 100_000;

    private final AtomicLong exported = new AtomicLong();
    private final boolean complete;
    private final OpenTelemetrySdk sdk;
    private final Tracer tracer;
    private final LongCounter counter;
    private final DoubleHistogram durations;
    private final DoubleHistogram rewards;
    private final Attributes labels = Attributes.of(ENVIRONMENT_KEY, ENVIRONMENT, MODEL_KEY, MODEL);
    private long recorded;
    private long runs;

    private RawFeed(boolean complete, Map<String, String> properties, ComponentLoader components) {
        this.complete = complete;
        sdk = AutoConfiguredOpenTelemetrySdk.builder()
                .disableShutdownHook()
                .setComponentLoader(components)
                .addPropertiesSupplier(() -> properties)
                .addSpanExporterCustomizer((exporter, config) -> complete ? new Counting(exporter) : exporter)
                .build()
                .getOpenTelemetrySdk();
        tracer = sdk.getTracer(ENVIRONMENT);
        Meter meter = sdk.getMeter(ENVIRONMENT);
        counter = meter.counterBuilder("rlm.steps").build();
        durations = meter.histogramBuilder("rlm.step_duration").setUnit("s").build();
        rewards = meter.histogramBuilder("rlm.reward").build();
    }

    /** Returns a feed with OpenTelemetry's default settings: it drops what it cannot send. */
    static RawFeed byDefault(String endpoint) {
        return new RawFeed(
                false,
                Map.of("otel.exporter.otlp.endpoint", endpoint),
                ComponentLoader.forClassLoader(RawFeed.class.getClassLoader()));
    }

    /** One with the sink's senders, batches and intervals, and a queue for whose room it waits. */
    static RawFeed likeTheSink(String endpoint) {
        Map<String, String> properties = new HashMap<>();
        properties.put("otel.exporter.otlp.endpoint", endpoint);
        properties.put("otel.exporter.otlp.protocol", Way.PROTOCOL);
        properties.put("otel.bsp.max.queue.size", String.valueOf(QUEUE));
        properties.put("otel.bsp.schedule.delay", "500");
        properties.put("otel.metric.export.interval", "10000");
        ComponentLoader components = ComponentLoader.forClassLoader(RawFeed.class.getClassLoader());
        return new RawFeed(true, properties, new OtlpSenders(components, UnaryOperator.identity()));
    }

    @Override
    public void run(int count) {
        String id = "run-" + ++runs;
        Span run = tracer.spanBuilder("rlm.run").startSpan();
        identity(run, id);
        Context parent = Context.root().with(run);
        for (int i = 1; i <= count; i++) {
            step(parent, id, i);
            awaitRoom();
        }
        run.setStatus(StatusCode.OK);
        run.end();
        recorded++;
    }

    private static void identity(Span span, String id) {
        span.setAttribute(RUN_ID, id);
        span.setAttribute(ENVIRONMENT_KEY, ENVIRONMENT);
        span.setAttribute(MODEL_KEY, MODEL);
    }

    private void step(Context parent, String run, int number) {
        long start = System.nanoTime();
        Span span = tracer.spanBuilder("rlm.step").setParent(parent).startSpan();
        identity(span, run);
        span.setAttribute(STEP, (long) number);
        span.setAttribute(ACTION_TYPE, ACTION);
        span.addEvent("gen_ai.evaluation.result", Attributes.of(SOURCE, "environment", SCORE, REWARD));
        span.setAttribute(SUCCESS, true);
        span.setAttribute(STEP_REWARD, REWARD);
        span.setAttribute(CUMULATIVE, REWARD * number);
        span.addEvent("code_execution", Attributes.of(CODE_KEY, VariedTexts.code(number)));
        span.addEvent("output", Attributes.of(OUTPUT_KEY, VariedTexts.output(number)));
        span.setStatus(StatusCode.OK);
        rewards.record(REWARD, labels);
        counter.add(1, labels);
        durations.record((System.nanoTime() - start) / SECOND, labels);
        span.end();
    }

    private void awaitRoom() {
        if (++recorded % STEPS_BETWEEN_LOOKS == 0 && complete) {
            while (recorded - exported.get() > QUEUE - 2 * STEPS_BETWEEN_LOOKS) {
                LockSupport.parkNanos(NAP_NANOS);
            }
        }
    }

    @Override
    public int spansOfRun() {
        return 1;
    }

    @Override
    public boolean isComplete() {
        return complete;
    }

    @Override
    public void settle() {
        sdk.getSdkTracerProvider().forceFlush().join(LONG.toSeconds(), TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        sdk.close();
    }

    /** Counts the spans that have left the queue. */
    private final class Counting implements SpanExporter {
        private final SpanExporter exporter;

        Counting(SpanExporter exporter) {
            this.exporter = exporter;
        }

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            exported.addAndGet(spans.size());
            return exporter.export(spans);
        }

        @Override
        public CompletableResultCode flush() {
            return exporter.flush();
        }

        @Override
        public CompletableResultCode shutdown() {
            return exporter.shutdown();
        }
    }
}
