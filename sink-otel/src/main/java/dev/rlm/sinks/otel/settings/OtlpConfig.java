package dev.rlm.sinks.otel.settings;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.otel.mapping.MlflowColumns;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reader of what OpenTelemetry's configuration says of OTLP. */
public final class OtlpConfig {
    private static final String OTLP = "otlp";
    private static final String LOGS_EXPORTER = "otel.logs.exporter";
    private static final int GRPC_PORT = 4317;

    private OtlpConfig() {}

    /**
     * Returns the address that is said.
     *
     * @param signal such as {@code traces.}; empty for all of them
     */
    public static @Nullable String endpoint(ConfigProperties config, String signal) {
        return config.getString("otel.exporter.otlp." + signal + "endpoint");
    }

    /**
     * Refuses addresses that cannot be used, from wherever they come, before an exporter is made for them.
     *
     * @param variables the name under which people set a property
     */
    public static Map<String, String> check(ConfigProperties config, UnaryOperator<String> variables) {
        for (String signal : List.of("", "traces.", "metrics.", "logs.")) {
            String value = endpoint(config, signal);
            if (value != null) {
                String variable = variables.apply("otel.exporter.otlp." + signal + "endpoint");
                SdkProperties.checkEndpoint(SinkConfig.of(Map.of(variable, value)), variable);
            }
        }
        return Map.of();
    }

    /**
     * Turns logs off where no configuration asks for them: if only other signals have an OTLP endpoint, or spans go
     * elsewhere than by OTLP. OpenTelemetry's default would be localhost, and a user who sends to MLflow would read of a
     * refused connection.
     */
    public static Map<String, String> withoutStrayLogs(ConfigProperties config) {
        boolean chosen = config.getString(LOGS_EXPORTER) != null
                || Stream.of("", "logs.").anyMatch(signal -> endpoint(config, signal) != null);
        boolean elsewhere = Stream.of("traces.", "metrics.").anyMatch(signal -> endpoint(config, signal) != null)
                || !config.getString("otel.traces.exporter", OTLP).contains(OTLP);
        return !chosen && elsewhere ? Map.of(LOGS_EXPORTER, "none") : Map.of();
    }

    /** Returns whether spans go to MLflow, which alone asks for the header with the experiment's id. */
    public static boolean isToMlflow(ConfigProperties config) {
        return Stream.of("otel.exporter.otlp.headers", "otel.exporter.otlp.traces.headers")
                .flatMap(name -> config.getMap(name).keySet().stream())
                .anyMatch(MlflowColumns.EXPERIMENT_HEADER::equalsIgnoreCase);
    }

    /** Langfuse takes spans at a path of its own. */
    public static boolean isToLangfuse(ConfigProperties config) {
        return endpointOr(config, "traces", "").contains("/api/public/otel");
    }

    public static RetryPolicy retries(Duration giveUpAfter, ConfigProperties config) {
        return new RetryPolicy(giveUpAfter, !config.getBoolean("otel.java.exporter.otlp.retry.disabled", false));
    }

    /**
     * Names the protocol of each signal if the configuration names none for all of them. OpenTelemetry's Java SDK would
     * speak gRPC to every address, at variance with the specification, whose default is {@code http/protobuf}.
     */
    public static Map<String, String> withProtocols(ConfigProperties config) {
        return config.getString(SdkProperties.PROTOCOL) != null
                ? Map.of()
                : Stream.of("traces", "metrics", "logs")
                        .collect(Collectors.toMap(OtlpConfig::protocolOf, signal -> protocol(config, signal)));
    }

    /** Returns what is spoken to the signal's address: what is said, else gRPC to localhost and to its own port alone. */
    public static String protocol(ConfigProperties config, String signal) {
        String endpoint = endpointOf(config, signal);
        boolean grpc = endpoint == null || URI.create(endpoint).getPort() == GRPC_PORT;
        String common = config.getString(SdkProperties.PROTOCOL, grpc ? "grpc" : "http/protobuf");
        return config.getString(protocolOf(signal), common);
    }

    private static String protocolOf(String signal) {
        return "otel.exporter.otlp." + signal + ".protocol";
    }

    /** Returns the address of the signal, or else of all signals; {@code null} if neither is configured. */
    public static @Nullable String endpointOf(ConfigProperties config, String signal) {
        String own = endpoint(config, signal + ".");
        return own == null ? endpoint(config, "") : own;
    }

    /** Returns where the signal goes by OTLP, without user and password. */
    public static String target(ConfigProperties config, String signal) {
        String protocol = protocol(config, signal);
        String byDefault = protocol.equals("grpc") ? "http://localhost:4317" : "http://localhost:4318";
        URI uri = URI.create(endpointOr(config, signal, byDefault));
        String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        return uri.getScheme() + "://" + uri.getHost() + port + " (" + protocol + ")";
    }

    /** The address of the signal, or of all of them, or that. */
    private static String endpointOr(ConfigProperties config, String signal, String otherwise) {
        String said = endpointOf(config, signal);
        return said == null ? otherwise : said;
    }
}
