package dev.rlm.sinks.otel.backend;

/** A place where a back end is running and ready, until it is closed. */
interface Host extends AutoCloseable {
    String address();

    int port(Port port);

    /** Ends the back end and waits for its end. */
    @Override
    void close();
}
