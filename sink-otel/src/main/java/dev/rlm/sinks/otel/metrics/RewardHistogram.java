package dev.rlm.sinks.otel.metrics;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.common.Clock;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.Data;
import io.opentelemetry.sdk.metrics.data.DoubleExemplarData;
import io.opentelemetry.sdk.metrics.data.HistogramData;
import io.opentelemetry.sdk.metrics.data.HistogramPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.export.MetricProducer;
import io.opentelemetry.sdk.resources.Resource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Histogram of rewards, or of what they add up to, negative ones included: the SDK's own histograms leave values below zero
 * out. Safe for use by several threads.
 */
public final class RewardHistogram implements MetricProducer, Instruments.Rewards {
    /** Upper bounds, each included; they suit rewards in [-1, 1] and tell larger ones apart roughly. */
    static final List<Double> BOUNDARIES = List.of(
            -10.0, -5.0, -2.0, -1.0, -0.75, -0.5, -0.25, -0.1, -0.001, 0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0, 2.0, 5.0,
            10.0);

    /** As many as the SDK allows an instrument; what is beyond shares one. */
    private static final int MAX_SERIES = 2_000;

    private static final Attributes OVERFLOW = Attributes.of(AttributeKey.booleanKey("otel.metric.overflow"), true);

    private final String name;
    private final String description;
    private final Clock clock = Clock.getDefault();
    private final Supplier<AggregationTemporality> temporality;
    private final InstrumentationScopeInfo scope;
    private final Map<Attributes, Series> series = new LinkedHashMap<>();
    private boolean exemplars = true;
    private long startNanos = clock.now();

    public RewardHistogram(
            String name, String description, String scope, Supplier<AggregationTemporality> temporality) {
        this.name = name;
        this.description = description;
        this.scope = InstrumentationScopeInfo.create(scope);
        this.temporality = temporality;
    }

    /** Leaves exemplars out, as OpenTelemetry's configuration may say. */
    public synchronized void withoutExemplars() {
        exemplars = false;
    }

    /** Counts a finite number; the span in whose course it came becomes its bucket's example. */
    @Override
    public synchronized void record(double reward, Attributes attributes, SpanContext span) {
        series(attributes).record(reward, exemplars ? span : SpanContext.getInvalid(), clock.now());
    }

    private Series series(Attributes attributes) {
        Series known = series.get(attributes);
        return known == null
                ? series.computeIfAbsent(series.size() < MAX_SERIES - 1 ? attributes : OVERFLOW, a -> new Series())
                : known;
    }

    @Override
    public synchronized Collection<MetricData> produce(Resource resource) {
        if (series.isEmpty()) {
            return List.of();
        }
        long now = clock.now();
        List<HistogramPointData> points = new ArrayList<>();
        series.forEach((attributes, values) -> points.add(values.point(attributes, startNanos, now)));
        AggregationTemporality kind = temporality.get();
        if (kind == AggregationTemporality.DELTA) {
            series.clear();
            startNanos = now;
        } else {
            series.values().forEach(values -> Arrays.fill(values.exemplars, null));
        }
        return List.of(new Metric(name, description, resource, scope, HistogramData.create(kind, points)));
    }

    private static final class Series {
        private final long[] counts = new long[BOUNDARIES.size() + 1];
        private final @Nullable DoubleExemplarData[] exemplars = new DoubleExemplarData[counts.length];
        private double sum;
        private double min = Double.POSITIVE_INFINITY;
        private double max = Double.NEGATIVE_INFINITY;

        void record(double value, SpanContext span, long now) {
            int bucket = 0;
            while (bucket < BOUNDARIES.size() && value > BOUNDARIES.get(bucket)) {
                bucket++;
            }
            counts[bucket]++;
            sum = Math.max(-Double.MAX_VALUE, Math.min(Double.MAX_VALUE, sum + value)); // never an infinity
            min = Math.min(min, value);
            max = Math.max(max, value);
            if (span.isSampled()) {
                exemplars[bucket] = DoubleExemplarData.create(Attributes.empty(), now, span, value);
            }
        }

        Point point(Attributes attributes, long start, long now) {
            List<DoubleExemplarData> examples =
                    Arrays.stream(exemplars).filter(Objects::nonNull).toList();
            return new Point(
                    start,
                    now,
                    attributes,
                    sum,
                    min,
                    max,
                    Arrays.stream(counts).boxed().toList(),
                    examples);
        }
    }

    /** The data interfaces are implemented here because the SDK's factories take no exemplars: their methods are the components. */
    private record Point(
            long getStartEpochNanos,
            long getEpochNanos,
            Attributes getAttributes,
            double getSum,
            double getMin,
            double getMax,
            List<Long> getCounts,
            List<DoubleExemplarData> getExemplars)
            implements HistogramPointData {
        @Override
        public long getCount() {
            return getCounts.stream().mapToLong(Long::longValue).sum();
        }

        @Override
        public boolean hasMin() {
            return true;
        }

        @Override
        public boolean hasMax() {
            return true;
        }

        @Override
        public List<Double> getBoundaries() {
            return BOUNDARIES;
        }
    }

    private record Metric(
            String getName,
            String getDescription,
            Resource getResource,
            InstrumentationScopeInfo getInstrumentationScopeInfo,
            Data<?> getData)
            implements MetricData {
        @Override
        public String getUnit() {
            return "1";
        }

        @Override
        public MetricDataType getType() {
            return MetricDataType.HISTOGRAM;
        }
    }
}
