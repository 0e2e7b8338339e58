package dev.rlm.sinks.otel.export;

import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.DeliveryStatus;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.otel.mapping.GenAiVersions;
import dev.rlm.sinks.otel.otlp.OtlpConnection;
import dev.rlm.sinks.otel.otlp.SpanEncoder;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.logs.LogRecordProcessor;
import io.opentelemetry.sdk.logs.ReadWriteLogRecord;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.resources.Resource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Sends log records. They are not in the ledger of events, which counts the events' spans; losses of records are
 * counted apart. While no record arrives, the lane waits for room no longer than a bound. A back end that refuses logs
 * for good gets no more.
 */
public final class LogExport extends SignalExport<LogExport.Emitted> implements LogRecordProcessor {
    private static final int OTHER_BYTES = 100; // about, beside attributes and body

    private final LogRecordExporter exporter;
    private final SpanEncoder sizes = new SpanEncoder(Resource.empty(), GenAiVersions.DEFAULT.scope()); // of the lane

    LogExport(
            LogRecordExporter exporter,
            DeliveryStatus status,
            String offSwitch,
            List<OtlpConnection> connections,
            Refusals refusals,
            BatchLimits limits,
            RetryPolicy retries) {
        super("logs", status, offSwitch, connections, refusals, limits, retries);
        this.exporter = exporter;
    }

    @Override
    public void onEmit(Context context, ReadWriteLogRecord log) {
        if (!isRefused()) {
            LogRecordData data = log.toLogRecordData();
            batcher().add(new Emitted(data, OTHER_BYTES + sizes.size(data.getAttributes(), data.getBodyValue())));
        }
    }

    @Override
    public CompletionStage<Optional<Failure>> send(List<Emitted> logs) {
        return unlessRefused(
                () -> exporter.export(logs.stream().map(Emitted::log).toList()));
    }

    @Override
    public boolean done(List<Emitted> logs, @Nullable Failure failure) {
        return isRefusedBy(failure) || status().settled(logs.size(), failure) == logs.size();
    }

    @Override
    public void pending() {
        status().failing(Failure.pending());
    }

    @Override
    public long size(Emitted log) {
        return log.bytes();
    }

    @Override
    public CompletableResultCode shutdown() {
        batcher().close();
        return exporter.shutdown();
    }

    /**
     * A log record to be sent. It stands for no event: the event's span does.
     *
     * @param bytes about how many bytes it takes in a request
     */
    record Emitted(LogRecordData log, long bytes) {}
}
