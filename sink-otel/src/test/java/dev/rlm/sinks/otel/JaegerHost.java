package dev.rlm.sinks.otel;

/** A place where a Jaeger is running and ready, until it is closed. */
interface JaegerHost extends AutoCloseable {
    String address();

    int port(JaegerPort port);

    @Override
    void close();
}
