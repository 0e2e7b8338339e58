package dev.rlm.sinks.otel.metrics;

import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.schema.MetricLabels;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleGauge;
import io.opentelemetry.api.metrics.DoubleGaugeBuilder;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The numbers that describe training, each the last value of a gauge such as {@code rlm.trainer.loss}, which a label
 * describes where there is one. One that is not finite leaves its gauge as it was and is counted.
 */
public final class TrainingGauges {
    private static final AttributeKey<String> METRIC = AttributeKey.stringKey("metric");
    private static final AttributeKey<String> REASON = AttributeKey.stringKey("reason");
    private static final Pattern NOT_IN_NAMES = Pattern.compile("[^A-Za-z0-9_./-]");
    private static final int NAME_LENGTH = 255;
    private static final int MAX_GAUGES = 1_000;

    private final Meter meter;
    private final MetricLabels labels;
    private final LongCounter excluded;
    private final Map<String, DoubleGauge> gauges = new HashMap<>();

    public TrainingGauges(Meter meter, MetricLabels labels) {
        this.meter = meter;
        this.labels = labels;
        excluded = meter.counterBuilder("rlm.metrics.excluded")
                .setUnit("1")
                .setDescription("Reported numbers of training that are not finite")
                .build();
    }

    /** Records the numbers. Returns whether all were taken: names beyond the first 1,000 are not. */
    public boolean report(MetricsReported event) {
        boolean all = true;
        for (Map.Entry<String, Double> value : event.values().entrySet()) {
            String name = name(event.category(), value.getKey());
            if (gauges.size() < MAX_GAUGES || gauges.containsKey(name)) {
                set(name, value.getKey(), value.getValue());
            } else {
                all = false;
            }
        }
        return all;
    }

    private void set(String name, String key, double value) {
        DoubleGauge gauge = gauges.computeIfAbsent(name, n -> gauge(n, key));
        if (Double.isFinite(value)) {
            gauge.set(value);
        } else {
            excluded.add(1, Attributes.of(METRIC, name, REASON, Double.isNaN(value) ? "nan" : "infinite"));
        }
    }

    private DoubleGauge gauge(String name, String key) {
        DoubleGaugeBuilder gauge = meter.gaugeBuilder(name);
        labels.label(key).ifPresent(gauge::setDescription);
        return gauge.build();
    }

    private static String name(String category, String key) {
        String name = NOT_IN_NAMES.matcher("rlm." + category + "." + key).replaceAll("_");
        return name.length() <= NAME_LENGTH ? name : name.substring(0, NAME_LENGTH);
    }
}
