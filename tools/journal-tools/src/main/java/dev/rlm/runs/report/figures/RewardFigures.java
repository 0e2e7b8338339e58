package dev.rlm.runs.report.figures;

import dev.rlm.cli.recorded.Numbers;
import dev.rlm.journal.index.EventRow;
import dev.rlm.runs.report.sheets.NamedFigures;
import dev.rlm.sinks.event.RewardComponent;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rewards of some runs one by one, without second opinions: what they are made of, and why some are absent. */
public final class RewardFigures {
    private static final int REASONS = 1_000;
    private static final String OTHER = "(other)";

    private final Map<ComponentKey, Component> components = new TreeMap<>(Comparator.comparing(ComponentKey::source)
            .thenComparing(ComponentKey::name)
            .thenComparing(key -> key.unit == null ? "" : key.unit));
    private final Map<String, Long> absences = new HashMap<>();

    void add(EventRow.Reward reward) {
        String reason = reward.absence();
        if (reason != null) {
            boolean known = absences.containsKey(reason) || absences.size() < REASONS;
            absences.merge(known ? reason : OTHER, 1L, Long::sum);
        }
        for (RewardComponent part : reward.components()) {
            components
                    .computeIfAbsent(
                            new ComponentKey(reward.source(), part.name(), part.unit()), key -> new Component())
                    .add(part);
        }
    }

    /** Returns the reasons of absent rewards with their numbers, the most frequent first. */
    public Stream<NamedFigures> absences() {
        return absences.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .map(absence ->
                        new NamedFigures().put("reason", absence.getKey()).put("rewards", absence.getValue()));
    }

    /** Returns the components of rewards, by who gave them, name and unit. */
    public Stream<NamedFigures> components() {
        return components.entrySet().stream()
                .map(part -> new NamedFigures()
                        .put("source", part.getKey().source())
                        .put("name", part.getKey().name())
                        .put("unit", part.getKey().unit())
                        .putAll(part.getValue().fields()));
    }

    private record ComponentKey(
            String source, String name, @Nullable String unit) {}

    /** One of the parts that explain rewards. */
    private static final class Component {
        private final DoubleSummaryStatistics weights = new DoubleSummaryStatistics();
        private long count;
        private long notFinite;
        private double sum;

        void add(RewardComponent part) {
            weights.accept(part.weight());
            if (Double.isFinite(part.value())) {
                count++;
                sum += part.value();
            } else {
                notFinite++;
            }
        }

        NamedFigures fields() {
            String least = Numbers.of(weights.getMin());
            String most = Numbers.of(weights.getMax());
            return new NamedFigures()
                    .put("given", count)
                    .put("not_finite", notFinite, Numbers.unlessZero(notFinite))
                    .put("mean", sum / count)
                    .put(
                            "min_weight",
                            weights.getMin(),
                            weights.getMin() == weights.getMax() ? least : least + " to " + most)
                    .put("max_weight", weights.getMax());
        }
    }
}
