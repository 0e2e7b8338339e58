package dev.rlm.sinks.otel;

import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.otel.export.LogExport;
import dev.rlm.sinks.otel.export.MetricExport;
import dev.rlm.sinks.otel.export.OtlpPipeline;
import dev.rlm.sinks.otel.export.RewardScores;
import dev.rlm.sinks.otel.export.SpanExport;
import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.metrics.Distribution;
import dev.rlm.sinks.otel.metrics.RewardHistogram;
import dev.rlm.sinks.otel.settings.OtlpConfig;
import dev.rlm.sinks.otel.settings.SdkProperties;
import dev.rlm.sinks.otel.spans.OwnSpan;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.logs.LogLimits;
import io.opentelemetry.sdk.logs.LogRecordProcessor;
import io.opentelemetry.sdk.logs.SdkLoggerProviderBuilder;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentSelector;
import io.opentelemetry.sdk.metrics.SdkMeterProviderBuilder;
import io.opentelemetry.sdk.metrics.View;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An OpenTelemetry SDK that belongs to the sink: configured by the {@code OTEL_*} variables as every other, but with
 * {@linkplain OwnSpan spans} that the sink makes and sends itself, within its limits, and with a histogram that takes
 * negative rewards. Nothing global is set.
 */
final class OwnSdk {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final AttributeKey<String> SERVICE_NAME = AttributeKey.stringKey("service.name");
    private static final String UNKNOWN_SERVICE = "unknown_service"; // begins the name of one that has none

    /** Instruments of the SDK's exporters about themselves. They are dropped: the sink's status tells the same. */
    private static final InstrumentSelector OF_EXPORTERS =
            InstrumentSelector.builder().setName("otlp.exporter.*").build();

    private static final View NONE =
            View.builder().setAggregation(Aggregation.drop()).build();
    private static final AttributeKey<String> INSTANCE = AttributeKey.stringKey("service.instance.id");

    private final OtlpPipeline export;
    private final Map<Distribution, RewardHistogram> histograms = new EnumMap<>(Distribution.class);
    private final OpenTelemetrySdk sdk;
    private final boolean joining;
    private String instance = "";
    private volatile @Nullable Long closeBy;

    /**
     * @param export the way out of it
     * @param joining whether a run joins the trace of its remote parent
     * @throws SinkConfigException if one of them, or of the variables, has a value that cannot be used
     * @throws MissingLibraryException if they can be used, and a library is missing for it
     */
    OwnSdk(SdkProperties properties, OtlpPipeline export, boolean joining) {
        this.export = export;
        this.joining = joining;
        for (Distribution numbers : Distribution.values()) {
            histograms.put(
                    numbers,
                    new RewardHistogram(numbers.label(), numbers.description(), Names.SCOPE, export::temporality));
        }
        try {
            sdk = AutoConfiguredOpenTelemetrySdk.builder()
                    .disableShutdownHook()
                    .setComponentLoader(export.components())
                    .addPropertiesSupplier(() -> SdkProperties.DEFAULTS)
                    .addPropertiesCustomizer(config -> properties.overrides())
                    .addPropertiesCustomizer(config -> OtlpConfig.check(config, properties::withVariables))
                    .addPropertiesCustomizer(OtlpConfig::withoutStrayLogs)
                    .addPropertiesCustomizer(OtlpConfig::withProtocols)
                    .addResourceCustomizer((all, config) -> export.take(withoutInstance(named(all))))
                    .addSpanExporterCustomizer((exporter, config) -> export.take(exporter))
                    .addSpanProcessorCustomizer((processor, config) -> discard(processor))
                    .addTracerProviderCustomizer((tracer, config) -> export.connect(tracer, config))
                    .addMetricExporterCustomizer(export::take)
                    .addMetricReaderCustomizer((reader, config) -> export.take(reader))
                    .addMeterProviderCustomizer(this::connect)
                    .addLogRecordExporterCustomizer((exporter, config) -> export.take(exporter))
                    .addLogRecordProcessorCustomizer((processor, config) -> discard(processor))
                    .addLoggerProviderCustomizer(this::connect)
                    .build()
                    .getOpenTelemetrySdk();
        } catch (ConfigurationException | IllegalArgumentException e) {
            if (e.getCause() instanceof SinkConfigException told) {
                throw told;
            }
            String reason = reason(e);
            String said = reason == null ? "no reason given" : properties.withVariables(reason);
            if (MissingLibraryException.isSaid(said)) {
                throw MissingLibraryException.of(said, e);
            }
            throw new SinkConfigException("OpenTelemetry cannot be configured: " + said, e);
        }
    }

    /**
     * Returns the message, with that of the cause where OpenTelemetry's own says too little; {@code null} if it has
     * none.
     */
    private static @Nullable String reason(RuntimeException error) {
        Throwable cause = error.getCause();
        return cause instanceof IllegalArgumentException && !(cause instanceof NumberFormatException)
                ? error.getMessage() + ": " + cause.getMessage()
                : error.getMessage();
    }

    /** The SDK's own batching around an exporter that has been taken out of it. */
    private static SpanProcessor discard(SpanProcessor processor) {
        processor.shutdown();
        return SpanProcessor.composite();
    }

    private static LogRecordProcessor discard(LogRecordProcessor processor) {
        processor.shutdown();
        return LogRecordProcessor.composite();
    }

    private static Resource named(Resource all) {
        String known = all.getAttribute(SERVICE_NAME);
        return known != null && known.startsWith(UNKNOWN_SERVICE)
                ? all.toBuilder().put(SERVICE_NAME, "rlm").build()
                : all;
    }

    /**
     * Removes the process from the resource of spans. A span that is sent again by another process is then the same,
     * and back ends that compare resources keep it once.
     */
    private Resource withoutInstance(Resource all) {
        String known = all.getAttribute(INSTANCE);
        instance = known == null ? UUID.randomUUID().toString() : known;
        Attributes others = all.getAttributes().toBuilder().remove(INSTANCE).build();
        return Resource.create(others, all.getSchemaUrl());
    }

    /** Metrics and logs do: the counters of two processes are two series. */
    private Resource instance() {
        return Resource.create(Attributes.of(INSTANCE, instance));
    }

    private SdkMeterProviderBuilder connect(SdkMeterProviderBuilder meter, ConfigProperties config) {
        if ("always_off".equalsIgnoreCase(config.getString("otel.metrics.exemplar.filter"))) {
            histograms.values().forEach(RewardHistogram::withoutExemplars);
        }
        histograms.values().forEach(meter::registerMetricProducer);
        return meter.addResource(instance()).registerView(OF_EXPORTERS, NONE);
    }

    private SdkLoggerProviderBuilder connect(SdkLoggerProviderBuilder logger, ConfigProperties config) {
        LogLimits limits = LogLimits.builder()
                .setMaxNumberOfAttributes(config.getInt("otel.attribute.count.limit", SdkProperties.ATTRIBUTES))
                .setMaxAttributeValueLength(config.getInt("otel.attribute.value.length.limit", Integer.MAX_VALUE))
                .build();
        return export.connect(logger.addResource(instance()).setLogLimits(() -> limits), config);
    }

    OpenTelemetrySdk sdk() {
        return sdk;
    }

    /** Returns whether a run joins the trace of its remote parent; otherwise each run is a trace of its own. */
    boolean isJoining() {
        return joining;
    }

    Sampler sampler() {
        return sdk.getSdkTracerProvider().getSampler();
    }

    SpanLimits limits() {
        return sdk.getSdkTracerProvider().getSpanLimits();
    }

    RewardHistogram histogram(Distribution numbers) {
        return Objects.requireNonNull(histograms.get(numbers));
    }

    OtlpPipeline export() {
        return export;
    }

    /** Brings all there is to the back end. Whether it arrived; metrics and logs that it takes none of count as such. */
    boolean flush(Duration timeout) {
        long by = System.nanoTime() + timeout.toNanos();
        SpanExport spans = export.spans();
        MetricExport metrics = export.metrics();
        LogExport logs = export.logs();
        if (spans != null) {
            spans.batcher().hasten(); // under way while the metrics are
        }
        if (logs != null) {
            logs.batcher().hasten();
        }
        if (metrics != null) {
            metrics.batcher().flush(by);
        }
        var metricsAnswered = sdk.getSdkMeterProvider().forceFlush();
        boolean spansArrived = spans == null || spans.batcher().flush(by);
        RewardScores scores = export.scores();
        boolean scoresArrived = scores == null || scores.flush(by); // behind the spans that carry them
        boolean logsArrived = logs == null || flushed(logs, by);
        boolean answered = metricsAnswered
                .join(Math.max(1, by - System.nanoTime()), TimeUnit.NANOSECONDS)
                .isSuccess();
        return spansArrived && scoresArrived && logsArrived && answered && (metrics == null || !metrics.isFailing());
    }

    /** While all is being closed, the close waits for logs: last, so that they take no time from measurements. */
    private boolean flushed(LogExport logs, long by) {
        return closeBy == null ? logs.batcher().flush(by) : !logs.isFailing();
    }

    /**
     * Says that all must be over within the time. Sending ends a little earlier, so that all that is left is counted.
     *
     * @return when that is, in terms of {@link System#nanoTime}
     */
    long beginClose(Duration timeout) {
        long now = System.nanoTime();
        long nanos = timeout.toNanos();
        export.endBy(now + nanos / 10 * 8);
        closeBy = now + nanos;
        return now + nanos;
    }

    /** Sends what is left, for as long as {@link #beginClose} has allowed, and ends all threads. */
    void close() {
        Long begun = closeBy;
        long end = begun == null ? beginClose(CLOSE_TIMEOUT) : begun;
        long now = System.nanoTime();
        long by = now + Math.max(LEAST_NANOS, end - now);
        SpanExport spans = export.spans();
        MetricExport metrics = export.metrics();
        LogExport logs = export.logs();
        if (logs != null) {
            logs.batcher().hasten(); // under way while the spans are
        }
        if (spans != null) {
            spans.batcher().flush(by);
        }
        RewardScores scores = export.scores();
        if (scores != null) {
            scores.flush(by);
        }
        if (metrics != null) {
            metrics.batcher().flush(by); // what was measured last would be left out in the middle of another export
        }
        CompletableResultCode measured = sdk.getSdkMeterProvider()
                .shutdown(); // before logs are waited for, which may be for all the time there is
        if (logs != null) {
            logs.batcher().flush(by);
        }
        CompletableResultCode sent = spans == null ? CompletableResultCode.ofSuccess() : spans.close();
        CompletableResultCode.ofAll(
                        List.of( // one by one: the SDK's own would shut the meters a second time, and say so
                                measured,
                                sent,
                                sdk.getSdkTracerProvider().shutdown(),
                                sdk.getSdkLoggerProvider().shutdown()))
                .join(Math.max(1, by - System.nanoTime()), TimeUnit.NANOSECONDS);
    }
}
