package dev.rlm.sinks.otel.backend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A real OpenTelemetry Collector, which takes all signals by OTLP and sends them on: Jaeger's binary
 * ({@code JAEGER_BIN}), which is a collector with fewer parts.
 */
public final class CollectorServer extends Backend {
    private static final String CONFIG = "collector.yaml";

    private CollectorServer(String config, Map<String, String> variables) {
        super(new Program(
                "OpenTelemetry Collector",
                "JAEGER_BIN",
                Program.NO_IMAGE, // from a container it would not reach what it sends to,
                List.of(Port.OTLP_HTTP, Port.OTLP_GRPC),
                "/v1/traces",
                405, // it wants a POST
                Map.of(CONFIG, config),
                variables,
                place -> List.of("--config", place.file(CONFIG))));
    }

    /**
     * Starts a collector with this configuration, which finds its address and ports in the environment
     * ({@code LISTEN_HOST}, {@code OTLP_GRPC_PORT}, {@code OTLP_HTTP_PORT}), and with it these variables.
     */
    public static CollectorServer start(Path config, Map<String, String> variables) throws IOException {
        CollectorServer collector = new CollectorServer(Files.readString(config), variables);
        collector.open();
        return collector;
    }

    /** The endpoint for {@code OTEL_EXPORTER_OTLP_PROTOCOL=grpc}. */
    public String grpcEndpoint() {
        return url(Port.OTLP_GRPC);
    }

    /** The endpoint for {@code OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf}, without a signal's path. */
    public String httpEndpoint() {
        return url(Port.OTLP_HTTP);
    }
}
