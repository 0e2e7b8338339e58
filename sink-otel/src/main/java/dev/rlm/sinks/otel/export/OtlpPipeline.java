package dev.rlm.sinks.otel.export;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.delivery.DeliveryStatus;
import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.otlp.OtlpConnection;
import dev.rlm.sinks.otel.otlp.OtlpSenders;
import dev.rlm.sinks.otel.otlp.SpanEncoder;
import dev.rlm.sinks.otel.settings.OtlpConfig;
import dev.rlm.sinks.otel.settings.PresetSettings;
import dev.rlm.sinks.otel.settings.ScoreApi;
import dev.rlm.sinks.otel.settings.SpanDialect;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.logs.SdkLoggerProviderBuilder;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.MetricReader;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProviderBuilder;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The way out of the sink's own SDK: takes the exporters that OpenTelemetry's configuration makes, and sends by them in its
 * own way, which knows what arrived.
 */
public final class OtlpPipeline {
    /** Default time limit of sending a batch, with all attempts. */
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** Limit, in bytes, of a request of more than one item. */
    static final long MAX_BATCH_BYTES = 2L << 20;

    private static final Duration DELAY = Duration.ofMillis(500);
    private static final Duration NO_TIMEOUT = Duration.ofDays(1); // each request has a time-out of its own
    private static final int PATIENCE_IN_TIMEOUTS = 10; // a run's end may end thousands of spans, at 512 a batch
    private static final Duration LONGEST_STALL = Duration.ofSeconds(1); // of the lane, by logs
    private static final int LOG_BATCHES = 4; // of logs, which may wait while nothing arrives
    private static final int MAX_BATCH = 512;
    private static final int IN_FLIGHT = 4; // requests of spans
    private static final AttributeKey<String> SERVICE_NAME = AttributeKey.stringKey("service.name");

    private final DeliveryCounts counts;
    private final TailSamplingPolicy policy;
    private final String metricsSwitch;
    private final String logsSwitch;
    private final InstrumentationScopeInfo scope;
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
    private @Nullable PresetSettings preset;
    private boolean resending;
    private @Nullable RewardScores scores;
    private @Nullable ExporterConfig outlet; // takes all spans; null where configuration makes exporters
    private Duration patience = Sink.PATIENCE;

    /**
     * @param policy which runs keep their spans
     * @param metricsSwitch the variable that turns metrics off
     * @param logsSwitch the variable that turns logs off
     * @param variables puts the names under which people set variables into a message
     * @param scope of all spans
     */
    public OtlpPipeline(
            DeliveryCounts counts,
            TailSamplingPolicy policy,
            String metricsSwitch,
            String logsSwitch,
            UnaryOperator<String> variables,
            InstrumentationScopeInfo scope) {
        senders = new OtlpSenders(ComponentLoader.forClassLoader(OtlpPipeline.class.getClassLoader()), variables);
        this.metricsSwitch = metricsSwitch;
        this.logsSwitch = logsSwitch;
        this.counts = counts;
        this.policy = policy;
        this.scope = scope;
    }

    /** The scope of all spans. */
    public InstrumentationScopeInfo scope() {
        return scope;
    }

    // ---- while the SDK is made

    /** Returns the loader by which the SDK finds its components. */
    public ComponentLoader components() {
        return senders;
    }

    /** Notes what all that is sent is attributed to. */
    public Resource take(Resource value) {
        resource = value;
        return value;
    }

    /** Gives all spans to this exporter. */
    public void take(ExporterConfig value) {
        spanExporters.add(value.exporter());
        outlet = value;
    }

    /**
     * Speaks a vendor's dialect.
     *
     * @param again whether runs that were recorded earlier are sent
     */
    public void take(PresetSettings value, boolean again) {
        preset = value;
        resending = again;
    }

    /** Keeps an exporter for itself; what the SDK has instead does nothing. */
    public SpanExporter take(SpanExporter exporter) {
        spanExporters.add(exporter);
        return SpanExporter.composite();
    }

    /** Without an exporter there is no export either: spans are then not recorded, and do not count as delivered. */
    public SdkTracerProviderBuilder connect(SdkTracerProviderBuilder tracer, ConfigProperties config) {
        if (spanExporters.isEmpty()) {
            nowhere = "nowhere (OTEL_TRACES_EXPORTER=none)";
            return tracer;
        }
        spanConnections = connections(config, "traces");
        toMlflow = OtlpConfig.isToMlflow(config);
        toLangfuse = OtlpConfig.isToLangfuse(config);
        ExporterConfig way = outlet != null
                ? outlet
                : ExporterConfig.awaited(SpanExporter.composite(spanExporters), OtlpConfig.target(config, "traces"));
        Duration configured = config.getDuration("otel.bsp.export.timeout", way.timeout());
        Duration timeout = configured.isZero() ? NO_TIMEOUT : configured;
        Duration several = timeout.multipliedBy(PATIENCE_IN_TIMEOUTS);
        patience = several.compareTo(Sink.PATIENCE) > 0 ? several : Sink.PATIENCE;
        OtlpConnection connection = ownConnection();
        // Exporters may expect one request at a time, and MLflow's SQLite writes for one.
        int inFlight = connection == null || toMlflow ? 1 : IN_FLIGHT;
        scores = scores(config);
        spans = new SpanExport(
                way.exporter(),
                connection,
                new SpanEncoder(resource, scope),
                scores,
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
                OtlpConfig.retries(timeout, config));
        return tracer;
    }

    /** Rewards go to the vendor where it takes them, beside the spans. */
    private @Nullable RewardScores scores(ConfigProperties config) {
        ScoreApi api = preset == null ? null : preset.preset().scores();
        if (preset == null || api == null || spanConnections.isEmpty()) {
            return null;
        }
        if (OtlpConfig.protocol(config, "traces").equals("grpc")) {
            String variable = config.getString("otel.exporter.otlp.traces.protocol") == null
                    ? "OTEL_EXPORTER_OTLP_PROTOCOL"
                    : "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL";
            throw new SinkConfigException(variable + "=grpc is not valid: expected http/protobuf, since "
                    + preset.preset().label() + " takes rewards by HTTP alone");
        }
        String server = preset.server(OtlpConfig.endpointOf(config, "traces"));
        return new RewardScores(
                api, server, spanConnections.get(0), counts, status("rewards", "scores", server), resending);
    }

    /** The connection of OpenTelemetry's own exporter of OTLP, where that alone gets the spans. */
    private @Nullable OtlpConnection ownConnection() {
        SpanExporter exporter = spanExporters.get(0);
        boolean otlp = exporter instanceof OtlpGrpcSpanExporter || exporter instanceof OtlpHttpSpanExporter;
        return otlp && spanExporters.size() == 1 && spanConnections.size() == 1 ? spanConnections.get(0) : null;
    }

    /** Puts itself between the SDK and an exporter. */
    public MetricExporter take(MetricExporter exporter, ConfigProperties config) {
        metrics = refusals.add(new MetricExport(
                exporter,
                status("metrics", "points", OtlpConfig.target(config, "metrics")),
                metricsSwitch,
                connections(config, "metrics"),
                refusals,
                OtlpConfig.retries(TIMEOUT, config)));
        return metrics;
    }

    /** Notes that measurements go somewhere, be it by a reader of another kind. */
    public MetricReader take(MetricReader reader) {
        measures = true;
        return reader;
    }

    /** Keeps an exporter for itself; what the SDK has instead does nothing. */
    public LogRecordExporter take(LogRecordExporter exporter) {
        logExporters.add(exporter);
        return LogRecordExporter.composite();
    }

    /** Without an exporter there is no export either. */
    public SdkLoggerProviderBuilder connect(SdkLoggerProviderBuilder logger, ConfigProperties config) {
        if (logExporters.isEmpty()) {
            return logger;
        }
        Duration timeout = config.getDuration("otel.blrp.export.timeout", TIMEOUT);
        logs = refusals.add(new LogExport(
                LogRecordExporter.composite(logExporters),
                status("logs", "logs", OtlpConfig.target(config, "logs")),
                logsSwitch,
                connections(config, "logs"),
                refusals,
                BatchLimits.of(config.getInt("otel.blrp.max.export.batch.size", MAX_BATCH), MAX_BATCH_BYTES)
                        .linger(config.getDuration("otel.blrp.schedule.delay", DELAY))
                        .waiting(LOG_BATCHES)
                        .stall(LONGEST_STALL, true),
                OtlpConfig.retries(timeout.isZero() ? NO_TIMEOUT : timeout, config)));
        return logger.addLogRecordProcessor(logs);
    }

    private List<OtlpConnection> connections(ConfigProperties config, String signal) {
        return senders.connections(signal, OtlpConfig.endpoint(config, signal + "."));
    }

    private static DeliveryStatus status(String signal, String items, String target) {
        return new DeliveryStatus(LoggerFactory.getLogger(Names.SCOPE), signal, items, target);
    }

    // ---- afterwards

    /** Sends spans; {@code null} where they go nowhere. */
    public @Nullable SpanExport spans() {
        return spans;
    }

    /** Sends rewards to the vendor's own interface; {@code null} where there is none. */
    public @Nullable RewardScores scores() {
        return scores;
    }

    /** Returns the vendor's names that spans carry besides the conventions' own. */
    public SpanDialect dialect() {
        return preset == null ? SpanDialect.NONE : preset.preset().dialect();
    }

    public Resource resource() {
        return resource;
    }

    /** Returns whether spans that lie in no run are left out: what lists conversations would show them as one without a word. */
    public boolean isForRunsAlone() {
        return toMlflow || toLangfuse || dialect() != SpanDialect.NONE;
    }

    public boolean isToMlflow() {
        return toMlflow;
    }

    public boolean isToLangfuse() {
        return toLangfuse;
    }

    /** Returns whether metrics go anywhere. */
    public boolean measures() {
        return measures;
    }

    /** Returns the export of metrics; {@code null} if none are sent, or a reader of another kind sends them. */
    public @Nullable MetricExport metrics() {
        return metrics;
    }

    /** Returns the export of logs; {@code null} if none are sent. */
    public @Nullable LogExport logs() {
        return logs;
    }

    /** Returns whether the back end has refused metrics for good. */
    public boolean refusesMetrics() {
        MetricExport export = metrics;
        return export != null && export.isRefused();
    }

    public AggregationTemporality temporality() {
        MetricExport export = metrics;
        return export == null
                ? AggregationTemporality.CUMULATIVE
                : export.getAggregationTemporality(InstrumentType.HISTOGRAM);
    }

    /**
     * Returns the time that an exporter may hold up the sink before it counts as hanging; {@link Sink#PATIENCE} at
     * least.
     */
    public Duration patience() {
        return patience;
    }

    /** Returns the exports of metrics and logs, as far as there are any. */
    private List<SignalExport<?>> others() {
        return Stream.<@Nullable SignalExport<?>>of(metrics, logs)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Returns the health as known, without a request: see {@link HealthProbe#known}. */
    public Health health() {
        return probe().known();
    }

    /** Asks each back end whether it would take spans, metrics and logs now. */
    public Health check(Duration timeout) {
        return probe().ask(timeout);
    }

    private HealthProbe probe() {
        Map<String, Object> facts = new LinkedHashMap<>();
        if (outlet == null) { // one that takes spans alone tells whose they are itself
            String serviceName = resource.getAttribute(SERVICE_NAME);
            if (serviceName != null) {
                facts.put("service_name", serviceName);
            }
            facts.put(HealthProbe.METRICS, measures ? "on" : "off");
        }
        return new HealthProbe(spans, spanConnections, others(), nowhere, facts);
    }

    /** Sends nothing from {@code end} on, in terms of {@link System#nanoTime}. */
    public void endBy(long end) {
        refusals.endBy(end);
        if (spans != null) {
            spans.batcher().endBy(end);
        }
        if (scores != null) {
            scores.endBy(end);
        }
        others().forEach(other -> other.batcher().endBy(end));
    }
}
