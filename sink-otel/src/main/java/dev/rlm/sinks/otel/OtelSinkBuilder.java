package dev.rlm.sinks.otel;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.otel.export.ExporterConfig;
import dev.rlm.sinks.otel.export.OtlpPipeline;
import dev.rlm.sinks.otel.export.TailSamplingPolicy;
import dev.rlm.sinks.otel.files.FileSpanExporter;
import dev.rlm.sinks.otel.files.JsonLinesExporter;
import dev.rlm.sinks.otel.files.SharedLinesFile;
import dev.rlm.sinks.otel.mapping.ContentCapture;
import dev.rlm.sinks.otel.mapping.GenAiVersions;
import dev.rlm.sinks.otel.mapping.SpanNames;
import dev.rlm.sinks.otel.settings.PresetSettings;
import dev.rlm.sinks.otel.settings.SdkProperties;
import dev.rlm.sinks.schema.MetricLabels;
import io.opentelemetry.api.OpenTelemetry;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builder of an {@link OtelSink}: what is not said is as the {@code OTEL_*} variables say. */
public final class OtelSinkBuilder {
    private static final Duration LONGEST_STALL = Duration.ofSeconds(5); // of the lane, by a file that takes nothing

    private final SdkProperties sdk = new SdkProperties();
    private String metricsSwitch = "RLM_OTEL_METRICS_ENABLED";
    private String logsSwitch = "RLM_OTEL_LOGS_ENABLED";
    private @Nullable OpenTelemetry given;
    private boolean global = true;
    private @Nullable ExporterConfig outlet;

    // Read by the sink
    boolean metrics = true;
    boolean logs = true;
    final Set<RunLogs.Kind> logged = EnumSet.of(RunLogs.Kind.ENDS, RunLogs.Kind.ABANDONED);
    boolean genAiSpans = true;
    GenAiVersions genAi = GenAiVersions.DEFAULT;
    int metricRunIds = 100;
    TailSamplingPolicy keep = TailSamplingPolicy.ALL;
    ContentCapture capture = ContentCapture.PREVIEW;
    SpanNames spanNames = SpanNames.RLM;
    BaggageAttributes baggage = BaggageAttributes.NONE;
    MetricLabels labels = MetricLabels.NONE;

    @Nullable
    String traceUrl;

    boolean resending;
    boolean mlflow;
    boolean joining = true;
    final Set<Class<? extends RunEvent>> accountedElsewhere = new HashSet<>();

    OtelSinkBuilder() {}

    /**
     * Takes from the configuration what it says of the sink of its {@linkplain SinkConfig#name() name}, the
     * {@code OTEL_*} variables included. OpenTelemetry's properties that are given to this builder count before those;
     * of the other settings what is said last, so that this comes first.
     */
    public OtelSinkBuilder config(SinkConfig config) {
        OtelSinkProvider.configure(this, config);
        return this;
    }

    /**
     * Uses this OpenTelemetry, whatever else is said, and does not close it. A run is a trace of its own here too: it
     * joins the caller's only where its {@link dev.rlm.sinks.RunSpec.Builder#parent spec names a parent}.
     */
    public OtelSinkBuilder openTelemetry(OpenTelemetry value) {
        given = value;
        return this;
    }

    /**
     * Uses an SDK of the sink's own where no OpenTelemetry is given, also where a global one is set. So does a sink that
     * is told here where or how to send, and one for runs that were recorded earlier.
     */
    public OtelSinkBuilder ownSdk() {
        global = false;
        return this;
    }

    @Nullable
    Injected injected() {
        if (given != null) {
            return Injected.given(given);
        }
        return global && !resending && !sdk.isBuilt() ? Injected.global() : null;
    }

    /**
     * Sets the address to send to by OTLP, such as {@code http://localhost:4317}. With an endpoint given here no
     * {@code OTEL_EXPORTER_OTLP_*} variable holds for this sink, neither headers nor the protocol: they may be meant
     * for another back end.
     */
    public OtelSinkBuilder endpoint(URI value) {
        return property(SdkProperties.ENDPOINT, value.toString());
    }

    /**
     * A header to be sent with everything, such as a back end's key; there may be several. With one given here those
     * of the variables are not sent. The value is shown nowhere, and a secret to the hub that the sink is added to,
     * wherever it occurs in a run.
     */
    public OtelSinkBuilder header(String name, String value) {
        sdk.header(name, value);
        return this;
    }

    /** Several headers: see {@link #header}. */
    public OtelSinkBuilder headers(Map<String, String> values) {
        values.forEach(this::header);
        return this;
    }

    /**
     * Sets the protocol: {@code grpc} or {@code http/protobuf}. Unless it is said, it is gRPC without an endpoint and to
     * port 4317, and else HTTP.
     */
    public OtelSinkBuilder protocol(String value) {
        return property(SdkProperties.PROTOCOL, value);
    }

    /** Names the service that everything is attributed to; {@code rlm} unless said. Counts before the variables. */
    public OtelSinkBuilder serviceName(String value) {
        if (value.isBlank()) {
            throw new IllegalArgumentException("the service name is blank");
        }
        return property("otel.service.name", value);
    }

    /** Any property of OpenTelemetry's SDK, such as {@code otel.bsp.schedule.delay}; counts before the variables. */
    public OtelSinkBuilder property(String name, String value) {
        sdk.build(name, value);
        return this;
    }

    /** Returns the properties of the sink's own SDK. */
    SdkProperties sdk() {
        return sdk;
    }

    /** The variables that turn metrics off, and logs. */
    void switches(String forMetrics, String forLogs) {
        metricsSwitch = forMetrics;
        logsSwitch = forLogs;
    }

    /** Sets whether to measure; yes unless said. */
    public OtelSinkBuilder metrics(boolean value) {
        metrics = value;
        return this;
    }

    /** Sets whether to send log records; yes unless said. */
    public OtelSinkBuilder logs(boolean value) {
        logs = value;
        return this;
    }

    /** Sets whether each reward is a log record too; no unless said. */
    public OtelSinkBuilder logRewards(boolean value) {
        return log(RunLogs.Kind.REWARDS, value);
    }

    /** Sets whether each heartbeat is a log record too; no unless said. */
    public OtelSinkBuilder logHeartbeats(boolean value) {
        return log(RunLogs.Kind.HEARTBEATS, value);
    }

    /** Leaves out all log records but those of runs whose process died before it could send them. */
    void logAbandonedOnly() {
        logged.retainAll(EnumSet.of(RunLogs.Kind.ABANDONED));
    }

    private OtelSinkBuilder log(RunLogs.Kind kind, boolean value) {
        if (value) {
            logged.add(kind);
        } else {
            logged.remove(kind);
        }
        return this;
    }

    /**
     * Sets whether calls of models and tools become {@code chat} and {@code execute_tool} spans, and model calls are
     * measured; yes unless said. No for an agent whose own instrumentation does that.
     */
    public OtelSinkBuilder genAiSpans(boolean value) {
        genAiSpans = value;
        return this;
    }

    /** Sends the names of these versions of the GenAI conventions. */
    OtelSinkBuilder genAi(GenAiVersions value) {
        genAi = value;
        return this;
    }

    /** Sets how many runs of the process {@code rlm.steps} labels with their run id; the others share a label. */
    public OtelSinkBuilder metricRunIds(int value) {
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
    public OtelSinkBuilder successRatio(double value) {
        keep = keep.withRatio(value);
        return this;
    }

    /** The total rewards below and above which a run stands out; either may be infinite, as both are unless said. */
    public OtelSinkBuilder keepReward(double lowest, double highest) {
        keep = keep.withReward(lowest, highest);
        return this;
    }

    void keep(TailSamplingPolicy rule) {
        keep = rule;
    }

    /** Sets how much of a run's text leaves; a preview unless said. */
    public OtelSinkBuilder capture(ContentCapture value) {
        capture = value;
        return this;
    }

    /** Names the spans of runs and steps so; {@code rlm.run} and {@code rlm.step} unless said. */
    public OtelSinkBuilder spanNames(SpanNames value) {
        spanNames = value;
        return this;
    }

    /**
     * Gives every span of a run, as attributes, the entries of the baggage that came with its parent which have one of
     * these keys; none unless said. The span's own attributes count before them.
     *
     * @throws IllegalArgumentException if one is no key of baggage
     */
    public OtelSinkBuilder baggageAttributes(List<String> keys) {
        return baggage(new BaggageAttributes(keys));
    }

    OtelSinkBuilder baggage(BaggageAttributes value) {
        baggage = value;
        return this;
    }

    /** Sets the address of a trace's page, with <code>{traceId}</code> in the place of its id. */
    public OtelSinkBuilder traceUrl(String template) {
        traceUrl = OtelSinkProvider.checkedTraceUrl(template)
                .orElseThrow(() -> new IllegalArgumentException("not a template of trace pages: " + template));
        return this;
    }

    /** Sets what to describe the gauges of training with. */
    void labels(MetricLabels value) {
        labels = value;
    }

    void resending(boolean value) {
        resending = value;
    }

    /** Sets whether spans carry what only MLflow reads, also where no header tells that they go there. */
    public OtelSinkBuilder mlflow(boolean value) {
        mlflow = value;
        return this;
    }

    /**
     * Sets whether a run joins the trace of its remote parent; yes unless said. Where that trace is sent elsewhere, the run
     * would have no root. Does not hold with an {@linkplain #openTelemetry injected} OpenTelemetry.
     */
    public OtelSinkBuilder joinParents(boolean value) {
        joining = value;
        return this;
    }

    /** Makes spans of events of this kind without accounting for them: {@link OtelSink#acknowledged} does not count them. */
    public OtelSinkBuilder accountedElsewhere(Class<? extends RunEvent> kind) {
        accountedElsewhere.add(kind);
        return this;
    }

    /** Gives every span to this one alone, whatever the variables say. */
    OtelSinkBuilder outlet(ExporterConfig value) {
        outlet = value;
        keep = TailSamplingPolicy.ALL;
        return metrics(false)
                .logs(false)
                .property("otel.sdk.disabled", "false")
                .property("otel.traces.exporter", "none");
    }

    /** Writes every span of runs that were recorded earlier there alone, as lines of JSON, whatever the variables say. */
    OtelSinkBuilder exportTo(OutputStream lines) {
        resending = true;
        return outlet(ExporterConfig.awaited(new JsonLinesExporter(lines), "a file"))
                .property("otel.traces.sampler", "always_on")
                .property("otel.bsp.schedule.delay", "1h") // so that the same runs make the same batches
                .property("otel.java.exporter.otlp.retry.disabled", "true");
    }

    /** Appends every span to the file as soon as may be, whatever the variables say of sending. */
    OtelSinkBuilder appendTo(SharedLinesFile file) {
        ExporterConfig there = ExporterConfig.notAwaited(
                new FileSpanExporter(file), file.path().toString(), LONGEST_STALL);
        return outlet(there)
                .property("otel.bsp.schedule.delay", "100ms")
                .property("otel.java.exporter.otlp.retry.disabled", "false");
    }

    OtlpPipeline export(DeliveryCounts counts) {
        OtlpPipeline export =
                new OtlpPipeline(counts, keep, metricsSwitch, logsSwitch, sdk::withOwnVariables, genAi.scope());
        PresetSettings preset = outlet == null ? sdk.preset() : null;
        if (preset != null) {
            export.take(preset, resending);
        }
        if (outlet != null) {
            export.take(outlet);
        }
        return export;
    }

    SdkProperties properties() {
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
