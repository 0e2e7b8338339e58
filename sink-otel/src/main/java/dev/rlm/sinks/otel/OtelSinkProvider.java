package dev.rlm.sinks.otel;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkProvider;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Makes the sink {@code otel} from the configuration. */
public final class OtelSinkProvider implements SinkProvider {
    static final String NAME = "otel";

    /** What a trace's id takes the place of in the template of its page's address. */
    static final String TRACE_ID = "{traceId}";

    private static final String TRACE_URL = "RLM_TRACE_URL";
    private static final Pattern OTLP_ENDPOINT = Pattern.compile("OTEL_EXPORTER_OTLP(_TRACES|_METRICS)?_ENDPOINT");
    private static final Pattern OTLP_PROTOCOL = Pattern.compile("OTEL_EXPORTER_OTLP(_TRACES|_METRICS)?_PROTOCOL");
    private static final List<String> PROTOCOLS = List.of("grpc", "http/protobuf");

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "spans and metrics by OpenTelemetry";
    }

    @Override
    public List<Variable> variables() {
        return List.of(
                new Variable("RLM_OTEL_METRICS_ENABLED", "true", "whether to send metrics"),
                new Variable("RLM_OTEL_METRICS_RUN_ID_LIMIT", "100", "runs that rlm.steps labels with their id"),
                new Variable("RLM_CAPTURE_CONTENT", "preview", "text sent by OTLP: none, preview, full"),
                new Variable(TRACE_URL, "", "address of a trace's page, with " + TRACE_ID),
                new Variable("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4317", "where to send"),
                new Variable("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "grpc or http/protobuf"),
                new Variable("OTEL_SERVICE_NAME", "rlm", "the service's name; all other OTEL_* hold too"));
    }

    @Override
    public Sink create(SinkConfig config) {
        return OtelSink.builder().config(config).build();
    }

    static void configure(OtelSink.Builder builder, SinkConfig config) {
        SinkConfig shared = config.shared();
        for (String variable : shared.variables()) {
            if (OTLP_ENDPOINT.matcher(variable).matches()) {
                shared.url(variable).filter(url -> url.getQuery() != null).ifPresent(url -> {
                    throw shared.invalid(variable, "an address without a query");
                });
            } else if (OTLP_PROTOCOL.matcher(variable).matches()) {
                shared.choice(variable, "", PROTOCOLS);
            }
            if (variable.startsWith("OTEL_")) {
                shared.string(variable).ifPresent(value -> builder.property(property(variable), value));
            }
        }
        builder.metrics(config.bool("METRICS_ENABLED", true) && !config.isCounted());
        builder.resending(config.isResending());
        builder.metricRunIds(config.integer("METRICS_RUN_ID_LIMIT", 100, 0, 1_000_000));
        builder.capture(ContentCapture.of(config));
        shared.string(TRACE_URL)
                .ifPresent(template -> builder.traceUrl(checkedTraceUrl(template)
                        .orElseThrow(() -> shared.invalid(
                                TRACE_URL,
                                "an address with " + TRACE_ID + ", such as http://localhost:16686/trace/"
                                        + TRACE_ID))));
    }

    /** The property that OpenTelemetry reads for a variable. */
    private static String property(String variable) {
        return variable.toLowerCase(Locale.ROOT).replace('_', '.');
    }

    /** The template, if an id makes an address of it. */
    static Optional<String> checkedTraceUrl(String template) {
        try {
            URI example = URI.create(template.replace(TRACE_ID, "0"));
            boolean valid = template.contains(TRACE_ID) && example.getHost() != null;
            return valid ? Optional.of(template) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
