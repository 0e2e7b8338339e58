package dev.rlm.sinks.otel.backend;

/**
 * One of the ports at which a back end listens.
 *
 * @param name in upper case, such as {@code OTLP_GRPC}
 * @param usual its number where nobody else can have it, as in a container
 */
record Port(String name, int usual) {
    static final Port OTLP_GRPC = new Port("OTLP_GRPC", 4317);
    static final Port OTLP_HTTP = new Port("OTLP_HTTP", 4318);

    /** The environment variable by which a configuration names this port. */
    String variable() {
        return name + "_PORT";
    }
}
