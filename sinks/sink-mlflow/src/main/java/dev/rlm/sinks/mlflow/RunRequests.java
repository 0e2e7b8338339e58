package dev.rlm.sinks.mlflow;

import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.mlflow.rest.CreateRunRequest;
import dev.rlm.sinks.mlflow.rest.Keys;
import dev.rlm.sinks.schema.MetricLabels;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Maker of the requests that create MLflow's runs: names, tags and parameters. */
final class RunRequests {
    private static final String JOB = "rlm.job";
    private static final String EPISODE = "rlm.run";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

    private final MetricLabels labels;
    private final String user;

    /** @param user whose runs they are */
    RunRequests(MetricLabels labels, String user) {
        this.labels = labels;
        this.user = user;
    }

    /** A job of which no episode is known. */
    CreateRunRequest job(String key, Instant time) {
        CreateRunRequest.Name name = new CreateRunRequest.Name("rlm", "", TIME.format(time));
        return new CreateRunRequest(JOB, Keys.valid(key), name, millis(time), labelled(), Map.of());
    }

    /** A job that begins with this episode. */
    CreateRunRequest job(String key, RunInfo first) {
        Map<String, String> tags = labelled();
        Correlation correlation = first.correlation();
        put(tags, "rlm.invocation_id", correlation.invocation());
        put(tags, "rlm.experiment_id", correlation.experiment());
        put(tags, "rlm.trainer_run_id", correlation.trainerRun());
        put(tags, "rlm.code_version", correlation.codeVersion());
        put(tags, "rlm.dataset_version", correlation.datasetVersion());
        CreateRunRequest.Name name =
                new CreateRunRequest.Name("rlm " + first.environment(), first.model(), TIME.format(first.startedAt()));
        return new CreateRunRequest(JOB, Keys.valid(key), name, millis(first.startedAt()), tags, params(first));
    }

    /** One episode. */
    CreateRunRequest episode(RunInfo run) {
        Map<String, String> tags = sources();
        tags.putAll(run.tags());
        tags.put("run_id", run.runId());
        tags.put("component", "rlm");
        CreateRunRequest.Name name = new CreateRunRequest.Name(run.environment(), "", run.runId());
        return new CreateRunRequest(EPISODE, Keys.valid(run.runId()), name, millis(run.startedAt()), tags, params(run));
    }

    private Map<String, String> sources() {
        Map<String, String> tags = new LinkedHashMap<>();
        tags.put(CreateRunRequest.USER, user);
        tags.put("mlflow.source.name", "rlm");
        tags.put("mlflow.source.type", "LOCAL");
        return tags;
    }

    private Map<String, String> labelled() {
        Map<String, String> tags = sources();
        labels.byName().forEach((name, label) -> tags.put("rlm.label." + name, label));
        return tags;
    }

    private static Map<String, String> params(RunInfo run) {
        Map<String, String> params = new LinkedHashMap<>();
        params.put("environment", run.environment());
        put(params, "model", run.model().isEmpty() ? null : run.model());
        put(params, "max_steps", run.maxSteps() == 0 ? null : Integer.toString(run.maxSteps()));
        put(params, "seed", run.seed() == null ? null : run.seed().toString());
        run.params().forEach((name, value) -> flatten(name, value, params));
        return params;
    }

    private static void flatten(String name, @Nullable Object value, Map<String, String> params) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((inner, each) -> flatten(name + "." + inner, each, params));
        } else if (value instanceof List<?> list) {
            params.putIfAbsent(name, list.toString());
        } else {
            params.putIfAbsent(name, Objects.toString(value));
        }
    }

    private static void put(Map<String, String> values, String name, @Nullable String value) {
        if (value != null) {
            values.put(name, value);
        }
    }

    private static long millis(Instant time) {
        return Math.max(0, time.toEpochMilli());
    }
}
