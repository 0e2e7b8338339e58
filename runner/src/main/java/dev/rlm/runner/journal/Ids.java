package dev.rlm.runner.journal;

import dev.rlm.sinks.event.Correlation;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What joins a run to the world around it, by name; only what is there. */
final class Ids {
    private final Map<String, Object> byName = new LinkedHashMap<>();

    private Ids() {}

    static Map<String, Object> of(Correlation ids) {
        return new Ids()
                .put("sample", ids.sample())
                .put("rollout", ids.rollout())
                .put("attempt", ids.attempt())
                .put("trajectory", ids.trajectoryIndex())
                .put("row", ids.row())
                .put("split", ids.split())
                .put("experiment", ids.experiment())
                .put("invocation", ids.invocation())
                .put("trainer-run", ids.trainerRun())
                .put("epoch", ids.epoch())
                .put("train-step", ids.trainStep())
                .put("policy", ids.policyVersion())
                .put("code", ids.codeVersion())
                .put("dataset", ids.datasetVersion())
                .put("parent-run", ids.parentRun())
                .byName;
    }

    private Ids put(String name, @Nullable Object value) {
        if (value != null) {
            byName.put(name, value);
        }
        return this;
    }
}
