package dev.rlm.sinks.otel.metrics;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleUpDownCounter;
import io.opentelemetry.api.metrics.LongUpDownCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import java.math.BigDecimal;

/**
 * The best that the OpenTelemetry API has for a distribution of numbers that may be negative: their sum, their number and
 * how many are at most each bound. Up-down counters have no suffix in Prometheus, so that there they are named as a
 * histogram's parts are and the same queries give the mean and the quantiles.
 */
public final class RewardSums implements Instruments.Rewards {
    private static final AttributeKey<String> UPPER_BOUND = AttributeKey.stringKey("le");

    private final DoubleUpDownCounter sum;
    private final LongUpDownCounter count;
    private final LongUpDownCounter bucket;

    public RewardSums(Meter meter, String name, String description) {
        sum = meter.upDownCounterBuilder(name + ".sum")
                .ofDoubles()
                .setDescription(description + ": their sum")
                .build();
        count = counter(meter, name + ".count", description);
        bucket = counter(meter, name + ".bucket", description + " that are at most le");
    }

    private static LongUpDownCounter counter(Meter meter, String name, String description) {
        return meter.upDownCounterBuilder(name).setDescription(description).build();
    }

    @Override
    public void record(double reward, Attributes labels, SpanContext span) {
        Context context = Context.root().with(Span.wrap(span));
        sum.add(reward, labels, context);
        count.add(1, labels, context);
        for (double bound : RewardHistogram.BOUNDARIES) {
            bucket.add(reward <= bound ? 1 : 0, bounded(labels, text(bound)), context); // all buckets are there
        }
        bucket.add(1, bounded(labels, "+Inf"), context);
    }

    /** As Prometheus writes the bounds of a histogram that it gets by OTLP: {@code 1} and not {@code 1.0}. */
    private static String text(double bound) {
        return BigDecimal.valueOf(bound).stripTrailingZeros().toPlainString();
    }

    private static Attributes bounded(Attributes labels, String bound) {
        return labels.toBuilder().put(UPPER_BOUND, bound).build();
    }
}
