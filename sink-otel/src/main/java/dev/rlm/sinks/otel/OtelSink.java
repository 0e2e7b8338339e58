package dev.rlm.sinks.otel;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.schema.MetricLabels;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.logs.LoggerProvider;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
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
 * {@linkplain Builder#openTelemetry given}, or a global one that was set before the sink was made, as the Java agent sets
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

    private OtelSink(Builder builder) {
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
        Meter meter = (measures ? telemetry.getMeterProvider() : MeterProvider.noop())
                .meterBuilder(Names.SCOPE)
                .setSchemaUrl(GenAi.SCHEMA_URL)
                .build();
        gauges = measures ? new TrainingGauges(meter, builder.labels) : null;
        traceUrl = builder.traceUrl;
        resending = builder.resending;
        Tracer tracing = telemetry
                .tracerBuilder(Names.SCOPE)
                .setSchemaUrl(GenAi.SCHEMA_URL)
                .build();
        spans = new OpenSpans(tracing, builder.baggage, own, counts);
        tracer = new RunTracer(
                spans,
                new RunMapping(
                        builder.capture,
                        builder.spanNames,
                        own != null && own.export().isToLangfuse(),
                        builder.mlflow || (own != null && own.export().isToMlflow())),
                builder.capture,
                new Instruments(
                        meter,
                        own == null
                                ? new RewardSums(meter, Instruments.REWARD, Instruments.REWARD_DESCRIPTION)
                                : own.rewards(),
                        own == null
                                ? new RewardSums(meter, Instruments.RUN_REWARD, Instruments.RUN_REWARD_DESCRIPTION)
                                : own.runRewards(),
                        builder.metricRunIds),
                new RunLogs(
                        builder.logs ? telemetry.getLogsBridge() : LoggerProvider.noop(),
                        builder.capture,
                        builder.logged),
                counts,
                builder.genAiSpans,
                builder.accountedElsewhere);
        if (own == null && builder.keep.isPartial()) {
            LOG.warn(
                    "the success ratio of {} does not hold: spans are sent by an OpenTelemetry of the program's own",
                    builder.keep.ratio());
        }
    }

    /**
     * A sink as the environment variables and system properties say, whether or not they enable it.
     *
     * @throws SinkConfigException if one of them has a value that cannot be used
     */
    public static OtelSink fromEnvironment() {
        return builder().config(SinkConfig.system().sink(OtelSinkProvider.NAME)).build();
    }

    /** Collects what a sink is made of; what is not said is as the {@code OTEL_*} variables say. */
    public static Builder builder() {
        return new Builder();
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
    public static Builder spansTo(SpanExporter exporter, String target, Duration longestStall, SinkConfig config) {
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
            case LEDGER_REPORTED -> {
                // of all sinks: for those that keep the record
            }
        }
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
                : traceId(runId).map(id -> URI.create(traceUrl.replace(OtelSinkProvider.TRACE_ID, id)));
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

    /** Collects what a sink is made of. */
    public static final class Builder {
        private final SdkProperties sdk = new SdkProperties();
        private String metricsSwitch = "RLM_OTEL_METRICS_ENABLED";
        private @Nullable OpenTelemetry given;
        private boolean global = true;
        private String logsSwitch = "RLM_OTEL_LOGS_ENABLED";
        private boolean metrics = true;
        private boolean logs = true;
        private final Set<RunLogs.Kind> logged = EnumSet.of(RunLogs.Kind.ENDS, RunLogs.Kind.ABANDONED);
        private boolean genAiSpans = true;
        private int metricRunIds = 100;
        private TailSamplingPolicy keep = TailSamplingPolicy.ALL;
        private ContentCapture capture = ContentCapture.PREVIEW;
        private SpanNames spanNames = SpanNames.RLM;
        private BaggageAttributes baggage = BaggageAttributes.NONE;
        private MetricLabels labels = MetricLabels.NONE;
        private @Nullable String traceUrl;
        private boolean resending;
        private @Nullable ExporterConfig outlet;
        private boolean mlflow;
        private boolean joining = true;
        private final Set<Class<? extends RunEvent>> accountedElsewhere = new HashSet<>();

        private Builder() {}

        /**
         * Takes from the configuration what it says of the sink of its {@linkplain SinkConfig#name() name}, the
         * {@code OTEL_*} variables included. OpenTelemetry's properties that are given to this builder count before those;
         * of the other settings what is said last, so that this comes first.
         */
        public Builder config(SinkConfig config) {
            OtelSinkProvider.configure(this, config);
            return this;
        }

        /**
         * Uses this OpenTelemetry, whatever else is said, and does not close it. A run is a trace of its own here too: it
         * joins the caller's only where its {@link dev.rlm.sinks.RunSpec.Builder#parent spec names a parent}.
         */
        public Builder openTelemetry(OpenTelemetry value) {
            given = value;
            return this;
        }

        /**
         * Uses an SDK of the sink's own where no OpenTelemetry is given, also where a global one is set. So does a sink that
         * is told here where or how to send, and one for runs that were recorded earlier.
         */
        public Builder ownSdk() {
            global = false;
            return this;
        }

        private @Nullable Injected injected() {
            if (given != null) {
                return Injected.given(given);
            }
            return global && !resending && !sdk.isBuilt() ? Injected.global() : null;
        }

        /**
         * Where to send by OTLP, such as {@code http://localhost:4317}. With an endpoint given here no
         * {@code OTEL_EXPORTER_OTLP_*} variable holds for this sink, neither headers nor the protocol: they may be meant
         * for another back end.
         */
        public Builder endpoint(URI value) {
            return property(SdkProperties.ENDPOINT, value.toString());
        }

        /**
         * A header to be sent with everything, such as a back end's key; there may be several. With one given here those
         * of the variables are not sent. The value is shown nowhere, and a secret to the hub that the sink is added to,
         * wherever it occurs in a run.
         */
        public Builder header(String name, String value) {
            sdk.header(name, value);
            return this;
        }

        /** Several headers: see {@link #header}. */
        public Builder headers(Map<String, String> values) {
            values.forEach(this::header);
            return this;
        }

        /** How to send: {@code grpc} or {@code http/protobuf}. */
        public Builder protocol(String value) {
            return property(SdkProperties.PROTOCOL, value);
        }

        /** Names the service that everything is attributed to; {@code rlm} unless said. Counts before the variables. */
        public Builder serviceName(String value) {
            if (value.isBlank()) {
                throw new IllegalArgumentException("the service name is blank");
            }
            return property("otel.service.name", value);
        }

        /** Any property of OpenTelemetry's SDK, such as {@code otel.bsp.schedule.delay}; counts before the variables. */
        public Builder property(String name, String value) {
            sdk.build(name, value);
            return this;
        }

        /** What the sink says to its own SDK. */
        SdkProperties sdk() {
            return sdk;
        }

        /** The variable that turns metrics off. */
        void metricsSwitch(String variable) {
            metricsSwitch = variable;
        }

        /** The variable that turns logs off. */
        void logsSwitch(String variable) {
            logsSwitch = variable;
        }

        /** Whether to measure; yes unless said. */
        public Builder metrics(boolean value) {
            metrics = value;
            return this;
        }

        /** Whether to send log records; yes unless said. */
        public Builder logs(boolean value) {
            logs = value;
            return this;
        }

        /** Whether each reward is a log record too; no unless said. */
        public Builder logRewards(boolean value) {
            return log(RunLogs.Kind.REWARDS, value);
        }

        /** Whether each heartbeat is a log record too; no unless said. */
        public Builder logHeartbeats(boolean value) {
            return log(RunLogs.Kind.HEARTBEATS, value);
        }

        /** Leaves out all log records but those that say of a run that its process died, which had nobody to send them. */
        void logAbandonedOnly() {
            logged.retainAll(EnumSet.of(RunLogs.Kind.ABANDONED));
        }

        private Builder log(RunLogs.Kind kind, boolean value) {
            if (value) {
                logged.add(kind);
            } else {
                logged.remove(kind);
            }
            return this;
        }

        /**
         * Whether calls of models and tools become {@code chat} and {@code execute_tool} spans, and model calls are
         * measured; yes unless said. No for an agent whose own instrumentation does that.
         */
        public Builder genAiSpans(boolean value) {
            genAiSpans = value;
            return this;
        }

        /** How many runs of the process {@code rlm.steps} labels with their run id; the others share a label. */
        public Builder metricRunIds(int value) {
            if (value < 0) {
                throw new IllegalArgumentException("the number of run ids must be at least 0, was " + value);
            }
            metricRunIds = value;
            return this;
        }

        /**
         * The share, from 0 to 1, of the runs that went well whose spans are all sent; 1 unless said. Of the others only
         * {@code rlm.run} and its marker are. Trace ids choose. All is sent of a run that failed, was aborted or abandoned,
         * that is a retry, and whose reward is absent or {@linkplain #keepReward stands out}. With less than 1 what is
         * not known before to be kept appears at the run's end. Measurements are made of all runs. Does not hold with an
         * {@linkplain #openTelemetry injected} OpenTelemetry.
         */
        public Builder successRatio(double value) {
            keep = keep.withRatio(value);
            return this;
        }

        /** The total rewards below and above which a run stands out; either may be infinite, as both are unless said. */
        public Builder keepReward(double lowest, double highest) {
            keep = keep.withReward(lowest, highest);
            return this;
        }

        void keep(TailSamplingPolicy rule) {
            keep = rule;
        }

        /** How much of a run's text leaves; a preview unless said. */
        public Builder capture(ContentCapture value) {
            capture = value;
            return this;
        }

        /** Names the spans of runs and steps so; {@code rlm.run} and {@code rlm.step} unless said. */
        public Builder spanNames(SpanNames value) {
            spanNames = value;
            return this;
        }

        /**
         * Gives every span of a run, as attributes, the entries of the baggage that came with its parent which have one of
         * these keys; none unless said. The span's own attributes count before them.
         *
         * @throws IllegalArgumentException if one is no key of baggage
         */
        public Builder baggageAttributes(List<String> keys) {
            return baggage(new BaggageAttributes(keys));
        }

        Builder baggage(BaggageAttributes value) {
            baggage = value;
            return this;
        }

        /** Where a trace's page is, with <code>{traceId}</code> in the place of its id. */
        public Builder traceUrl(String template) {
            traceUrl = OtelSinkProvider.checkedTraceUrl(template)
                    .orElseThrow(() -> new IllegalArgumentException("not a template of trace pages: " + template));
            return this;
        }

        /** What to describe the gauges of training with. */
        void labels(MetricLabels value) {
            labels = value;
        }

        void resending(boolean value) {
            resending = value;
        }

        /** Whether spans carry what only MLflow reads, also where no header tells that they go there. */
        public Builder mlflow(boolean value) {
            mlflow = value;
            return this;
        }

        /**
         * Whether a run joins the trace of its remote parent; yes unless said. Where that trace is sent elsewhere, the run
         * would have no root. Does not hold with an {@linkplain #openTelemetry injected} OpenTelemetry.
         */
        public Builder joinParents(boolean value) {
            joining = value;
            return this;
        }

        /** Makes spans of events of this kind without accounting for them: {@link #acknowledged} does not count them. */
        public Builder accountedElsewhere(Class<? extends RunEvent> kind) {
            accountedElsewhere.add(kind);
            return this;
        }

        /** Gives every span to this one alone, whatever the variables say. */
        private Builder outlet(ExporterConfig value) {
            outlet = value;
            keep = TailSamplingPolicy.ALL;
            return metrics(false)
                    .logs(false)
                    .property("otel.sdk.disabled", "false")
                    .property("otel.traces.exporter", "none");
        }

        /** Writes every span of runs that were recorded earlier there alone, as lines of JSON, whatever the variables say. */
        Builder exportTo(OutputStream lines) {
            resending = true;
            return outlet(ExporterConfig.awaited(new JsonLinesExporter(lines), "a file"))
                    .property("otel.traces.sampler", "always_on")
                    .property("otel.bsp.schedule.delay", "1h") // so that the same runs make the same batches
                    .property("otel.java.exporter.otlp.retry.disabled", "true");
        }

        private OtlpPipeline export(DeliveryCounts counts) {
            OtlpPipeline export = new OtlpPipeline(counts, keep, metricsSwitch, logsSwitch, sdk::withOwnVariables);
            if (outlet != null) {
                export.take(outlet);
            }
            return export;
        }

        private SdkProperties properties() {
            if (!metrics) {
                sdk.build("otel.metrics.exporter", "none");
            }
            if (!logs) {
                sdk.build("otel.logs.exporter", "none");
            }
            return sdk;
        }

        /**
         * Makes the sink.
         *
         * @throws SinkConfigException if OpenTelemetry cannot be configured as said
         */
        public OtelSink build() {
            return new OtelSink(this);
        }
    }
}
