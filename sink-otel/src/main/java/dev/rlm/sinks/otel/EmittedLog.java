package dev.rlm.sinks.otel;

import io.opentelemetry.sdk.logs.data.LogRecordData;

/**
 * A log record to be sent. It stands for no event: the event's span does.
 *
 * @param bytes about how many bytes it takes in a request
 */
record EmittedLog(LogRecordData log, long bytes) {}
