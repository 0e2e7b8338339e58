package dev.rlm.sinks.otel.backend;

import java.io.IOException;

/** A place where a back end is running and ready, until it is closed. */
interface Host extends AutoCloseable {
    String address();

    int port(Port port);

    /** Kills the back end, which writes nothing more, and waits for its end; its files, and the right to its ports, stay. */
    void kill();

    /** Starts it again after {@link #kill}, on the same ports and files, and waits until it is ready. */
    void startAgain() throws IOException;

    /** Ends the back end and waits for its end. */
    @Override
    void close();
}
