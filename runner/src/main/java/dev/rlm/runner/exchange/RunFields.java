package dev.rlm.runner.exchange;

import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The ids of a run under the names that all exported forms give them. */
final class RunFields {
    static final String RUN_ID = "run_id";
    static final String SAMPLE = "sample_id";
    static final String TRIAL = "trial";
    static final String ROLLOUT = "rollout_id";
    static final String ATTEMPT = "attempt";
    static final String PARENT_RUN = "parent_run_id";

    private RunFields() {}

    /** Those that nearly every run has, and those that tell its group. */
    static Map<String, @Nullable Object> main(RunInfo run) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        Correlation ids = run.correlation();
        fields.put(RUN_ID, run.runId());
        fields.put(SAMPLE, ids.sample());
        fields.put(TRIAL, ids.trajectoryIndex());
        fields.put(ROLLOUT, ids.rollout());
        fields.put(ATTEMPT, ids.attempt());
        return fields;
    }

    /** The others. */
    static void others(Correlation ids, BiConsumer<String, @Nullable Object> fields) {
        fields.accept("experiment_id", ids.experiment());
        fields.accept("invocation_id", ids.invocation());
        fields.accept("trainer_run_id", ids.trainerRun());
        fields.accept("row_id", ids.row());
        fields.accept("epoch", ids.epoch());
        fields.accept("train_step", ids.trainStep());
        fields.accept("split", ids.split());
        fields.accept("policy_version", ids.policyVersion());
        fields.accept("code_version", ids.codeVersion());
        fields.accept("dataset_version", ids.datasetVersion());
        fields.accept(PARENT_RUN, ids.parentRun());
    }

    /** What others say of these. */
    static Correlation read(JsonObject object) throws BadRecordException {
        Integer trial = object.integer(TRIAL);
        return new Correlation(
                object.text("experiment_id"),
                object.text("invocation_id"),
                object.text(ROLLOUT),
                object.text("trainer_run_id"),
                object.text(SAMPLE),
                object.text("row_id"),
                trial == null ? object.integer("trajectory_index") : trial,
                object.integer(ATTEMPT),
                object.integer("epoch"),
                object.number("train_step"),
                object.text("split"),
                object.text("policy_version"),
                object.text("code_version"),
                object.text("dataset_version"),
                object.text(PARENT_RUN));
    }
}
