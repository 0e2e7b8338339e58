package dev.rlm.collector.otlp;

/** Bytes that are no request of OTLP. The message is for the client, and holds nothing of the bytes. */
public final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedException(String message) {
        super(message);
    }
}
