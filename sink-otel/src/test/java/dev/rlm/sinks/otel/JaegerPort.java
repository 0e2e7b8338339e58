package dev.rlm.sinks.otel;

/** One of the ports at which a Jaeger listens; {@code jaeger.yaml} names them by {@link #variable()}. */
enum JaegerPort {
    QUERY(16686),
    QUERY_GRPC(16685),
    HEALTH(13133),
    OTLP_GRPC(4317),
    OTLP_HTTP(4318);

    private final int usual;

    JaegerPort(int usual) {
        this.usual = usual;
    }

    /** The environment variable that sets this port. */
    String variable() {
        return name() + "_PORT";
    }

    /** The port's number where nobody else can have it, as in a container. */
    int usual() {
        return usual;
    }
}
