package dev.rlm.sinks.rollout;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Log that tells a trainer the status of a rollout, or that it goes on.
 *
 * @param rollout the id of what the run is an attempt at
 * @param code of the status, that of a rollout that runs where the log has none
 * @param obsolete whether a later log has taken its place
 * @param json the body of the request
 */
record StatusLog(RunInfo run, String rollout, int code, boolean hasStatus, BooleanSupplier obsolete, String json) {
    private static final String PROGRAM = "eval_protocol";
    private static final String DOMAIN = "evalprotocol.io";
    private static final String DETAIL = "type.googleapis.com/google.rpc.ErrorInfo";

    /** Returns the log of a start. */
    static StatusLog of(RunStarted event, String rollout, BooleanSupplier obsolete) {
        Map<String, Object> extras = extras(event.run(), "INFO", event.time());
        RunStatus running = RunStatus.of(RunStatus.RUNNING, "Rollout is running");
        return new StatusLog(
                event.run(),
                rollout,
                RunStatus.RUNNING,
                true,
                obsolete,
                json(event.run(), rollout, running, List.of(), "started", extras));
    }

    /** Returns the log of a run that goes on. It has no status, since some trainers take the first one for the end. */
    static StatusLog of(Heartbeat event, String rollout, BooleanSupplier obsolete) {
        Map<String, Object> extras = extras(event.run(), "INFO", event.time());
        extras.put("steps", event.steps());
        return new StatusLog(
                event.run(),
                rollout,
                RunStatus.RUNNING,
                false,
                obsolete,
                json(event.run(), rollout, null, List.of(), "running", extras));
    }

    /** Returns the log of an end, with the figures of the run as extras. */
    static StatusLog of(RunEnded event, String rollout) {
        RunStatus status = event.status();
        boolean good = status.code() == RunStatus.FINISHED || status.code() == RunStatus.OK;
        Map<String, Object> extras = extras(event.run(), good ? "INFO" : "ERROR", event.time());
        if (event.hasUsableReward() && Double.isFinite(event.totalReward())) {
            extras.put("reward", event.totalReward());
            extras.put("solved", event.solved());
        }
        if (event.finalAnswer() != null) {
            extras.put("answer", event.finalAnswer().text());
        }
        extras.put("steps", event.steps());
        event.metrics().forEach((name, value) -> {
            if (Double.isFinite(value)) {
                extras.putIfAbsent(
                        name.equals("run_index") ? "metric_run_index" : name, value); // a word of the trainer's own
            }
        });
        List<Object> details = new ArrayList<>();
        details.add(detail("TERMINATION_REASON", Map.of("termination_reason", reason(event))));
        if (!status.details().isEmpty()) {
            details.add(detail("EXTRA_INFO", status.details()));
        }
        String message = status.message().isEmpty()
                ? good ? "Rollout finished" : event.outcome().label()
                : status.message();
        return new StatusLog(
                event.run(),
                rollout,
                status.code(),
                true,
                () -> false,
                json(event.run(), rollout, RunStatus.of(status.code(), message), details, message, extras));
    }

    private static String reason(RunEnded event) {
        return Objects.requireNonNullElse(event.terminationReason(), "");
    }

    private static Map<String, Object> detail(String reason, Map<String, String> metadata) {
        return Map.of("@type", DETAIL, "reason", reason, "domain", DOMAIN, "metadata", metadata);
    }

    private static Map<String, Object> extras(RunInfo run, String level, Instant time) {
        Map<String, Object> extras = new LinkedHashMap<>();
        extras.put("logger_name", "rlm");
        extras.put("level", level);
        extras.put("timestamp", time.toString());
        extras.put("rlm_run_id", run.runId());
        return extras;
    }

    private static String json(
            RunInfo run,
            String rollout,
            @Nullable RunStatus status,
            List<Object> details,
            String message,
            Map<String, Object> extras) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("program", PROGRAM);
        body.put(
                "status",
                status == null ? null : Map.of("code", status.code(), "message", status.message(), "details", details));
        body.put("message", message);
        body.put("tags", tags(rollout, run.correlation()));
        body.put("extras", extras);
        return Json.text(body);
    }

    private static List<String> tags(String rollout, Correlation ids) {
        List<String> tags = new ArrayList<>();
        add(tags, "rollout_id", rollout);
        add(tags, "invocation_id", ids.invocation());
        add(tags, "experiment_id", ids.experiment());
        add(tags, "run_id", ids.trainerRun());
        add(tags, "row_id", ids.row());
        return tags;
    }

    private static void add(List<String> tags, String name, @Nullable String value) {
        if (value != null) {
            tags.add(name + ":" + value);
        }
    }
}
