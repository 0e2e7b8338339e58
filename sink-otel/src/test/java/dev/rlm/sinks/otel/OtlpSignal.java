package dev.rlm.sinks.otel;

/** One of the three kinds of telemetry that OTLP carries, with the addresses at which a back end takes it. */
enum OtlpSignal {
    TRACES("trace.v1.TraceService", "/v1/traces"),
    METRICS("metrics.v1.MetricsService", "/v1/metrics"),
    LOGS("logs.v1.LogsService", "/v1/logs");

    private final String grpcService;
    private final String httpPath;

    OtlpSignal(String grpcService, String httpPath) {
        this.grpcService = "opentelemetry.proto.collector." + grpcService;
        this.httpPath = httpPath;
    }

    String grpcService() {
        return grpcService;
    }

    String httpPath() {
        return httpPath;
    }
}
