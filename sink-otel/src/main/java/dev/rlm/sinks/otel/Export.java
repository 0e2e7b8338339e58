package dev.rlm.sinks.otel;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.otel.otlp.Failure;
import dev.rlm.sinks.otel.otlp.OtlpConnection;
import dev.rlm.sinks.otel.otlp.OtlpSenders;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The way out of the sink's own SDK: takes the exporters that OpenTelemetry's configuration makes, and sends by them in its
 * own way, which knows what arrived.
 */
final class Export {
    private static final Duration SPAN_DELAY = Duration.ofMillis(500);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration NO_TIMEOUT = Duration.ofDays(1); // each request has a time-out of its own
    private static final int PATIENCE_IN_TIMEOUTS = 10; // a run's end may end thousands of spans, at 512 a batch
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int MAX_BATCH = 512;
    private static final long MAX_BATCH_BYTES = 2L << 20;
    private static final String RETRY_DISABLED = "otel.java.exporter.otlp.retry.disabled";
    private static final String ENDPOINT = "otel.exporter.otlp.%sendpoint";

    private final Acknowledgements acknowledgements;
    private final String metricsSwitch;
    private final OtlpSenders senders;
    private final List<SpanExporter> spanExporters = new ArrayList<>();
    private final List<OtlpConnection> spanConnections = new ArrayList<>();
    private final List<OtlpConnection> metricConnections = new ArrayList<>();
    private @Nullable SpanExport spans;
    private @Nullable MetricExport metrics;
    private boolean toMlflow;
    private boolean measures;
    private String nowhere = "nowhere (OTEL_SDK_DISABLED)";
    private @Nullable String place; // of the exporter that takes all spans; null where configuration makes them
    private Duration patience = Sink.PATIENCE;
    private volatile @Nullable Long closeBy;

    /**
     * @param metricsSwitch the variable that turns metrics off
     * @param variables puts the names under which people set variables into a message
     */
    Export(Acknowledgements acknowledgements, String metricsSwitch, UnaryOperator<String> variables) {
        senders = new OtlpSenders(ComponentLoader.forClassLoader(Export.class.getClassLoader()), variables);
        this.metricsSwitch = metricsSwitch;
        this.acknowledgements = acknowledgements;
    }

    // ---- while the SDK is made

    /** Where the SDK finds what it is made of. */
    ComponentLoader components() {
        return senders;
    }

    /**
     * Refuses addresses that cannot be used, from wherever they come, before an exporter is made for them.
     *
     * @param variables the name under which people set a property
     */
    static Map<String, String> check(ConfigProperties config, UnaryOperator<String> variables) {
        for (String signal : List.of("", "traces.", "metrics.")) {
            String property = String.format(ENDPOINT, signal);
            String variable = variables.apply(property);
            String value = config.getString(property);
            if (value != null) {
                SdkProperties.checkEndpoint(SinkConfig.of(Map.of(variable, value)), variable);
            }
        }
        return Map.of();
    }

    /** Gives all spans to this exporter, which writes to that place. */
    void take(SpanExporter exporter, String target) {
        spanExporters.add(exporter);
        place = target;
    }

    /** Keeps an exporter for itself; what the SDK has instead does nothing. */
    SpanExporter take(SpanExporter exporter) {
        spanExporters.add(exporter);
        spanConnections.addAll(senders.takeMade());
        return SpanExporter.composite();
    }

    /** Without an exporter there is no export either: spans are then not recorded, and do not count as delivered. */
    SdkTracerProviderBuilder connect(SdkTracerProviderBuilder tracer, ConfigProperties config) {
        if (spanExporters.isEmpty()) {
            nowhere = "nowhere (OTEL_TRACES_EXPORTER=none)";
            return tracer;
        }
        toMlflow = isToMlflow(config);
        Duration configured = config.getDuration("otel.bsp.export.timeout", TIMEOUT);
        Duration timeout = configured.isZero() ? NO_TIMEOUT : configured;
        Duration several = timeout.multipliedBy(PATIENCE_IN_TIMEOUTS);
        patience = several.compareTo(Sink.PATIENCE) > 0 ? several : Sink.PATIENCE;
        SpanDelivery delivery = new SpanDelivery(
                SpanExporter.composite(spanExporters),
                acknowledgements,
                new Tally("spans", "spans", place != null ? place : target(config, "traces")),
                timeout,
                mayTryAgain(config));
        spans = new SpanExport(
                delivery,
                new SpanExport.Settings(
                        config.getDuration("otel.bsp.schedule.delay", SPAN_DELAY),
                        config.getInt("otel.bsp.max.export.batch.size", MAX_BATCH),
                        MAX_BATCH_BYTES));
        return tracer.addSpanProcessor(spans);
    }

    /** Puts itself between the SDK and an exporter. */
    MetricExporter take(MetricExporter exporter, ConfigProperties config) {
        metricConnections.addAll(senders.takeMade());
        Tally tally = new Tally("metrics", "points", target(config, "metrics"));
        metrics = new MetricExport(exporter, tally, metricsSwitch, TIMEOUT, mayTryAgain(config));
        return metrics;
    }

    /** Notes that measurements go somewhere, be it by a reader of another kind. */
    MetricReader take(MetricReader reader) {
        measures = true;
        return reader;
    }

    /** MLflow asks for a header that nobody else knows. */
    private static boolean isToMlflow(ConfigProperties config) {
        return Stream.of("otel.exporter.otlp.headers", "otel.exporter.otlp.traces.headers")
                .flatMap(name -> config.getMap(name).keySet().stream())
                .anyMatch(MlflowColumns.EXPERIMENT_HEADER::equalsIgnoreCase);
    }

    private static boolean mayTryAgain(ConfigProperties config) {
        return !config.getBoolean(RETRY_DISABLED, false);
    }

    /** Where the signal goes by OTLP, without user and password. */
    private static String target(ConfigProperties config, String signal) {
        String common = config.getString("otel.exporter.otlp.protocol", "grpc");
        String protocol = config.getString("otel.exporter.otlp." + signal + ".protocol", common);
        String byDefault = protocol.equals("grpc") ? "http://localhost:4317" : "http://localhost:4318";
        String general = config.getString(String.format(ENDPOINT, ""), byDefault);
        URI uri = URI.create(config.getString(String.format(ENDPOINT, signal + "."), general));
        String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        return uri.getScheme() + "://" + uri.getHost() + port + " (" + protocol + ")";
    }

    // ---- afterwards

    /** Sends spans; {@code null} where they go nowhere. */
    @Nullable
    SpanExport spans() {
        return spans;
    }

    /** Whether spans go to MLflow. */
    boolean isToMlflow() {
        return toMlflow;
    }

    /** Whether measurements go anywhere. */
    boolean measures() {
        return measures;
    }

    /** Whether the back end has said that it takes no metrics. */
    boolean refusesMetrics() {
        MetricExport export = metrics;
        return export != null && export.refusal() != null;
    }

    AggregationTemporality temporality() {
        MetricExport export = metrics;
        return export == null
                ? AggregationTemporality.CUMULATIVE
                : export.getAggregationTemporality(InstrumentType.HISTOGRAM);
    }

    /** How long the sink may be held up by what exports before it counts as hanging: not less than any sink. */
    Duration patience() {
        return patience;
    }

    /** Brings all spans and measurements to the back end. Whether they arrived; metrics that it does not take count as such. */
    boolean flush(OpenTelemetrySdk sdk, Duration timeout) {
        long by = System.nanoTime() + timeout.toNanos();
        MetricExport measured = metrics;
        if (spans != null) {
            spans.hasten(); // under way while the metrics are
        }
        if (measured != null) {
            measured.awaitIdle(by);
        }
        var metricsAnswered = sdk.getSdkMeterProvider().forceFlush();
        boolean spansArrived = spans == null || spans.flush(by);
        boolean answered = metricsAnswered
                .join(Math.max(1, by - System.nanoTime()), TimeUnit.NANOSECONDS)
                .isSuccess();
        return spansArrived && answered && (measured == null || !measured.isFailing());
    }

    /** Where spans go, and what is amiss. */
    Health health() {
        SpanExport spanExport = spans;
        MetricExport metricExport = metrics;
        Failure spanFailure = spanExport == null ? null : spanExport.tally().failure();
        Failure metricFailure = metricExport == null ? null : metricExport.failure();
        StringBuilder detail = new StringBuilder(nowhere);
        if (spanExport != null) {
            detail.setLength(0);
            detail.append(spanExport.tally().target())
                    .append(", ")
                    .append(spanExport.tally().summary());
        }
        detail.append(spanFailure == null ? "" : ", last failure: " + spanFailure.text());
        detail.append(metricFailure == null ? "" : ", metrics: " + metricFailure.text());
        boolean sending = spanExport != null || metricExport != null;
        return new Health(sending && spanFailure == null, detail.toString(), facts(spanExport, metricExport));
    }

    private static Map<String, Object> facts(@Nullable SpanExport spans, @Nullable MetricExport metrics) {
        Map<String, Object> facts = new LinkedHashMap<>();
        if (spans != null) {
            facts.putAll(spans.facts());
        }
        if (metrics != null) {
            facts.putAll(metrics.tally().facts("metrics_"));
            Failure refusal = metrics.refusal();
            if (refusal != null) {
                facts.put("metrics_refused", refusal.text());
            }
        }
        return facts;
    }

    /** Asks each back end whether it would take spans and metrics now. */
    Health check(Duration timeout) {
        Inquiry inquiry = new Inquiry(metricsSwitch);
        spanConnections.forEach(inquiry::aboutSpans);
        metricConnections.forEach(inquiry::aboutMetrics);
        Health known = health();
        return inquiry.isEmpty() // whatever sends is not ours to ask by
                ? known
                : inquiry.await(System.nanoTime() + timeout.toNanos(), target(), known.facts());
    }

    private String target() {
        SpanExport spanExport = spans;
        MetricExport metricExport = metrics;
        return spanExport != null
                ? spanExport.tally().target()
                : metricExport != null ? metricExport.tally().target() : nowhere;
    }

    /**
     * Says that all must be over within the time. Sending ends a little earlier, so that all that is left is counted.
     *
     * @return when that is, in terms of {@link System#nanoTime}
     */
    long beginClose(Duration timeout) {
        long now = System.nanoTime();
        long nanos = timeout.toNanos();
        if (spans != null) {
            spans.endBy(now + nanos / 10 * 8);
        }
        if (metrics != null) {
            metrics.endBy(now + nanos / 10 * 8);
        }
        closeBy = now + nanos;
        return now + nanos;
    }

    /** Sends what is left, for as long as {@link #beginClose} has allowed, and ends all threads. */
    void close(OpenTelemetrySdk sdk) {
        Long begun = closeBy;
        long end = begun == null ? beginClose(CLOSE_TIMEOUT) : begun;
        long now = System.nanoTime();
        long by = now + Math.max(LEAST_NANOS, end - now);
        if (spans != null) {
            spans.flush(by);
        }
        if (metrics != null) {
            metrics.awaitIdle(by); // what was measured last would be left out in the middle of another export
        }
        sdk.shutdown().join(Math.max(1, by - System.nanoTime()), TimeUnit.NANOSECONDS);
    }
}
