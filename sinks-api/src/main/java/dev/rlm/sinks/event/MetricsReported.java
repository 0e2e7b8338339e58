package dev.rlm.sinks.event;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Numbers that describe training and belong to no run.
 *
 * @param category one of {@link #CATEGORIES}; others come from elsewhere
 * @param stepField which of the values says how far training is, such as {@code global_step}
 * @param values by name, the step field's among them
 */
public record MetricsReported(
        Instant time,
        @Recorded(required = true) String category,
        String stepField,
        @Recorded(required = true) Map<String, Double> values)
        implements Event {
    /** Fields that say how far training is; of several the first counts that is finite. */
    public static final List<String> STEP_FIELDS =
            List.of("timesteps", "policy_version", "step", "global_step", "update");

    /** Categories of the numbers. */
    public static final List<String> CATEGORIES = List.of("trainer", "actor", "evaluator", "misc");

    /** Names of an evaluator's numbers; durations are in milliseconds. */
    public static final List<String> EVALUATOR_VALUES = List.of(
            "episodes",
            "mean_return",
            "max_return",
            "min_return",
            "episode_length_mean",
            "episode_length_max",
            "episode_length_min",
            "duration_ms");

    /**
     * Returns the name of the value that says how far training is: the first of {@link #STEP_FIELDS} that has a finite number.
     */
    public static Optional<String> stepField(Map<String, Double> values) {
        return STEP_FIELDS.stream()
                .filter(field -> Double.isFinite(values.getOrDefault(field, Double.NaN)))
                .findFirst();
    }

    public MetricsReported {
        Checks.notBlank(category, "category");
        stepField = Content.limited(stepField);
        values = Checks.numbers(values);
        if (!values.containsKey(stepField)) {
            throw new IllegalArgumentException("the values lack the step field " + stepField);
        }
    }

    /**
     * The same under one of the {@link #CATEGORIES}, whose case does not matter. Numbers of any other are {@code misc},
     * with its name before theirs, as in {@code critic/loss}; the step field keeps its name.
     */
    public MetricsReported categorized() {
        String known = category.strip().toLowerCase(Locale.ROOT);
        if (CATEGORIES.contains(known)) {
            return new MetricsReported(time, known, stepField, values);
        }
        Map<String, Double> named = new LinkedHashMap<>();
        values.forEach(
                (name, value) -> named.put(name.equals(stepField) ? name : category.strip() + "/" + name, value));
        return new MetricsReported(time, "misc", stepField, named);
    }

    @Override
    public EventType type() {
        return EventType.METRICS_REPORTED;
    }
}
