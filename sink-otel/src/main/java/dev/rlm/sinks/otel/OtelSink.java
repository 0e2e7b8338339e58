package dev.rlm.sinks.otel;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.otel.export.ExporterConfig;
import dev.rlm.sinks.otel.export.HealthProbe;
import dev.rlm.sinks.otel.export.OtlpPipeline;
import dev.rlm.sinks.otel.export.RewardScores;
import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.mapping.RunMapping;
import dev.rlm.sinks.otel.metrics.GenAiInstruments;
import dev.rlm.sinks.otel.metrics.Instruments;
import dev.rlm.sinks.otel.metrics.RewardSums;
import dev.rlm.sinks.otel.metrics.TrainingGauges;
import dev.rlm.sinks.otel.settings.PresetSettings;
import dev.rlm.sinks.otel.spans.Traceparent;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.logs.LoggerProvider;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.MeterBuilder;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerBuilder;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a trace of every run: spans of the run, a marker of its start, its steps, its calls of models and tools, and of
 * rewards that took time or came late. Measures runs, steps, rewards, durations and tokens. Logs each run's end in the
 * context of its span, and where that is asked for rewards and heartbeats; no event counts as delivered by a log record.
 *
 * <p>With an SDK of its own the trace id follows from the run id, and an event counts as delivered when the back end has
 * accepted the span that it is part of. With an injected OpenTelemetry, which is the one that it was
 * {@linkplain OtelSinkBuilder#openTelemetry given}, or a global one that was set before the sink was made, as the Java agent sets
 * it, ids and sending are that one's business, and an event counts as delivered when it has been handed over. The sink
 * itself never sets anything global.
 */
public final class OtelSink implements Sink {
    private static final Logger LOG = LoggerFactory.getLogger(Names.SCOPE);

    private final DeliveryCounts counts = new DeliveryCounts();
    private final String injected; // whose OpenTelemetry it uses; empty for its own
    private final @Nullable OwnSdk own;
    private final OpenSpans spans;
    private final @Nullable TrainingGauges gauges;
    private final RunTracer tracer;
    private final @Nullable String traceUrl;
    private final boolean resending;
    private final Set<String> secrets;

    OtelSink(OtelSinkBuilder builder) {
        secrets = builder.sdk().secrets();
        OpenTelemetry telemetry;
        Injected other = builder.injected();
        if (other == null) {
            OtlpPipeline export = builder.export(counts);
            own = new OwnSdk(builder.properties(), export, builder.joining);
            telemetry = own.sdk();
            injected = "";
        } else {
            own = null;
            telemetry = other.telemetry();
            injected = other.description();
        }
        boolean measures = builder.metrics && (own == null || own.export().measures());
        String schemaUrl = builder.genAi.schemaUrl();
        MeterBuilder meters =
                (measures ? telemetry.getMeterProvider() : MeterProvider.noop()).meterBuilder(Names.SCOPE);
        Meter meter = (schemaUrl == null ? meters : meters.setSchemaUrl(schemaUrl)).build();
        gauges = measures ? new TrainingGauges(meter, builder.labels) : null;
        traceUrl = builder.traceUrl;
        resending = builder.resending;
        TracerBuilder tracers = telemetry.tracerBuilder(Names.SCOPE);
        Tracer tracing = (schemaUrl == null ? tracers : tracers.setSchemaUrl(schemaUrl)).build();
        spans = new OpenSpans(tracing, builder.baggage, builder.capture, own, counts);
        RewardScores scores = own == null ? null : own.export().scores();
        if (scores != null) {
            builder.accountedElsewhere(RewardGiven.class);
        }
        tracer = new RunTracer(
                spans,
                new RunMapping(
                        builder.capture,
                        builder.spanNames,
                        own != null && own.export().isToLangfuse(),
                        builder.mlflow || (own != null && own.export().isToMlflow())),
                builder.capture,
                builder.genAi,
                new Instruments(
                        meter,
                        new GenAiInstruments(
                                builder.genAiSpans
                                        ? meter
                                        : MeterProvider.noop().get(Names.SCOPE),
                                builder.genAi),
                        own == null
                                ? numbers -> new RewardSums(meter, numbers.label(), numbers.description())
                                : own::histogram,
                        builder.metricRunIds),
                new RunLogs(
                        builder.logs ? telemetry.getLogsBridge() : LoggerProvider.noop(),
                        builder.capture,
                        schemaUrl,
                        builder.logged),
                counts,
                scores,
                builder.genAiSpans,
                builder.accountedElsewhere);
        PresetSettings preset = builder.sdk().preset();
        if (own == null && preset != null) {
            LOG.warn(
                    "the preset {} does not hold: spans are sent by an OpenTelemetry of the program's own",
                    preset.preset().label());
        }
        if (own == null && builder.keep.isPartial()) {
            LOG.warn(
                    "the success ratio of {} does not hold: spans are sent by an OpenTelemetry of the program's own",
                    builder.keep.ratio());
        }
    }

    /**
     * A sink as the environment variables and system properties say: on unless {@code RLM_OTEL_ENABLED} or {@code
     * RLM_OBS_ENABLED} is false, and then one that sends nothing.
     *
     * @throws SinkConfigException if one of them has a value that cannot be used
     */
    public static OtelSink fromEnvironment() {
        SinkConfig config = SinkConfig.system().sink(OtelSinkProvider.NAME);
        OtelSinkBuilder sink = builder().config(config);
        boolean on = config.bool("ENABLED", true) && config.shared().bool("RLM_OBS_ENABLED", true);
        return (on ? sink : sink.openTelemetry(OpenTelemetry.noop())).build();
    }

    /** Collects what a sink is made of; what is not said is as the {@code OTEL_*} variables say. */
    public static OtelSinkBuilder builder() {
        return new OtelSinkBuilder();
    }

    /**
     * The same for a sink that gives its spans to this exporter and sends nothing else: for another sink, which has a way
     * and an account of its own, and hands on to this one what is to become spans. The {@code OTEL_*} variables hold as far
     * as they describe the program, its sampling and how spans are put together; nothing that is said of OTLP does.
     *
     * <p>The exporter's result fails with a {@link dev.rlm.sinks.delivery.DeliveryException} to say what may help. While
     * nothing is taken, 16 MiB of spans wait, and then the lane, for so long in all; what comes then is counted as dropped.
     *
     * @param config the other sink's, for its {@code CAPTURE_CONTENT} and {@code GENAI_SPANS}
     * @param exporter takes one batch at a time, on any thread
     * @param target where that leads, for people
     * @param longestStall how long the lane waits in all for room while nothing is taken
     */
    public static OtelSinkBuilder spansTo(
            SpanExporter exporter, String target, Duration longestStall, SinkConfig config) {
        return OtelSinkProvider.spans(builder(), config)
                .outlet(ExporterConfig.notAwaited(exporter, target, longestStall));
    }

    /** The id of the run's trace, in 32 hexadecimal digits; empty where only an injected OpenTelemetry could tell. */
    public Optional<String> traceId(String runId) {
        return spans.traceId(runId);
    }

    @Override
    public void onEvent(Event event) {
        if (event instanceof RunEvent inRun && tracer.isLate(inRun)) {
            return;
        }
        switch (event.type()) {
            case RUN_STARTED -> tracer.runStarted((RunStarted) event);
            case STEP_STARTED -> tracer.stepStarted((StepStarted) event);
            case REWARD_GIVEN -> tracer.rewardGiven((RewardGiven) event);
            case MODEL_CALLED -> tracer.modelCalled((ModelCalled) event);
            case TOOL_CALLED -> tracer.toolCalled((ToolCalled) event);
            case SPAN_RECORDED -> tracer.spanRecorded((SpanRecorded) event);
            case STEP_ENDED -> tracer.stepEnded((StepEnded) event);
            case RUN_ENDED -> tracer.runEnded((RunEnded) event);
            case HEARTBEAT -> tracer.heartbeat((Heartbeat) event);
            case ARTIFACT_SAVED -> tracer.artifactSaved((ArtifactSaved) event);
            case METRICS_REPORTED -> metricsReported((MetricsReported) event);
            case STANDALONE_SPAN_RECORDED -> tracer.standaloneSpanRecorded((StandaloneSpanRecorded) event);
            case LEDGER_REPORTED -> {
                // of all sinks: for those that keep the record
            }
        }
    }

    /** Spans that lie in no run are nothing to a back end that lists conversations. */
    @Override
    public boolean accepts(EventType type) {
        return type != EventType.STANDALONE_SPAN_RECORDED || !spans.areOfRunsAlone();
    }

    /** Counts as delivered once it is the gauges' value: what is sent of a gauge is its last. */
    private void metricsReported(MetricsReported event) {
        if (gauges == null) {
            counts.dropped(Ledger.METRICS_OFF, 1);
        } else if (own != null && own.export().refusesMetrics()) {
            counts.dropped("metrics_refused", 1);
        } else if (gauges.report(event)) {
            counts.delivered(1);
        } else {
            counts.dropped("too_many_metrics", 1);
        }
    }

    @Override
    public Scope openScope(Place place) {
        return SpanScope.open(spans.context(place));
    }

    /** The span there; that of the run's own parent where an injected OpenTelemetry makes none. */
    @Override
    public Optional<TraceContext> traceContext(Place place) {
        return Optional.ofNullable(spans.span(place)).flatMap(Traceparent::of);
    }

    /** The trace's page, where a template for such addresses was given. */
    @Override
    public Optional<URI> location(String runId) {
        return traceUrl == null
                ? Optional.empty()
                : traceId(runId).map(id -> URI.create(traceUrl.replace(Names.TRACE_ID, id)));
    }

    /** A multiple of what one export may take, since exports push back on the lane. */
    @Override
    public Duration patience() {
        return own == null ? PATIENCE : own.export().patience();
    }

    @Override
    public boolean flush(Duration timeout) {
        return own == null || own.flush(timeout);
    }

    @Override
    public Health status() {
        return own == null
                ? new Health(true, injected, Map.of(HealthProbe.METRICS, gauges == null ? "off" : "on"))
                : own.export().health();
    }

    @Override
    public Health check(Duration timeout) {
        return own == null ? status() : own.export().check(timeout);
    }

    @Override
    public Set<String> secrets() {
        return secrets;
    }

    @Override
    public Acknowledged acknowledged() {
        return counts.current();
    }

    @Override
    public void beginClose(Duration timeout) {
        if (own != null) {
            own.beginClose(timeout);
        }
    }

    @Override
    public void close() {
        if (resending) { // a run that was left in its middle is sent as a whole another time
            tracer.keepAll();
        } else {
            tracer.abortAll();
        }
        if (own != null) {
            own.close();
        }
    }
}
