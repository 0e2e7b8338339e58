package dev.rlm.sinks.otel;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleUpDownCounter;
import io.opentelemetry.api.metrics.LongUpDownCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.context.Context;
import java.math.BigDecimal;
import java.util.List;

/**
 * The best that the OpenTelemetry API has for a distribution of numbers that may be negative: their sum, their number and
 * how many are at most each bound. Up-down counters have no suffix in Prometheus, so that there they are named as a
 * histogram's parts are and the same queries give the mean and the quantiles.
 */
final class RewardSums implements Instruments.Rewards {
    private static final AttributeKey<String> UPPER_BOUND = AttributeKey.stringKey("le");

    private final DoubleUpDownCounter sum;
    private final LongUpDownCounter count;
    private final LongUpDownCounter bucket;

    RewardSums(Meter meter) {
        sum = meter.upDownCounterBuilder(Instruments.REWARD + ".sum")
                .ofDoubles()
                .setDescription("Sum of the rewards given")
                .build();
        count = counter(meter, ".count", Instruments.REWARD_DESCRIPTION);
        bucket = counter(meter, ".bucket", "Rewards given that are at most le");
    }

    private static LongUpDownCounter counter(Meter meter, String suffix, String description) {
        return meter.upDownCounterBuilder(Instruments.REWARD + suffix)
                .setDescription(description)
                .build();
    }

    @Override
    public void record(double reward, Attributes labels, SpanContext span) {
        Context context = Context.root().with(Span.wrap(span));
        sum.add(reward, labels, context);
        count.add(1, labels, context);
        List<Double> bounds = RewardHistogram.BOUNDARIES;
        for (double bound : bounds) {
            if (reward <= bound) {
                bucket.add(1, bounded(labels, asInPrometheus(bound)), context);
            }
        }
        bucket.add(1, bounded(labels, "+Inf"), context);
    }

    /** The shortest form, without an exponent: so Prometheus names the buckets of a histogram that comes by OTLP. */
    private static String asInPrometheus(double bound) {
        return BigDecimal.valueOf(bound).stripTrailingZeros().toPlainString();
    }

    private static Attributes bounded(Attributes labels, String bound) {
        return labels.toBuilder().put(UPPER_BOUND, bound).build();
    }
}
