package dev.rlm.sinks.otel;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.MetricLabels;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.event.Event;
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
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes a trace of every run: spans of the run, a marker of its start, its steps, its calls of models and tools, and of
 * rewards that took time or came late. Measures runs, steps, rewards, durations and tokens.
 *
 * <p>With an SDK of its own (the default) the trace id follows from the run id, and an event counts as delivered when the
 * back end has accepted the span that it is part of. With an {@linkplain Builder#openTelemetry injected} OpenTelemetry,
 * ids and sending are that one's business, and an event counts as delivered when it has been handed over.
 */
public final class OtelSink implements Sink {
    static final String SCOPE = "dev.rlm.sinks.otel";

    private final Acknowledgements acknowledgements = new Acknowledgements();
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
        if (builder.injected == null) {
            Export export = builder.export(acknowledgements);
            own = new OwnSdk(builder.properties(), export);
            telemetry = own.sdk();
        } else {
            own = null;
            telemetry = builder.injected;
        }
        boolean measures = builder.metrics && (own == null || own.export().measures());
        Meter meter = (measures ? telemetry.getMeterProvider() : MeterProvider.noop())
                .meterBuilder(SCOPE)
                .setSchemaUrl(GenAi.SCHEMA_URL)
                .build();
        gauges = measures ? new TrainingGauges(meter, builder.labels) : null;
        traceUrl = builder.traceUrl;
        resending = builder.resending;
        Tracer tracing =
                telemetry.tracerBuilder(SCOPE).setSchemaUrl(GenAi.SCHEMA_URL).build();
        spans = new OpenSpans(tracing, own == null ? null : own.ids());
        tracer = new RunTracer(
                spans,
                new RunMapping(builder.capture, own != null && own.export().isToMlflow()),
                builder.capture,
                new Instruments(meter, own == null ? new RewardSums(meter) : own.rewards(), builder.metricRunIds),
                acknowledgements,
                own == null ? null : own.export().spans(),
                builder.genAiSpans);
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

    /** The id of the run's trace, in 32 hexadecimal digits; empty where only an injected OpenTelemetry could tell. */
    public Optional<String> traceId(String runId) {
        return spans.traceId(runId);
    }

    @Override
    public void onEvent(Event event) {
        if (event instanceof RunEvent inRun && tracer.isLate(inRun)) {
            return;
        }
        if (event instanceof RunStarted e) {
            tracer.runStarted(e);
        } else if (event instanceof StepStarted e) {
            tracer.stepStarted(e);
        } else if (event instanceof RewardGiven e) {
            tracer.rewardGiven(e);
        } else if (event instanceof ModelCalled e) {
            tracer.modelCalled(e);
        } else if (event instanceof ToolCalled e) {
            tracer.toolCalled(e);
        } else if (event instanceof SpanRecorded e) {
            tracer.spanRecorded(e);
        } else if (event instanceof StepEnded e) {
            tracer.stepEnded(e);
        } else if (event instanceof RunEnded e) {
            tracer.runEnded(e);
        } else if (event instanceof RunEvent inRun) {
            tracer.inCourse(inRun);
        } else if (event instanceof MetricsReported e) {
            metricsReported(e);
        }
    }

    /** Counts as delivered once it is the gauges' value: what is sent of a gauge is its last. */
    private void metricsReported(MetricsReported event) {
        if (gauges == null) {
            acknowledgements.dropped(Ledger.METRICS_OFF, 1);
        } else if (own != null && own.export().refusesMetrics()) {
            acknowledgements.dropped("metrics_refused", 1);
        } else if (gauges.report(event)) {
            acknowledgements.delivered(1);
        } else {
            acknowledgements.dropped("too_many_metrics", 1);
        }
    }

    @Override
    @SuppressWarnings("MustBeClosedChecker") // it is the caller's to close
    public Scope openScope(Place place) {
        return spans.context(place).makeCurrent()::close;
    }

    /** The span there; that of the run's own parent where an injected OpenTelemetry makes none. */
    @Override
    public Optional<TraceContext> traceContext(Place place) {
        return Optional.ofNullable(spans.span(place))
                .map(Span::getSpanContext)
                .filter(SpanContext::isValid)
                .map(Traceparent::of);
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
        return own == null || own.export().flush(own.sdk(), timeout);
    }

    @Override
    public Health status() {
        return own == null
                ? new Health(true, "an OpenTelemetry of the program's own")
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
        return acknowledgements.current();
    }

    @Override
    public void beginClose(Duration timeout) {
        if (own != null) {
            own.export().beginClose(timeout);
        }
    }

    @Override
    public void close() {
        if (!resending) { // a run that was left in its middle is sent as a whole another time
            tracer.abortAll();
        }
        if (own != null) {
            own.export().close(own.sdk());
        }
    }

    /** Collects what a sink is made of. */
    public static final class Builder {
        private final SdkProperties sdk = new SdkProperties();
        private String metricsSwitch = "RLM_OTEL_METRICS_ENABLED";
        private @Nullable OpenTelemetry injected;
        private boolean metrics = true;
        private boolean genAiSpans = true;
        private int metricRunIds = 100;
        private ContentCapture capture = ContentCapture.PREVIEW;
        private MetricLabels labels = MetricLabels.NONE;
        private @Nullable String traceUrl;
        private boolean resending;
        private @Nullable SpanExporter exporter;

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
         * Uses this OpenTelemetry and does not close it. A run is a trace of its own here too: it joins the caller's only
         * where its {@link dev.rlm.sinks.RunSpec.Builder#parent spec names a parent}.
         */
        public Builder openTelemetry(OpenTelemetry value) {
            injected = value;
            return this;
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

        /** Any property of OpenTelemetry's SDK, such as {@code otel.service.name}; counts before the variables. */
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

        /** Whether to measure; yes unless said. */
        public Builder metrics(boolean value) {
            metrics = value;
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

        /** How much of a run's text leaves; a preview unless said. */
        public Builder capture(ContentCapture value) {
            capture = value;
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

        /** Gives every span of runs that were recorded earlier to this exporter alone, whatever the variables say. */
        Builder exportTo(SpanExporter value) {
            exporter = value;
            resending = true;
            return property("otel.sdk.disabled", "false")
                    .property("otel.traces.exporter", "none")
                    .property("otel.traces.sampler", "always_on")
                    .property("otel.bsp.schedule.delay", "1h") // so that the same runs make the same batches
                    .property("otel.java.exporter.otlp.retry.disabled", "true");
        }

        private Export export(Acknowledgements acknowledgements) {
            Export export = new Export(acknowledgements, metricsSwitch, sdk::withOwnVariables);
            if (exporter != null) {
                export.take(exporter, "a file");
            }
            return export;
        }

        private SdkProperties properties() {
            if (!metrics) {
                sdk.build("otel.metrics.exporter", "none");
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
