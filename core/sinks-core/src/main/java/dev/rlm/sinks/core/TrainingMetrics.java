package dev.rlm.sinks.core;

import dev.rlm.sinks.event.MetricsReported;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Makes an event of numbers that describe training. */
final class TrainingMetrics {
    private TrainingMetrics() {}

    /** The event, unless the category is blank or no value says how far training is. */
    static Optional<MetricsReported> event(Instant time, String category, Map<String, ?> values) {
        try {
            Map<String, Double> numbers = numbers(values);
            return MetricsReported.stepField(numbers)
                    .map(field -> new MetricsReported(time, category, field, numbers).categorized());
        } catch (RuntimeException e) {
            return Optional.empty(); // such as a map that is changed meanwhile
        }
    }

    private static Map<String, Double> numbers(Map<String, ?> values) {
        Map<String, Double> numbers = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (value instanceof Number number) {
                numbers.put(name, number.doubleValue());
            }
        });
        return numbers;
    }
}
