package dev.rlm.runs.report.health;

import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.Correlation;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The places of runs in their training: the train steps that they tell; where none does, the versions of their policies; where
 * there is one alone, equal parts of the runs in the order of their starts. A run that does not tell its own is where the run
 * is that started before it. Of more than a thousand steps neighbours are one place.
 */
public final class TrainingAxis {
    private static final int PARTS = 20;
    private static final int MOST = 1_000;

    private final String word;
    private final NavigableMap<Instant, Double> starts = new TreeMap<>();
    private final Map<String, Double> versions = new HashMap<>();
    private double first;
    private double width = 1;

    private TrainingAxis(String word) {
        this.word = word;
    }

    /** The axis of these runs, which are in the order of their starts. */
    public static TrainingAxis of(List<RunSummary> runs) {
        TrainingAxis axis;
        if (runs.stream().anyMatch(run -> ids(run).trainStep() != null)) {
            axis = new TrainingAxis("train_step");
        } else if (runs.stream()
                        .map(run -> ids(run).policyVersion())
                        .filter(Objects::nonNull)
                        .distinct()
                        .count()
                > 1) {
            axis = new TrainingAxis("policy_version");
            axis.order(runs);
        } else {
            axis = new TrainingAxis("order");
        }
        axis.place(runs);
        return axis;
    }

    private static Correlation ids(RunSummary run) {
        return run.row().run().correlation();
    }

    /** Versions that are numbers are their own places; others are counted as they come. */
    private void order(List<RunSummary> runs) {
        for (RunSummary run : runs) {
            String version = ids(run).policyVersion();
            if (version != null) {
                versions.putIfAbsent(version, (double) versions.size());
            }
        }
        if (versions.keySet().stream().allMatch(version -> version.matches("\\d{1,15}"))) {
            versions.replaceAll((version, place) -> Double.valueOf(version));
        }
    }

    private void place(List<RunSummary> runs) {
        double last = 0;
        first = Double.POSITIVE_INFINITY;
        for (int i = 0; i < runs.size(); i++) {
            Double own = word.equals("order") ? Double.valueOf(part(i, runs.size())) : own(runs.get(i));
            if (own != null) {
                starts.put(runs.get(i).startedAt(), own);
                first = Math.min(first, own);
                last = Math.max(last, own);
            }
        }
        width = Math.max(1, Math.ceil((last - first + 1) / MOST));
    }

    private static double part(int index, int runs) {
        return Math.floor((double) index * PARTS / runs);
    }

    private @Nullable Double own(RunSummary run) {
        Long step = ids(run).trainStep();
        String version = ids(run).policyVersion();
        return switch (word) {
            case "train_step" -> step == null ? null : Double.valueOf((double) step);
            case "policy_version" -> version == null ? null : versions.get(version);
            default -> null;
        };
    }

    /** Returns the place of one of the runs. */
    double of(RunSummary run) {
        Double own = own(run);
        Map.Entry<Instant, Double> before = starts.floorEntry(run.startedAt());
        double step = own != null ? own : before != null ? before.getValue() : first;
        return first + Math.floor((step - first) / width) * width;
    }

    /** Returns what the places are: {@code train_step}, {@code policy_version} or {@code order}. */
    String word() {
        return word;
    }
}
