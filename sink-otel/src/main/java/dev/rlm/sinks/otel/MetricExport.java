package dev.rlm.sinks.otel;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.MemoryMode;
import io.opentelemetry.sdk.metrics.Aggregation;
import io.opentelemetry.sdk.metrics.InstrumentType;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends metrics by another exporter and knows how that went. A back end that takes none is told so once in the log and
 * not bothered again.
 */
final class MetricExport implements MetricExporter {
    private static final Logger LOG = LoggerFactory.getLogger(MetricExport.class);

    private final MetricExporter exporter;
    private final String target;
    private final String offSwitch;
    private volatile @Nullable Failure failure;

    /**
     * A way for metrics.
     *
     * @param offSwitch the variable that turns metrics off
     */
    MetricExport(MetricExporter exporter, String target, String offSwitch) {
        this.exporter = exporter;
        this.target = target;
        this.offSwitch = offSwitch;
    }

    /** Why the last export failed; {@code null} where it did not. */
    @Nullable
    Failure failure() {
        return failure;
    }

    @Override
    public CompletableResultCode export(Collection<MetricData> metrics) {
        if (isRefused()) {
            return CompletableResultCode.ofSuccess();
        }
        CompletableResultCode answer = new CompletableResultCode();
        CompletableResultCode result = exporter.export(metrics);
        result.whenComplete(() -> {
            note(result.isSuccess() ? null : Failure.of(result.getFailureThrowable()));
            if (result.isSuccess() || isRefused()) {
                answer.succeed();
            } else {
                answer.fail();
            }
        });
        return answer;
    }

    /** Whether the last export went wrong and the next may not. */
    boolean isFailing() {
        return failure != null && !isRefused();
    }

    private boolean isRefused() {
        Failure last = failure;
        return last != null && last.unsupported();
    }

    private void note(@Nullable Failure result) {
        Failure before = failure;
        failure = result;
        if (result == null) {
            return;
        }
        if (result.unsupported()) {
            LOG.warn(
                    "{} takes no metrics, as is usual for a back end of traces such as Jaeger: none are sent"
                            + " ({}=false says so beforehand)",
                    target,
                    offSwitch);
        } else if (before == null || !before.reason().equals(result.reason())) {
            LOG.warn("metrics cannot be sent to {}: {}", target, result.detail());
        }
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
        return exporter.shutdown();
    }
}
