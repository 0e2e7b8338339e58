package dev.rlm.sinks.otel.backend;

import java.io.IOException;
import java.util.Map;

/** One request to a {@link HostileServer}, and the means to answer it badly: in the same words for both protocols. */
public interface HostileExchange {
    /** What was asked for: the path with its query; empty where that is not known. */
    default String path() {
        return "";
    }

    /** What was sent with it; empty where that is not known. */
    default byte[] sent() {
        return new byte[0];
    }

    /** The type of a good answer. */
    String contentType();

    /** Begins an answer. */
    void head(int status, Map<String, String> headers) throws IOException;

    /** More of its body. */
    void body(byte[] bytes) throws IOException;

    /** Ends it in good order. */
    void end() throws IOException;

    /** An answer in which the message is what OTLP's are: all that a good server says. */
    void answer(byte[] message) throws IOException;

    /** The beginning of an answer's head, and no more of it. */
    void halfAHead() throws IOException;

    /** Says nothing more until the server is closed or told to behave otherwise, and hangs up then. */
    void stall() throws IOException, InterruptedException;

    /** Cuts the connection, without a word. */
    void reset() throws IOException;
}
