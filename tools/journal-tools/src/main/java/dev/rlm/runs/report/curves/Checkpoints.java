package dev.rlm.runs.report.curves;

import dev.rlm.runs.NaturalOrder;
import dev.rlm.runs.report.figures.RunCounter;
import dev.rlm.runs.report.figures.RunFacts;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.SampleKey;
import dev.rlm.sinks.schema.statistics.Group;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** Versions of policies as they were evaluated: on all splits but that of training, where each version meets other samples. */
final class Checkpoints implements RunCounter {
    private static final String TRAIN = "train";

    private static final List<String> VALIDATION = List.of("validation", "valid", "val", "eval", "evaluation");

    /** By split, version and model, and sample. */
    private final SortedMap<String, SortedMap<List<String>, SortedMap<SampleKey, Group>>> evaluations =
            new TreeMap<>(NaturalOrder.INSTANCE);

    @Override
    public void add(RunFacts run) {
        RunInfo info = run.summary().row().run();
        String split = info.correlation().split();
        String version = info.correlation().policyVersion();
        boolean isEvaluated =
                split != null && !split.equals(TRAIN) && run.sample().isKnown();
        Double reward = run.result().usableReward();
        if (isEvaluated && version != null && reward != null) {
            evaluations
                    .computeIfAbsent(split, name -> new TreeMap<>(NaturalOrder.LISTS))
                    .computeIfAbsent(List.of(version, info.model()), name -> new TreeMap<>(NaturalOrder.SAMPLES))
                    .computeIfAbsent(run.sample(), sample -> new Group())
                    .add(reward.doubleValue());
        }
    }

    /** Returns all by split, version and model. Later than the best are those behind it in the order of their names. */
    List<Checkpoint> all() {
        List<Checkpoint> all = new ArrayList<>();
        List<String> best = evaluations.isEmpty() ? List.of() : best(Objects.requireNonNull(evaluations.get(split())));
        evaluations.forEach((split, versions) -> {
            Map<SampleKey, Group> ofBest = versions.getOrDefault(best, new TreeMap<>(NaturalOrder.SAMPLES));
            versions.forEach((names, samples) -> all.add(new Checkpoint(
                    split,
                    names.get(1),
                    names.get(0),
                    samples,
                    names.equals(best),
                    NaturalOrder.INSTANCE.compare(names.get(0), best.get(0)) > 0
                            ? Checkpoint.difference(samples, ofBest)
                            : Checkpoint.NO_DIFFERENCE)));
        });
        return all;
    }

    /** Returns the split by which the best is chosen: validation, else the one with the most samples. */
    private String split() {
        return VALIDATION.stream()
                .filter(split -> evaluations.containsKey(split))
                .findFirst()
                .orElseGet(() -> Collections.max(evaluations.keySet(), Comparator.comparingLong(this::samples)));
    }

    private long samples(String split) {
        return Objects.requireNonNull(evaluations.get(split)).values().stream()
                .flatMap(samples -> samples.keySet().stream())
                .distinct()
                .count();
    }

    /** Returns the version with the highest mean, and its model; of several the first. */
    private static List<String> best(SortedMap<List<String>, SortedMap<SampleKey, Group>> versions) {
        return Collections.max(
                        versions.entrySet(),
                        Comparator.comparingDouble(
                                version -> Checkpoint.mean(version.getValue()).value()))
                .getKey();
    }
}
