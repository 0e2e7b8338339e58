package dev.rlm.journal.report;

import dev.rlm.journal.NaturalOrder;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.SampleKey;
import dev.rlm.sinks.schema.statistics.Group;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** Versions of policies as they were evaluated: on all splits but that of training, where each version meets other samples. */
final class Checkpoints implements RunCounter {
    private static final String TRAIN = "train";

    /** By split and model, version, and sample. */
    private final SortedMap<List<String>, SortedMap<String, SortedMap<SampleKey, Group>>> evaluations =
            new TreeMap<>(NaturalOrder.LISTS);

    @Override
    public void add(RunFacts run) {
        RunInfo info = run.summary().row().run();
        String split = info.correlation().split();
        String version = info.correlation().policyVersion();
        boolean isEvaluated =
                split != null && !split.equals(TRAIN) && run.sample().isKnown();
        if (isEvaluated && version != null && run.result().hasUsableReward()) {
            evaluations
                    .computeIfAbsent(List.of(split, info.model()), names -> new TreeMap<>(NaturalOrder.INSTANCE))
                    .computeIfAbsent(version, name -> new TreeMap<>(NaturalOrder.SAMPLES))
                    .computeIfAbsent(run.sample(), sample -> new Group())
                    .add(run.result().totalReward());
        }
    }

    /** Returns all by split, model and version. Later than the best are those behind it in the order of their names. */
    List<Checkpoint> all() {
        List<Checkpoint> all = new ArrayList<>();
        evaluations.forEach((names, versions) -> {
            String best = best(versions);
            Map<SampleKey, Group> ofBest = Objects.requireNonNull(versions.get(best));
            versions.forEach((version, samples) -> all.add(new Checkpoint(
                    names.get(0),
                    names.get(1),
                    version,
                    samples,
                    version.equals(best),
                    NaturalOrder.INSTANCE.compare(version, best) > 0
                            ? Checkpoint.difference(samples, ofBest)
                            : Checkpoint.NO_DIFFERENCE)));
        });
        return all;
    }

    /** Returns the version with the highest mean; of several the first. */
    private static String best(SortedMap<String, SortedMap<SampleKey, Group>> versions) {
        String best = versions.firstKey();
        double highest = Double.NEGATIVE_INFINITY;
        for (Map.Entry<String, SortedMap<SampleKey, Group>> version : versions.entrySet()) {
            double mean = Checkpoint.mean(version.getValue()).value();
            if (mean > highest) {
                best = version.getKey();
                highest = mean;
            }
        }
        return best;
    }
}
