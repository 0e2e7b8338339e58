package dev.rlm.sinks.otel;

import dev.rlm.sinks.otel.otlp.Failure;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.logs.LogRecordProcessor;
import io.opentelemetry.sdk.logs.ReadWriteLogRecord;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import java.util.List;

/**
 * Sends log records. They are no part of the ledger of events, whose spans stand for them: what is lost of them is counted
 * in their own tally, and a back end that takes none for long holds up nobody. What takes none at all gets no more.
 */
final class LogExport extends BatchExport<EmittedLog> implements LogRecordProcessor {
    private final Acceptance acceptance;

    LogExport(Delivery<EmittedLog> delivery, Settings settings, Acceptance acceptance) {
        super("rlm-otel-logs", delivery, settings);
        this.acceptance = acceptance;
    }

    /** How the back end takes them. */
    Acceptance acceptance() {
        return acceptance;
    }

    @Override
    public void onEmit(Context context, ReadWriteLogRecord log) {
        if (!acceptance.isRefused()) {
            add(EmittedLog.of(log.toLogRecordData()));
        }
    }

    /** By an exporter, as long as the back end has not refused logs altogether. */
    record Way(LogRecordExporter exporter, Acceptance acceptance, Refusals refusals)
            implements Delivery.Way<EmittedLog> {
        @Override
        public CompletableResultCode export(List<EmittedLog> logs) {
            return exporter.export(logs.stream().map(EmittedLog::log).toList());
        }

        @Override
        public CompletableResultCode shutdown() {
            return exporter.shutdown();
        }

        @Override
        public boolean refuse(Failure failure) {
            refusals.refused(acceptance, failure);
            return true;
        }

        @Override
        public boolean isRefused() {
            return acceptance.isRefused();
        }
    }
}
