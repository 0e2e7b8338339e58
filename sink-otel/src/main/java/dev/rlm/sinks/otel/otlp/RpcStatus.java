package dev.rlm.sinks.otel.otlp;

import java.time.Duration;

/**
 * A {@code google.rpc.Status}, which servers of both protocols put into refusals.
 *
 * @param message for people; may be empty
 * @param retryDelay how long the server asks to be left alone; zero where it does not
 */
record RpcStatus(String message, Duration retryDelay) {
    private static final RpcStatus NONE = new RpcStatus("", Duration.ZERO);
    private static final int MESSAGE = 2;
    private static final int DETAILS = 3;
    private static final int TYPE = 1;
    private static final int VALUE = 2;
    private static final int DELAY = 1;
    private static final int SECONDS = 1;
    private static final int NANOS = 2;
    private static final long MAX_SECONDS = Duration.ofDays(365).toSeconds();

    /** Reads the status; an empty one if the message is not valid. */
    static RpcStatus read(byte[] protobuf) {
        try {
            return read(new ProtoFields(protobuf));
        } catch (IllegalArgumentException e) {
            return NONE;
        }
    }

    private static RpcStatus read(ProtoFields status) {
        Duration delay = status.messages(DETAILS).stream()
                .filter(any -> any.text(TYPE).endsWith("/google.rpc.RetryInfo"))
                .map(any -> duration(any.message(VALUE).message(DELAY)))
                .filter(found -> !found.isZero())
                .reduce(Duration.ZERO, (earlier, later) -> later);
        return new RpcStatus(status.text(MESSAGE), delay);
    }

    private static Duration duration(ProtoFields value) {
        long seconds = value.number(SECONDS);
        long nanos = value.number(NANOS);
        return seconds < 0 || nanos < 0
                ? Duration.ZERO
                : Duration.ofSeconds(Math.min(seconds, MAX_SECONDS), Math.min(nanos, 999_999_999));
    }
}
