package dev.rlm.sinks.otel.export;

import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.DeliveryStatus;
import dev.rlm.sinks.delivery.Failure;
import dev.rlm.sinks.delivery.RetryPolicy;
import dev.rlm.sinks.otel.otlp.OtlpConnection;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Sends metrics by another exporter, one collection in a request, and knows how that went. What takes none gets no more. */
public final class MetricExport extends SignalExport<MetricExport.Collected> implements MetricExporter {
    private final MetricExporter exporter;

    MetricExport(
            MetricExporter exporter,
            DeliveryStatus status,
            String offSwitch,
            List<OtlpConnection> connections,
            Refusals refusals,
            RetryPolicy retries) {
        super(
                "metrics",
                status,
                offSwitch,
                connections,
                refusals,
                BatchLimits.of(1).linger(Duration.ZERO),
                retries);
        this.exporter = exporter;
    }

    @Override
    public CompletableResultCode export(Collection<MetricData> metrics) {
        if (isRefused()) {
            return CompletableResultCode.ofSuccess();
        }
        Collected collected = new Collected(metrics, new CompletableResultCode());
        batcher().add(collected);
        return collected.answer();
    }

    @Override
    public CompletionStage<Optional<Failure>> send(List<Collected> one) {
        return unlessRefused(() -> exporter.export(one.get(0).metrics()));
    }

    /** Answers. The reader is ready for the next collection from then on. */
    @Override
    public boolean done(List<Collected> some, @Nullable Failure failure) {
        boolean refused = isRefusedBy(failure);
        boolean well = true;
        for (Collected each : some) {
            if (refused || isTaken(each.points(), failure)) {
                each.answer().succeed();
            } else {
                each.answer().fail();
                well = false;
            }
        }
        return well;
    }

    private boolean isTaken(long points, @Nullable Failure failure) {
        long arrived = status().settled(points, failure);
        return arrived == points && (failure == null || failure.isPartial());
    }

    @Override
    public AggregationTemporality getAggregationTemporality(InstrumentType type) {
        return exporter.getAggregationTemporality(type);
    }

    @Override
    public Aggregation getDefaultAggregation(InstrumentType type) {
        return exporter.getDefaultAggregation(type);
    }

    @Override
    public MemoryMode getMemoryMode() {
        return exporter.getMemoryMode();
    }

    @Override
    public CompletableResultCode flush() {
        return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        batcher().close();
        return exporter.shutdown();
    }

    /** The metrics of one collection, with the result that the SDK's reader waits for. */
    record Collected(Collection<MetricData> metrics, CompletableResultCode answer) {
        long points() {
            return metrics.stream()
                    .mapToLong(each -> each.getData().getPoints().size())
                    .sum();
        }
    }
}
