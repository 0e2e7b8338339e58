package dev.rlm.sinks.otel;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.SinkProvider;
import dev.rlm.sinks.otel.export.TailSamplingPolicy;
import dev.rlm.sinks.otel.files.JsonLinesExporter;
import dev.rlm.sinks.otel.mapping.ContentCapture;
import dev.rlm.sinks.otel.mapping.GenAiVersions;
import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.mapping.SpanNames;
import dev.rlm.sinks.otel.settings.Preset;
import dev.rlm.sinks.otel.settings.PresetSettings;
import dev.rlm.sinks.otel.settings.SdkProperties;
import dev.rlm.sinks.schema.MetricLabels;
import java.io.OutputStream;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes the sink {@code otel} from the configuration, and further ones such as {@code otel-langfuse}.
 *
 * <p>A further sink has OpenTelemetry's settings as they are for the first one, except all that is said of OTLP: it needs
 * an endpoint of its own, and no header goes with it that was meant for another back end. A setting for it alone has the
 * sink's prefix in the place of {@code OTEL_}: {@code RLM_OTEL_LANGFUSE_EXPORTER_OTLP_ENDPOINT}.
 *
 * <p>It refers to none of OpenTelemetry's own types, so that it can be loaded, and the sink be known by its name, where they
 * are missing.
 */
public final class OtelSinkProvider implements SinkProvider {
    static final String NAME = "otel";

    private static final String TRACE_URL = "RLM_TRACE_URL";
    private static final String METRICS = "METRICS_ENABLED";
    private static final String SDK = "SDK";
    private static final String OWN = "own";
    private static final String AUTO = "auto";
    private static final String LOGS = "LOGS_ENABLED";
    private static final List<String> SPAN_NAMES = List.of("rlm", "semantic");
    private static final String PREFIX = "OTEL_";
    private static final String OTLP = "OTEL_EXPORTER_OTLP_";
    private static final String ENDPOINT = "EXPORTER_OTLP_ENDPOINT";
    private static final String TRACES_ENDPOINT = "EXPORTER_OTLP_TRACES_ENDPOINT";
    private static final String METRICS_ENDPOINT = "EXPORTER_OTLP_METRICS_ENDPOINT";
    private static final String LOGS_ENDPOINT = "EXPORTER_OTLP_LOGS_ENDPOINT";
    private static final Pattern OTLP_CHECKED =
            Pattern.compile("OTEL_EXPORTER_OTLP(?:_TRACES|_METRICS|_LOGS)?_(ENDPOINT|PROTOCOL|COMPRESSION|HEADERS)");
    private static final List<String> COMPRESSIONS = List.of("gzip", "none");
    private static final List<String> PROTOCOLS = List.of("grpc", "http/protobuf");

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "spans, metrics and logs by OpenTelemetry";
    }

    @Override
    public List<Variable> variables() {
        return List.of(
                // before the first one's, which a further sink does not take over
                new Variable("RLM_OTEL_<NAME>_PRESET", "", "whose variables say where a further sink sends"),
                new Variable(
                        "RLM_OTEL_<NAME>_SDK",
                        OWN,
                        "auto: a global OpenTelemetry that is set; own: the sink's own SDK"),
                new Variable("RLM_OTEL_<NAME>_METRICS_ENABLED", "true", "whether it sends metrics"),
                new Variable("RLM_OTEL_<NAME>_LOGS_ENABLED", "true", "whether it sends log records"),
                new Variable("RLM_OTEL_<NAME>_TRACE_URL", "", "address of a trace's page there"),
                new Variable(
                        "RLM_OTEL_SDK",
                        AUTO,
                        "auto: a global OpenTelemetry that is set, such as the Java agent's, else the sink's own"
                                + " SDK; own: always that"),
                new Variable("RLM_OTEL_METRICS_ENABLED", "true", "whether to send metrics"),
                new Variable(
                        "RLM_OTEL_METRICS_RUN_ID_LIMIT",
                        "100",
                        "how many runs of a process rlm.steps labels with their id, 0 for none; the others share (other)"),
                new Variable("RLM_OTEL_LOGS_ENABLED", "true", "whether to send a log record of each run's end"),
                new Variable("RLM_OTEL_LOGS_REWARDS", "false", "whether to send a log record of each reward too"),
                new Variable("RLM_OTEL_LOGS_HEARTBEATS", "false", "whether to send a log record of each heartbeat too"),
                new Variable(
                        "RLM_OTEL_GENAI_SPANS",
                        "true",
                        "whether model and tool calls are spans and measured; false where other instrumentation"
                                + " does that"),
                new Variable(
                        "RLM_OTEL_SEMCONV",
                        "1.41",
                        "versions of the GenAI conventions whose names are sent: 1.36, 1.41, latest, or several"),
                new Variable(
                        "RLM_OTEL_SUCCESS_RATIO",
                        "1",
                        "share, 0 to 1, of the runs that went well whose steps and calls are sent"),
                new Variable(
                        "RLM_OTEL_KEEP_REWARD",
                        "",
                        "lo..hi, ..hi or lo..: runs whose total reward lies outside are sent whole too"),
                new Variable(
                        "RLM_CAPTURE_CONTENT",
                        "preview",
                        "text sent by OTLP: none, hash (SHA-256 and length), preview (cut, 2 KiB at most), full"
                                + " (1 MiB at most)"),
                new Variable("RLM_OTEL_CAPTURE_CONTENT", "that of RLM_CAPTURE_CONTENT", "text that this sink sends"),
                new Variable(
                        "RLM_BAGGAGE_ATTRIBUTES",
                        "",
                        "keys of baggage, such as user.id,tenant: these entries of a run's parent are attributes"
                                + " of its spans"),
                new Variable(
                        "RLM_OTEL_SPAN_NAMES",
                        "rlm",
                        "names of spans: rlm, as rlm.step; semantic, by what was done, as browse search"),
                new Variable(
                        "RLM_METRIC_LABELS",
                        "the usual ones",
                        "labels of numbers of training, in reports too: loss=Loss,sps=Steps per second"),
                new Variable(
                        TRACE_URL, "", "address of a trace's page, with " + Names.TRACE_ID + " in the place of its id"),
                new Variable("RLM_OTEL_PRESET", "", "whose variables say where to send: " + Preset.all()),
                new Variable("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4317", "where to send"),
                new Variable(
                        "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf; at port 4317 grpc", "grpc or http/protobuf"),
                new Variable("OTEL_SERVICE_NAME", "rlm", "the service's name; all other OTEL_* hold too"),
                new Variable("RLM_OTEL_<NAME>_ENABLED", "false", "whether there is a further sink otel-<name>"),
                new Variable(
                        "RLM_OTEL_<NAME>_EXPORTER_OTLP_ENDPOINT",
                        "",
                        "where it sends; with this prefix in the place of OTEL_ each setting of OpenTelemetry's"
                                + " is for it alone"));
    }

    @Override
    public Sink create(SinkConfig config) {
        try {
            return OtelSink.builder().config(config).build();
        } catch (NoClassDefFoundError e) {
            throw MissingLibraryException.of(e);
        }
    }

    @Override
    public List<String> exportFormats() {
        return List.of(JsonLinesExporter.FORMAT);
    }

    @Override
    public Sink createExport(String format, OutputStream to, SinkConfig config) {
        if (!format.equals(JsonLinesExporter.FORMAT)) {
            throw new IllegalArgumentException("sink '" + NAME + "' writes no format '" + format + "'");
        }
        SinkConfig own = config.sink(NAME);
        return spans(OtelSink.builder(), own)
                .genAi(GenAiVersions.of(own))
                .exportTo(to)
                .build();
    }

    /** Takes over what is said of spans, and nothing that is said of sending. */
    static OtelSinkBuilder spans(OtelSinkBuilder builder, SinkConfig config) {
        configureSdk(builder.sdk(), PREFIX, config, variable -> !variable.startsWith(OTLP));
        builder.sdk().standAlone(PREFIX);
        builder.resending(config.isResending());
        return builder.genAiSpans(config.bool("GENAI_SPANS", true))
                .capture(ContentCapture.of(config))
                .baggage(BaggageAttributes.of(config))
                .spanNames(spanNames(config));
    }

    @Override
    public boolean allowsSeveral() {
        return true;
    }

    static void configure(OtelSinkBuilder builder, SinkConfig config) {
        boolean first = config.name().equals(NAME);
        // A matter of the back end, as its endpoint is: a further sink does not take it over from the first.
        boolean metrics = config.shared().bool(config.variable(METRICS), true) && !config.isCounted();
        configureSdk(builder.sdk(), PREFIX, config, variable -> first || !variable.startsWith(OTLP));
        Optional<PresetSettings> preset = Preset.of(config);
        preset.ifPresent(builder.sdk()::preset);
        if (!first) {
            configureSdk(builder.sdk(), config.variable(""), config, variable -> true);
            builder.sdk().standAlone(config.variable(""));
            if (preset.isEmpty()) {
                checkEndpoints(config, metrics);
            }
        }
        // So is this: a further sink has a back end of its own.
        if (config.shared()
                .choice(config.variable(SDK), first && preset.isEmpty() ? AUTO : OWN, List.of(AUTO, OWN))
                .equals(OWN)) {
            builder.ownSdk();
        }
        builder.switches(config.variable(METRICS), config.variable(LOGS));
        builder.metrics(metrics);
        configureLogs(builder, config);
        builder.genAiSpans(config.bool("GENAI_SPANS", true));
        builder.genAi(GenAiVersions.of(config));
        builder.resending(config.isResending());
        builder.metricRunIds(config.integer("METRICS_RUN_ID_LIMIT", 100, 0, 1_000_000));
        builder.keep(TailSamplingPolicy.of(config));
        builder.capture(ContentCapture.of(config));
        builder.baggage(BaggageAttributes.of(config));
        builder.spanNames(spanNames(config));
        builder.labels(MetricLabels.of(config));
        traceUrl(config.shared(), first ? TRACE_URL : config.variable("TRACE_URL"))
                .or(() -> preset.flatMap(PresetSettings::traceUrl))
                .ifPresent(builder::traceUrl);
    }

    /** Reads {@code SPAN_NAMES} of the sink; {@link SpanNames#RLM} unless set. */
    private static SpanNames spanNames(SinkConfig config) {
        return SpanNames.valueOf(config.choice("SPAN_NAMES", "rlm", SPAN_NAMES).toUpperCase(Locale.ROOT));
    }

    /**
     * Turns logs off for events that are sent again, but for records that no process has sent yet: log records have no
     * ids by which a back end could recognise them, so that they would double, as measurements would.
     */
    private static void configureLogs(OtelSinkBuilder builder, SinkConfig config) {
        boolean enabled = config.shared().bool(config.variable(LOGS), true);
        builder.logs(enabled && (!config.isCounted() || config.isRecovering()));
        builder.logRewards(config.bool("LOGS_REWARDS", false));
        builder.logHeartbeats(config.bool("LOGS_HEARTBEATS", false));
        if (config.isRecovering()) {
            builder.logAbandonedOnly();
        }
    }

    /** Takes over what the variables with the prefix say, which stands in the place of {@code OTEL_}. */
    private static void configureSdk(
            SdkProperties properties, String prefix, SinkConfig config, Predicate<String> chosen) {
        SinkConfig shared = config.shared();
        for (String variable : shared.variables()) {
            if (variable.startsWith(prefix) && chosen.test(variable)) {
                String standard = PREFIX + variable.substring(prefix.length());
                check(standard, variable, shared);
                shared.string(variable).ifPresent(value -> properties.configure(property(standard), value, variable));
            }
        }
    }

    private static void check(String standard, String variable, SinkConfig shared) {
        Matcher checked = OTLP_CHECKED.matcher(standard);
        switch (checked.matches() ? checked.group(1) : "") {
            case "ENDPOINT" -> SdkProperties.checkEndpoint(shared, variable);
            case "PROTOCOL" -> shared.choice(variable, "", PROTOCOLS);
            case "COMPRESSION" -> shared.choice(variable, "", COMPRESSIONS);
            case "HEADERS" -> shared.string(variable).ifPresent(value -> SdkProperties.checkHeaders(variable, value));
            default -> {
                // OpenTelemetry's to check
            }
        }
    }

    /** So that a slip in a name does not send everything to the first sink's back end twice. */
    private static void checkEndpoints(SinkConfig config, boolean metrics) {
        if (isSet(config, ENDPOINT)) {
            return;
        }
        if (isSet(config, LOGS) && config.shared().bool(config.variable(LOGS), true)) {
            checkLogsEndpoint(config);
        }
        boolean traces = isSet(config, TRACES_ENDPOINT) || sendsNo(config, "TRACES");
        boolean ofMetrics = !metrics || isSet(config, METRICS_ENDPOINT) || sendsNo(config, "METRICS");
        if (!traces || !ofMetrics) {
            throw missing(
                    config, traces ? METRICS_ENDPOINT : isSet(config, METRICS_ENDPOINT) ? TRACES_ENDPOINT : ENDPOINT);
        }
    }

    /** Refuses logs that are turned on for a further sink that has neither a common endpoint nor one for logs. */
    private static void checkLogsEndpoint(SinkConfig config) {
        if (!isSet(config, LOGS_ENDPOINT) && !sendsNo(config, "LOGS")) {
            throw missing(config, LOGS_ENDPOINT);
        }
    }

    private static SinkConfigException missing(SinkConfig config, String endpoint) {
        return new SinkConfigException(config.variable(endpoint) + " is not set: the further sink '" + config.name()
                + "' (" + config.variable("ENABLED") + ") needs an endpoint of its own");
    }

    private static boolean sendsNo(SinkConfig config, String signal) {
        return config.shared()
                .string(config.variable(signal + "_EXPORTER"))
                .filter("none"::equals)
                .isPresent();
    }

    private static boolean isSet(SinkConfig config, String setting) {
        return config.shared().string(config.variable(setting)).isPresent();
    }

    private static Optional<String> traceUrl(SinkConfig shared, String variable) {
        return shared.string(variable)
                .map(template -> checkedTraceUrl(template)
                        .orElseThrow(() -> shared.invalid(
                                variable,
                                "an address with " + Names.TRACE_ID + ", such as http://localhost:16686/trace/"
                                        + Names.TRACE_ID)));
    }

    /** The property that OpenTelemetry reads for a variable. */
    private static String property(String variable) {
        return variable.toLowerCase(Locale.ROOT).replace('_', '.');
    }

    /** The template, if an id makes an address of it. */
    static Optional<String> checkedTraceUrl(String template) {
        try {
            URI example = URI.create(template.replace(Names.TRACE_ID, "0"));
            boolean valid = template.contains(Names.TRACE_ID) && example.getHost() != null;
            return valid ? Optional.of(template) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
