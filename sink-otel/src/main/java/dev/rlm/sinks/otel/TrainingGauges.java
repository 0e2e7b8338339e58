package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.MetricsReported;
import io.opentelemetry.api.metrics.DoubleGauge;
import io.opentelemetry.api.metrics.Meter;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** The numbers that describe training, each the last value of a gauge such as {@code rlm.trainer.loss}. */
final class TrainingGauges {
    private static final Pattern NOT_IN_NAMES = Pattern.compile("[^A-Za-z0-9_./-]");
    private static final int NAME_LENGTH = 255;
    private static final int MAX_GAUGES = 1_000;

    private final Meter meter;
    private final Map<String, DoubleGauge> gauges = new HashMap<>();

    TrainingGauges(Meter meter) {
        this.meter = meter;
    }

    /** Whether all of the numbers could be taken: there is a limit to how many different ones there may be. */
    boolean report(MetricsReported event) {
        boolean all = true;
        for (Map.Entry<String, Double> value : event.values().entrySet()) {
            String name = name(event.category(), value.getKey());
            if (gauges.size() < MAX_GAUGES || gauges.containsKey(name)) {
                gauges.computeIfAbsent(name, n -> meter.gaugeBuilder(n).build()).set(value.getValue());
            } else {
                all = false;
            }
        }
        return all;
    }

    private static String name(String category, String key) {
        String name = NOT_IN_NAMES.matcher("rlm." + category + "." + key).replaceAll("_");
        return name.length() <= NAME_LENGTH ? name : name.substring(0, NAME_LENGTH);
    }
}
