package dev.rlm.sinks.otel;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.delivery.DeliveryStatus;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.otel.otlp.OtlpConnection;
import dev.rlm.sinks.otel.otlp.OtlpSenders;
import dev.rlm.sinks.otel.otlp.SpanEncoder;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.logs.SdkLoggerProviderBuilder;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The way out of the sink's own SDK: takes the exporters that OpenTelemetry's configuration makes, and sends by them in its
 * own way, which knows what arrived.
 */
final class OtlpPipeline {
    /** How long sending may take, with all attempts, where nothing is said of it. */
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** How many bytes a request of several has at most. */
    static final long MAX_BATCH_BYTES = 2L << 20;

    /** Fact of a status: whether there are measurements. */
    static final String METRICS_FACT = "metrics";

    private static final Duration DELAY = Duration.ofMillis(500);
    private static final Duration NO_TIMEOUT = Duration.ofDays(1); // each request has a time-out of its own
    private static final int PATIENCE_IN_TIMEOUTS = 10; // a run's end may end thousands of spans, at 512 a batch
    private static final Duration LONGEST_STALL = Duration.ofSeconds(1); // of the lane, by logs
    private static final int LOG_BATCHES = 4; // of logs, which may wait while nothing arrives
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int MAX_BATCH = 512;
    private static final int IN_FLIGHT = 4; // requests of spans
    private static final String RETRY_DISABLED = "otel.java.exporter.otlp.retry.disabled";
    private static final String LOGS_EXPORTER = "otel.logs.exporter";
    private static final String OTLP = "otlp";
    private static final AttributeKey<String> SERVICE_NAME = AttributeKey.stringKey("service.name");
    private static final String ENDPOINT = "otel.exporter.otlp.%sendpoint";

    private final DeliveryCounts counts;
    private final TailSamplingPolicy policy;
    private final String metricsSwitch;
    private final String logsSwitch;
    private final OtlpSenders senders;
    private final Refusals refusals = new Refusals();
    private final List<SpanExporter> spanExporters = new ArrayList<>();
    private final List<LogRecordExporter> logExporters = new ArrayList<>();
    private List<OtlpConnection> spanConnections = List.of();
    private @Nullable SpanExport spans;
    private @Nullable MetricExport metrics;
    private @Nullable LogExport logs;
    private boolean toMlflow;
    private boolean toLangfuse;
    private boolean measures;
    private String nowhere = "nowhere (OTEL_SDK_DISABLED)";
    private Resource resource = Resource.empty();
    private @Nullable ExporterConfig outlet; // takes all spans; null where configuration makes exporters
    private Duration patience = Sink.PATIENCE;
    private volatile @Nullable Long closeBy;

    /**
     * @param policy which runs keep their spans
     * @param metricsSwitch the variable that turns metrics off
     * @param logsSwitch the variable that turns logs off
     * @param variables puts the names under which people set variables into a message
     */
    OtlpPipeline(
            DeliveryCounts counts,
            TailSamplingPolicy policy,
            String metricsSwitch,
            String logsSwitch,
            UnaryOperator<String> variables) {
        senders = new OtlpSenders(ComponentLoader.forClassLoader(OtlpPipeline.class.getClassLoader()), variables);
        this.metricsSwitch = metricsSwitch;
        this.logsSwitch = logsSwitch;
        this.counts = counts;
        this.policy = policy;
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
        for (String signal : List.of("", "traces.", "metrics.", "logs.")) {
            String property = String.format(ENDPOINT, signal);
            String variable = variables.apply(property);
            String value = config.getString(property);
            if (value != null) {
                SdkProperties.checkEndpoint(SinkConfig.of(Map.of(variable, value)), variable);
            }
        }
        return Map.of();
    }

    /**
     * Sends no logs where nobody can have meant them to go: where it is said of others alone where to send them by OTLP, or
     * that spans go elsewhere.
     */
    static Map<String, String> withoutStrayLogs(ConfigProperties config) {
        boolean chosen = Stream.of(String.format(ENDPOINT, ""), String.format(ENDPOINT, "logs."), LOGS_EXPORTER)
                .anyMatch(property -> config.getString(property) != null);
        boolean elsewhere = Stream.of("traces.", "metrics.")
                        .anyMatch(signal -> config.getString(String.format(ENDPOINT, signal)) != null)
                || !config.getString("otel.traces.exporter", OTLP).contains(OTLP);
        return !chosen && elsewhere ? Map.of(LOGS_EXPORTER, "none") : Map.of();
    }

    /** Notes what all that is sent is attributed to. */
    Resource take(Resource value) {
        resource = value;
        return value;
    }

    /** Gives all spans to this exporter. */
    void take(ExporterConfig value) {
        spanExporters.add(value.exporter());
        outlet = value;
    }

    /** Keeps an exporter for itself; what the SDK has instead does nothing. */
    SpanExporter take(SpanExporter exporter) {
        spanExporters.add(exporter);
        return SpanExporter.composite();
    }

    /** Without an exporter there is no export either: spans are then not recorded, and do not count as delivered. */
    SdkTracerProviderBuilder connect(SdkTracerProviderBuilder tracer, ConfigProperties config) {
        if (spanExporters.isEmpty()) {
            nowhere = "nowhere (OTEL_TRACES_EXPORTER=none)";
            return tracer;
        }
        spanConnections = connections(config, "traces");
        toMlflow = isToMlflow(config);
        toLangfuse = isToLangfuse(config);
        ExporterConfig way = outlet != null
                ? outlet
                : ExporterConfig.awaited(SpanExporter.composite(spanExporters), target(config, "traces"));
        Duration configured = config.getDuration("otel.bsp.export.timeout", way.timeout());
        Duration timeout = configured.isZero() ? NO_TIMEOUT : configured;
        Duration several = timeout.multipliedBy(PATIENCE_IN_TIMEOUTS);
        patience = several.compareTo(Sink.PATIENCE) > 0 ? several : Sink.PATIENCE;
        OtlpConnection connection = ownConnection();
        // Exporters may expect one request at a time, and MLflow's SQLite writes for one.
        int inFlight = connection == null || toMlflow ? 1 : IN_FLIGHT;
        spans = new SpanExport(
                way.exporter(),
                connection,
                new SpanEncoder(resource, OwnSpan.SCOPE),
                counts,
                status("spans", "spans", way.target()),
                policy,
                new BatchLimits(
                        config.getInt("otel.bsp.max.export.batch.size", MAX_BATCH),
                        way.maxBytes(),
                        config.getDuration("otel.bsp.schedule.delay", DELAY),
                        inFlight,
                        way.buffered(),
                        way.longestStall(),
                        way.waitsAtClose()),
                retries(timeout, config));
        return tracer;
    }

    /** The connection of OpenTelemetry's own exporter of OTLP, where that alone gets the spans. */
    private @Nullable OtlpConnection ownConnection() {
        SpanExporter exporter = spanExporters.get(0);
        boolean otlp = exporter instanceof OtlpGrpcSpanExporter || exporter instanceof OtlpHttpSpanExporter;
        return otlp && spanExporters.size() == 1 && spanConnections.size() == 1 ? spanConnections.get(0) : null;
    }

    /** Puts itself between the SDK and an exporter. */
    MetricExporter take(MetricExporter exporter, ConfigProperties config) {
        metrics = refusals.add(new MetricExport(
                exporter,
                status("metrics", "points", target(config, "metrics")),
                metricsSwitch,
                connections(config, "metrics"),
                refusals,
                retries(TIMEOUT, config)));
        return metrics;
    }

    /** Notes that measurements go somewhere, be it by a reader of another kind. */
    MetricReader take(MetricReader reader) {
        measures = true;
        return reader;
    }

    /** Keeps an exporter for itself; what the SDK has instead does nothing. */
    LogRecordExporter take(LogRecordExporter exporter) {
        logExporters.add(exporter);
        return LogRecordExporter.composite();
    }

    /** Without an exporter there is no export either. */
    SdkLoggerProviderBuilder connect(SdkLoggerProviderBuilder logger, ConfigProperties config) {
        if (logExporters.isEmpty()) {
            return logger;
        }
        Duration timeout = config.getDuration("otel.blrp.export.timeout", TIMEOUT);
        logs = refusals.add(new LogExport(
                LogRecordExporter.composite(logExporters),
                status("logs", "logs", target(config, "logs")),
                logsSwitch,
                connections(config, "logs"),
                refusals,
                BatchLimits.of(config.getInt("otel.blrp.max.export.batch.size", MAX_BATCH), MAX_BATCH_BYTES)
                        .linger(config.getDuration("otel.blrp.schedule.delay", DELAY))
                        .waiting(LOG_BATCHES)
                        .stall(LONGEST_STALL, true),
                retries(timeout.isZero() ? NO_TIMEOUT : timeout, config)));
        return logger.addLogRecordProcessor(logs);
    }

    private List<OtlpConnection> connections(ConfigProperties config, String signal) {
        return senders.connections(signal, config.getString(String.format(ENDPOINT, signal + ".")));
    }

    /** MLflow asks for a header that nobody else knows. */
    private static boolean isToMlflow(ConfigProperties config) {
        return Stream.of("otel.exporter.otlp.headers", "otel.exporter.otlp.traces.headers")
                .flatMap(name -> config.getMap(name).keySet().stream())
                .anyMatch(MlflowColumns.EXPERIMENT_HEADER::equalsIgnoreCase);
    }

    /** Langfuse takes spans at a path of its own. */
    private static boolean isToLangfuse(ConfigProperties config) {
        String general = config.getString(String.format(ENDPOINT, ""), "");
        return config.getString(String.format(ENDPOINT, "traces."), general).contains("/api/public/otel");
    }

    private static RetryPolicy retries(Duration giveUpAfter, ConfigProperties config) {
        return new RetryPolicy(giveUpAfter, !config.getBoolean(RETRY_DISABLED, false));
    }

    private static DeliveryStatus status(String signal, String items, String target) {
        return new DeliveryStatus(LoggerFactory.getLogger(Names.SCOPE), signal, items, target);
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

    Resource resource() {
        return resource;
    }

    boolean isToMlflow() {
        return toMlflow;
    }

    boolean isToLangfuse() {
        return toLangfuse;
    }

    /** Whether measurements go anywhere. */
    boolean measures() {
        return measures;
    }

    /** Whether the back end has said that it takes no metrics. */
    boolean refusesMetrics() {
        MetricExport export = metrics;
        return export != null && export.isRefused();
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

    /** Brings all there is to the back end. Whether it arrived; metrics and logs that it takes none of count as such. */
    boolean flush(OpenTelemetrySdk sdk, Duration timeout) {
        long by = System.nanoTime() + timeout.toNanos();
        MetricExport measured = metrics;
        if (spans != null) {
            spans.batcher().hasten(); // under way while the metrics are
        }
        if (logs != null) {
            logs.batcher().hasten();
        }
        if (measured != null) {
            measured.batcher().flush(by);
        }
        var metricsAnswered = sdk.getSdkMeterProvider().forceFlush();
        boolean spansArrived = spans == null || spans.batcher().flush(by);
        boolean logsArrived = logs == null || flushed(logs, by);
        boolean answered = metricsAnswered
                .join(Math.max(1, by - System.nanoTime()), TimeUnit.NANOSECONDS)
                .isSuccess();
        return spansArrived && logsArrived && answered && (measured == null || !measured.isFailing());
    }

    /** While all is being closed, the close waits for logs: last, so that they take no time from measurements. */
    private boolean flushed(LogExport export, long by) {
        return closeBy == null ? export.batcher().flush(by) : !export.isFailing();
    }

    /** Where spans go, and what is amiss. Neither metrics nor logs make the sink unavailable. */
    Health health() {
        SpanExport spanExport = spans;
        DeliveryStatus status = spanExport == null ? null : spanExport.status();
        Failure failure = status == null ? null : status.failure();
        StringBuilder detail = new StringBuilder(status == null ? nowhere : status.target() + ", " + status.summary());
        detail.append(failure == null ? "" : ", last failure: " + failure.text());
        Map<String, Object> facts = new LinkedHashMap<>();
        if (outlet == null) { // one that takes spans alone tells whose they are itself
            String serviceName = resource.getAttribute(SERVICE_NAME);
            if (serviceName != null) {
                facts.put("service_name", serviceName);
            }
            facts.put(METRICS_FACT, measures ? "on" : "off");
        }
        facts.putAll(spanExport == null ? Map.of() : spanExport.facts());
        for (SignalExport<?> other : others()) {
            detail.append(other.trouble());
            facts.putAll(other.facts());
        }
        detail.append(refused());
        boolean sending = status != null || !others().isEmpty();
        return new Health(sending && failure == null, detail.toString(), facts);
    }

    /** What the back end takes none of, which is no failure, as the end of a line; nothing where it takes all. */
    private String refused() {
        String refused = others().stream()
                .filter(SignalExport::isRefused)
                .map(SignalExport::data)
                .collect(Collectors.joining(" or "));
        return refused.isEmpty() ? "" : "; no " + refused + ": it takes none";
    }

    /** What is sent besides spans. */
    private List<SignalExport<?>> others() {
        return Stream.<@Nullable SignalExport<?>>of(metrics, logs)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Asks each back end whether it would take spans, metrics and logs now. */
    Health check(Duration timeout) {
        HealthProbe inquiry = new HealthProbe();
        spanConnections.forEach(inquiry::aboutSpans);
        others().forEach(inquiry::about);
        Health known = health();
        return inquiry.isEmpty() // whatever sends is not ours to ask by
                ? known
                : inquiry.await(System.nanoTime() + timeout.toNanos(), target(), known.facts());
    }

    private String target() {
        SpanExport spanExport = spans;
        return spanExport != null
                ? spanExport.status().target()
                : others().stream()
                        .findFirst()
                        .map(other -> other.status().target())
                        .orElse(nowhere);
    }

    /**
     * Says that all must be over within the time. Sending ends a little earlier, so that all that is left is counted.
     *
     * @return when that is, in terms of {@link System#nanoTime}
     */
    long beginClose(Duration timeout) {
        long now = System.nanoTime();
        long nanos = timeout.toNanos();
        long end = now + nanos / 10 * 8;
        refusals.endBy(end);
        if (spans != null) {
            spans.batcher().endBy(end);
        }
        others().forEach(other -> other.batcher().endBy(end));
        closeBy = now + nanos;
        return now + nanos;
    }

    /** Sends what is left, for as long as {@link #beginClose} has allowed, and ends all threads. */
    void close(OpenTelemetrySdk sdk) {
        Long begun = closeBy;
        long end = begun == null ? beginClose(CLOSE_TIMEOUT) : begun;
        long now = System.nanoTime();
        long by = now + Math.max(LEAST_NANOS, end - now);
        if (logs != null) {
            logs.batcher().hasten(); // under way while the spans are
        }
        if (spans != null) {
            spans.batcher().flush(by);
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
