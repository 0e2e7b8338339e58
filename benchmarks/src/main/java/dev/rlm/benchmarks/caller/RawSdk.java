package dev.rlm.benchmarks.caller;

import dev.rlm.benchmarks.redaction.VariedTexts;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.export.CollectionRegistration;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.MDC;

/**
 * OpenTelemetry called by hand, for the same step: a span with six attributes, two events with a text each, and a status; a
 * counter and a histogram, with attributes made beforehand.
 */
final class RawSdk implements Recorder {
    private static final AttributeKey<Long> STEP = AttributeKey.longKey("rlm.step.number");
    private static final AttributeKey<String> RUN = AttributeKey.stringKey("rlm.run.id");
    private static final AttributeKey<String> ENVIRONMENT = AttributeKey.stringKey("rlm.env");
    private static final AttributeKey<String> ACTION = AttributeKey.stringKey("rlm.action.type");
    private static final AttributeKey<Double> REWARD = AttributeKey.doubleKey("rlm.step.reward");
    private static final AttributeKey<Boolean> SUCCESS = AttributeKey.booleanKey("rlm.step.success");
    private static final AttributeKey<String> CODE = AttributeKey.stringKey("rlm.code");
    private static final AttributeKey<String> OUTPUT = AttributeKey.stringKey("rlm.output");
    private static final String RUN_ID = "run-0123456789abcdef";
    private static final List<String> LOGGED = List.of("run_id", "step", "trace_id", "span_id");
    private static final double SECOND = 1e9;

    private final SdkTracerProvider tracers;
    private final OpenTelemetrySdk sdk;
    private final Tracer tracer;
    private final LongCounter steps;
    private final DoubleHistogram durations;
    private final boolean current;
    private final Attributes labels = Attributes.of(ENVIRONMENT, "benchmark");

    /** One with that processor, whose spans are current while they last and tell the log's context, or are not. */
    private RawSdk(SpanProcessor processor, boolean current) {
        this.current = current;
        tracers = SdkTracerProvider.builder().addSpanProcessor(processor).build();
        sdk = OpenTelemetrySdk.builder()
                .setTracerProvider(tracers)
                .setMeterProvider(SdkMeterProvider.builder()
                        .registerMetricReader(new Unread())
                        .build())
                .build();
        tracer = sdk.getTracer("benchmark");
        Meter meter = sdk.getMeter("benchmark");
        steps = meter.counterBuilder("rlm.steps").build();
        durations = meter.histogramBuilder("rlm.step.duration").setUnit("s").build();
    }

    /** One whose spans go nowhere. */
    static RawSdk idle() {
        return new RawSdk(new Idle(), false);
    }

    /** One with the SDK's own batch processor, before an exporter that takes all and does nothing. */
    static RawSdk batching(boolean current) {
        return new RawSdk(BatchSpanProcessor.builder(new Nowhere()).build(), current);
    }

    @Override
    public Track track() {
        Span run = tracer.spanBuilder("rlm.run").startSpan();
        Context parent = Context.root().with(run);
        return current ? number -> recordCurrent(parent, number) : number -> record(parent, number);
    }

    private void record(Context parent, int number) {
        long start = System.nanoTime();
        Span span = start(parent);
        describe(span, number);
        end(span, start);
    }

    private void recordCurrent(Context parent, int number) {
        long start = System.nanoTime();
        Span span = start(parent);
        try (Scope ignored = span.makeCurrent()) {
            MDC.put("run_id", RUN_ID);
            MDC.put("step", Integer.toString(number));
            MDC.put("trace_id", span.getSpanContext().getTraceId());
            MDC.put("span_id", span.getSpanContext().getSpanId());
            describe(span, number);
        } finally {
            LOGGED.forEach(MDC::remove);
        }
        end(span, start);
    }

    private Span start(Context parent) {
        return tracer.spanBuilder("rlm.step").setParent(parent).startSpan();
    }

    private static void describe(Span span, int number) {
        span.setAttribute(STEP, (long) number);
        span.setAttribute(RUN, RUN_ID);
        span.setAttribute(ENVIRONMENT, "benchmark");
        span.setAttribute(ACTION, "run_python");
        span.addEvent("code", Attributes.of(CODE, VariedTexts.code(number)));
        span.setAttribute(REWARD, 0.5);
        span.addEvent("output", Attributes.of(OUTPUT, VariedTexts.output(number)));
        span.setAttribute(SUCCESS, true);
        span.setStatus(StatusCode.OK);
    }

    private void end(Span span, long start) {
        span.end();
        steps.add(1, labels);
        durations.record((System.nanoTime() - start) / SECOND, labels);
    }

    @Override
    public void settle() {
        tracers.forceFlush().join(1, TimeUnit.MINUTES);
    }

    @Override
    public void close() {
        sdk.close();
    }

    /** A processor that does nothing. */
    private static final class Idle implements SpanProcessor {
        @Override
        public void onStart(Context parent, io.opentelemetry.sdk.trace.ReadWriteSpan span) {}

        @Override
        public boolean isStartRequired() {
            return false;
        }

        @Override
        public void onEnd(io.opentelemetry.sdk.trace.ReadableSpan span) {}

        @Override
        public boolean isEndRequired() {
            return true;
        }
    }

    /** An exporter that takes all and does nothing. */
    private static final class Nowhere implements SpanExporter {
        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    /** A reader that never reads: without one an SDK measures nothing. */
    private static final class Unread implements MetricReader {
        @Override
        public void register(CollectionRegistration registration) {}

        @Override
        public CompletableResultCode forceFlush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public AggregationTemporality getAggregationTemporality(InstrumentType type) {
            return AggregationTemporality.CUMULATIVE;
        }
    }
}
