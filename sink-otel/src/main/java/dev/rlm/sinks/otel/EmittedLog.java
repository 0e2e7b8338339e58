package dev.rlm.sinks.otel;

import io.opentelemetry.api.common.Value;
import io.opentelemetry.sdk.logs.data.LogRecordData;

/**
 * A log record to be sent. It stands for no event: the event's span does.
 *
 * @param bytes about how many bytes it takes in a request
 */
record EmittedLog(LogRecordData log, long bytes) {
    static EmittedLog of(LogRecordData log) {
        Value<?> body = log.getBodyValue();
        long bytes = 100 + EndedSpan.bytes(log.getAttributes());
        return new EmittedLog(log, body == null ? bytes : bytes + EndedSpan.utf8Bytes(body.asString()));
    }
}
