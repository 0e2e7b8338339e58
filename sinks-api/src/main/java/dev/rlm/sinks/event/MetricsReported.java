package dev.rlm.sinks.event;

import java.time.Instant;
import java.util.Map;

/**
 * Numbers that describe training and belong to no run.
 *
 * @param category {@code trainer}, {@code actor}, {@code evaluator} or {@code misc}
 * @param stepField which of the values says how far training is, such as {@code global_step}
 * @param values by name, the step field's among them
 */
public record MetricsReported(Instant time, String category, String stepField, Map<String, Double> values)
        implements Event {
    public MetricsReported {
        Checks.notBlank(category, "category");
        stepField = Content.limited(stepField);
        values = Checks.numbers(values);
        if (!values.containsKey(stepField)) {
            throw new IllegalArgumentException("the values lack the step field " + stepField);
        }
    }
}
