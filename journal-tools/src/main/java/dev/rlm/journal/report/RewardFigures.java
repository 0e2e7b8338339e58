package dev.rlm.journal.report;

import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The rewards of some runs one by one: what they are made of, and why some are absent. */
final class RewardFigures {
    private static final int REASON_LENGTH = 120;
    private static final int REASONS = 1_000;
    private static final String OTHER = "(other)";

    private final Map<ComponentKey, Component> components = new TreeMap<>();
    private final Map<String, Long> absences = new HashMap<>();

    void add(RewardGiven reward) {
        if (reward.absence() != null) {
            String reason = reward.absence().length() > REASON_LENGTH
                    ? reward.absence().substring(0, REASON_LENGTH) + "…"
                    : reward.absence();
            boolean known = absences.containsKey(reason) || absences.size() < REASONS;
            absences.merge(known ? reason : OTHER, 1L, Long::sum);
        }
        for (RewardComponent part : reward.components()) {
            components
                    .computeIfAbsent(new ComponentKey(part.name(), part.unit()), key -> new Component())
                    .add(part);
        }
    }

    /** Why rewards are absent, the most frequent reason first. */
    List<Map.Entry<String, Long>> absences() {
        return absences.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .toList();
    }

    Map<ComponentKey, Component> components() {
        return components;
    }

    /** What rewards are made of, by name and unit. */
    record ComponentKey(String name, @Nullable String unit) implements Comparable<ComponentKey> {
        private static final Comparator<ComponentKey> ORDER =
                Comparator.comparing(ComponentKey::name).thenComparing(key -> key.unit == null ? "" : key.unit);

        @Override
        public int compareTo(ComponentKey other) {
            return ORDER.compare(this, other);
        }
    }

    /** One of the parts that explain rewards. */
    static final class Component {
        private long count;
        private long notFinite;
        private double sum;
        private double minWeight = Double.POSITIVE_INFINITY;
        private double maxWeight = Double.NEGATIVE_INFINITY;

        private void add(RewardComponent part) {
            minWeight = Math.min(minWeight, part.weight());
            maxWeight = Math.max(maxWeight, part.weight());
            if (Double.isFinite(part.value())) {
                count++;
                sum += part.value();
            } else {
                notFinite++;
            }
        }

        /** How often it was given as a finite number. */
        long count() {
            return count;
        }

        /** How often it was given as NaN or an infinity. */
        long notFinite() {
            return notFinite;
        }

        /** Of the finite values, before weighting. */
        double mean() {
            return sum / count;
        }

        double minWeight() {
            return minWeight;
        }

        double maxWeight() {
            return maxWeight;
        }
    }
}
