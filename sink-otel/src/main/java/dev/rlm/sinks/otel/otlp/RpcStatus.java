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

    /** What the message says; nothing where it is none. */
    static RpcStatus read(byte[] protobuf) {
        try {
            return read(new ProtoReader(protobuf));
        } catch (IllegalArgumentException e) {
            return NONE;
        }
    }

    private static RpcStatus read(ProtoReader status) {
        String message = "";
        Duration delay = Duration.ZERO;
        for (int field = status.nextField(); field != 0; field = status.nextField()) {
            if (field == MESSAGE) {
                message = status.text();
            } else if (field == DETAILS) {
                Duration found = retryInfo(status.message());
                delay = found.isZero() ? delay : found;
            } else {
                status.skip();
            }
        }
        return new RpcStatus(message, delay);
    }

    private static Duration retryInfo(ProtoReader any) {
        boolean retryInfo = false;
        Duration delay = Duration.ZERO;
        for (int field = any.nextField(); field != 0; field = any.nextField()) {
            if (field == TYPE) {
                retryInfo = any.text().endsWith("/google.rpc.RetryInfo");
            } else if (field == VALUE && retryInfo) {
                delay = delay(any.message());
            } else {
                any.skip();
            }
        }
        return delay;
    }

    private static Duration delay(ProtoReader info) {
        Duration delay = Duration.ZERO;
        for (int field = info.nextField(); field != 0; field = info.nextField()) {
            if (field == DELAY) {
                delay = duration(info.message());
            } else {
                info.skip();
            }
        }
        return delay;
    }

    private static Duration duration(ProtoReader value) {
        long seconds = 0;
        long nanos = 0;
        for (int field = value.nextField(); field != 0; field = value.nextField()) {
            if (field == SECONDS) {
                seconds = value.number();
            } else if (field == NANOS) {
                nanos = value.number();
            } else {
                value.skip();
            }
        }
        return seconds < 0 || nanos < 0
                ? Duration.ZERO
                : Duration.ofSeconds(Math.min(seconds, MAX_SECONDS), Math.min(nanos, 999_999_999));
    }
}
