package dev.rlm.sinks.otel;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfigException;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An OpenTelemetry SDK that belongs to the sink: configured by the {@code OTEL_*} variables as every other, but with ids
 * that follow from the run's, with the sink's own export in place of the batch processor, which drops behind everybody's
 * back, and with a histogram that takes negative rewards. Nothing global is set.
 */
final class OwnSdk {
    /** What differs from OpenTelemetry's own defaults. */
    private static final Map<String, String> DEFAULTS = Map.of(
            "otel.service.name", "rlm",
            "otel.logs.exporter", "none",
            "otel.metric.export.interval", "10000",
            // What a run's end adds comes last, and must not fall victim to many tags.
            "otel.span.attribute.count.limit", "1024");

    private static final Duration SPAN_DELAY = Duration.ofMillis(500);
    private static final Duration EXPORT_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration NO_TIMEOUT = Duration.ofDays(1); // the exporter has a time-out of its own
    private static final int MAX_BATCH = 512;
    private static final long MAX_BATCH_BYTES = 2L << 20;

    private static final AttributeKey<String> INSTANCE = AttributeKey.stringKey("service.instance.id");

    private final FixedIds ids = new FixedIds();
    private final Acknowledgements acknowledgements;
    private final RewardHistogram rewards;
    private final OpenTelemetrySdk sdk;
    private final List<SpanExporter> exporters = new ArrayList<>();
    private @Nullable SpanExport spanExport;
    private @Nullable MetricExport metricExport;
    private String instance = "";
    private boolean mlflow;
    private String target = "nowhere (OTEL_SDK_DISABLED)";

    /**
     * @param metricsSwitch the variable that turns metrics off
     * @throws SinkConfigException if one of them, or of the variables, has a value that cannot be used
     */
    OwnSdk(SdkProperties properties, String metricsSwitch, Acknowledgements acknowledgements) {
        this.acknowledgements = acknowledgements;
        this.rewards = new RewardHistogram(OtelSink.SCOPE, this::temporality);
        try {
            sdk = AutoConfiguredOpenTelemetrySdk.builder()
                    .disableShutdownHook()
                    .addPropertiesSupplier(() -> DEFAULTS)
                    .addPropertiesCustomizer(config -> properties.overrides())
                    .addResourceCustomizer((resource, config) -> withoutInstance(resource))
                    .addSamplerCustomizer((sampler, config) -> ids.wrap(sampler))
                    .addSpanExporterCustomizer((exporter, config) -> keep(exporter))
                    .addSpanProcessorCustomizer((processor, config) -> discard(processor))
                    .addTracerProviderCustomizer((tracer, config) -> exporting(tracer.setIdGenerator(ids), config))
                    .addMetricExporterCustomizer((exporter, config) ->
                            metricExport = new MetricExport(exporter, endpoint(config, "metrics"), metricsSwitch))
                    .addMeterProviderCustomizer(
                            (meter, config) -> meter.addResource(instance()).registerMetricProducer(rewards))
                    .build()
                    .getOpenTelemetrySdk();
        } catch (ConfigurationException | IllegalArgumentException e) {
            String reason = reason(e);
            String said = reason == null ? "no reason given" : properties.withVariables(reason);
            throw new SinkConfigException("OpenTelemetry cannot be configured: " + said, e);
        }
    }

    /** What is wrong; OpenTelemetry's own message does not always say. */
    private static @Nullable String reason(RuntimeException error) {
        Throwable cause = error.getCause();
        return cause instanceof IllegalArgumentException && !(cause instanceof NumberFormatException)
                ? error.getMessage() + ": " + cause.getMessage()
                : error.getMessage();
    }

    /** MLflow asks for a header that nobody else knows. */
    boolean sendsToMlflow() {
        return mlflow;
    }

    private static boolean sendsToMlflow(ConfigProperties config) {
        return Stream.of("otel.exporter.otlp.headers", "otel.exporter.otlp.traces.headers")
                .flatMap(name -> config.getMap(name).keySet().stream())
                .anyMatch(MlflowColumns.EXPERIMENT_HEADER::equalsIgnoreCase);
    }

    private SpanExporter keep(SpanExporter exporter) {
        exporters.add(exporter);
        return SpanExporter.composite();
    }

    /** The SDK's own batching around an exporter that has been taken out of it. */
    private static SpanProcessor discard(SpanProcessor processor) {
        processor.shutdown();
        return SpanProcessor.composite();
    }

    /** Without an exporter there is no export either: spans are then not recorded, and do not count as delivered. */
    private SdkTracerProviderBuilder exporting(SdkTracerProviderBuilder tracer, ConfigProperties config) {
        if (exporters.isEmpty()) {
            target = "nowhere (OTEL_TRACES_EXPORTER=none)";
            return tracer;
        }
        target = endpoint(config, "traces");
        mlflow = sendsToMlflow(config);
        Duration timeout = config.getDuration("otel.bsp.export.timeout", EXPORT_TIMEOUT);
        SpanExport.Settings settings = new SpanExport.Settings(
                target,
                config.getDuration("otel.bsp.schedule.delay", SPAN_DELAY),
                config.getInt("otel.bsp.max.export.batch.size", MAX_BATCH),
                MAX_BATCH_BYTES,
                timeout.isZero() ? NO_TIMEOUT : timeout);
        spanExport = new SpanExport(SpanExporter.composite(exporters), acknowledgements, settings);
        return tracer.addSpanProcessor(spanExport);
    }

    /**
     * Spans do not say which process sent them: whoever sends a span again sends the same, and back ends that compare
     * resources keep it once.
     */
    private Resource withoutInstance(Resource resource) {
        String known = resource.getAttribute(INSTANCE);
        instance = known == null ? UUID.randomUUID().toString() : known;
        Attributes others =
                resource.getAttributes().toBuilder().remove(INSTANCE).build();
        return Resource.create(others, resource.getSchemaUrl());
    }

    /** Metrics do: the counters of two processes are two series. */
    private Resource instance() {
        return Resource.create(Attributes.of(INSTANCE, instance));
    }

    private AggregationTemporality temporality() {
        MetricExport export = metricExport;
        return export == null
                ? AggregationTemporality.CUMULATIVE
                : export.getAggregationTemporality(InstrumentType.HISTOGRAM);
    }

    /** Where the signal goes by OTLP, without user and password. */
    private static String endpoint(ConfigProperties config, String signal) {
        String common = config.getString("otel.exporter.otlp.protocol", "grpc");
        String protocol = config.getString("otel.exporter.otlp." + signal + ".protocol", common);
        String byDefault = protocol.equals("grpc") ? "http://localhost:4317" : "http://localhost:4318";
        String general = config.getString("otel.exporter.otlp.endpoint", byDefault);
        URI uri = URI.create(config.getString("otel.exporter.otlp." + signal + ".endpoint", general));
        String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        return uri.getScheme() + "://" + uri.getHost() + port + " (" + protocol + ")";
    }

    OpenTelemetrySdk sdk() {
        return sdk;
    }

    FixedIds ids() {
        return ids;
    }

    RewardHistogram rewards() {
        return rewards;
    }

    /** Sends spans; {@code null} where they go nowhere. */
    @Nullable
    SpanExport spanExport() {
        return spanExport;
    }

    /** Brings all spans and measurements to the back end. Whether they arrived; metrics that it does not take count as such. */
    boolean flush(Duration timeout) {
        long by = System.nanoTime() + timeout.toNanos();
        boolean spansArrived = spanExport == null || spanExport.flush(timeout);
        long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(by - System.nanoTime()));
        boolean metricsAnswered = sdk.getSdkMeterProvider()
                .forceFlush()
                .join(left, TimeUnit.MILLISECONDS)
                .isSuccess();
        return spansArrived && metricsAnswered && (metricExport == null || !metricExport.isFailing());
    }

    /** Where spans go, and what is amiss. */
    Sink.Health health() {
        Failure spans = spanExport == null ? null : spanExport.failure();
        Failure metrics = metricExport == null ? null : metricExport.failure();
        StringBuilder detail = new StringBuilder(target);
        if (spanExport != null) {
            detail.append(", ").append(spanExport.exported()).append(" spans arrived");
        }
        detail.append(spans == null ? "" : ", last failure: " + spans.detail());
        detail.append(metrics == null ? "" : ", metrics: " + metrics.detail());
        boolean sending = spanExport != null || metricExport != null;
        return new Sink.Health(sending && spans == null, detail.toString());
    }

    /** Sends what is left, within the time, and ends all threads. */
    void close(Duration timeout) {
        if (spanExport != null) {
            spanExport.flush(timeout);
        }
        sdk.shutdown().join(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }
}
