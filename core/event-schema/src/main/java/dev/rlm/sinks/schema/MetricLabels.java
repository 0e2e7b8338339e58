package dev.rlm.sinks.schema;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Labels of the numbers of training for people, by the names under which these are reported:
 * {@code RLM_METRIC_LABELS="global_grad_norm=Grad Norm,steps_per_second=SPS"}. The names that trainers usually report
 * have a label by default. A label is for display; names stay.
 *
 * @param byName labels that were configured; they count before the usual ones
 */
public record MetricLabels(Map<String, String> byName) {
    /** The usual labels alone. */
    public static final MetricLabels NONE = new MetricLabels(Map.of());

    private static final String VARIABLE = "RLM_METRIC_LABELS";

    public MetricLabels {
        byName = Map.copyOf(byName);
    }

    /**
     * Those that the configuration says.
     *
     * @throws SinkConfigException if it does not say them as name=label, each name once
     */
    public static MetricLabels of(SinkConfig config) {
        Map<String, String> labels = new LinkedHashMap<>();
        config.shared().string(VARIABLE).ifPresent(all -> {
            for (String entry : all.split(",", -1)) {
                add(labels, entry.strip());
            }
        });
        return new MetricLabels(labels);
    }

    private static void add(Map<String, String> labels, String entry) {
        int equals = entry.indexOf('=');
        String name = equals < 0 ? "" : entry.substring(0, equals).strip();
        String label = entry.substring(equals + 1).strip();
        if (name.isEmpty() || label.isEmpty()) {
            throw invalid(entry, "expected name=label, separated by commas, such as global_grad_norm=Grad Norm");
        } else if (labels.put(name, label) != null) {
            throw invalid(entry, "'" + name + "' has a label already, expected one for each name");
        }
    }

    private static SinkConfigException invalid(String entry, String why) {
        return new SinkConfigException(VARIABLE + " is not valid at '" + entry + "': " + why);
    }

    /** The label of that number. */
    public Optional<String> label(String name) {
        return Optional.ofNullable(byName.get(name))
                .or(() -> UsualMetric.of(name).map(UsualMetric::label));
    }

    /** The usual number that it is: the one whose label it was given, else the one of that name. */
    public Optional<UsualMetric> metric(String name) {
        return Optional.ofNullable(byName.get(name))
                .flatMap(UsualMetric::labelled)
                .or(() -> UsualMetric.of(name));
    }
}
