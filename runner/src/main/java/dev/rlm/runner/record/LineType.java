package dev.rlm.runner.record;

import static dev.rlm.runner.record.Field.optional;
import static dev.rlm.runner.record.Field.required;
import static dev.rlm.runner.record.Field.standard;

import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ToolCalled;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** What a line can tell, and with which fields: those of the journal's lines, and the times at which things started. */
enum LineType {
    RUN_STARTED(Shapes.LINE.with(
            "run_started",
            required("environment", Kind.LABEL),
            standard("model", Kind.LABEL, ""),
            standard("task", Kind.TEXT, ""),
            standard("max_steps", Kind.COUNT, 0),
            optional("seed", Kind.WHOLE),
            standard("params", Kind.VALUES, Map.of()),
            standard("tags", Kind.TEXTS, Map.of()),
            optional("experiment_id", Kind.ID),
            optional("invocation_id", Kind.ID),
            optional("rollout_id", Kind.ID),
            optional("trainer_run_id", Kind.ID),
            optional("sample_id", Kind.ID),
            optional("row_id", Kind.ID),
            optional("trajectory_index", Kind.COUNT),
            optional("attempt", Kind.COUNT),
            optional("epoch", Kind.COUNT),
            optional("train_step", Kind.WHOLE),
            optional("split", Kind.ID),
            optional("policy_version", Kind.ID),
            optional("code_version", Kind.ID),
            optional("dataset_version", Kind.ID),
            optional("parent_run_id", Kind.ID),
            optional("traceparent", Kind.ID),
            optional("tracestate", Kind.ID),
            optional("baggage", Kind.TEXT))),

    STEP_STARTED(Shapes.IN_STEP.with(
            "step_started", optional("parent_step", Kind.COUNT), standard("observation", Kind.TEXT, ""))),

    MODEL_CALLED(Shapes.TIMED.with(
            "model_called",
            standard("parent_seq", Kind.WHOLE, 0L),
            optional("first_token_nanos", Kind.WHOLE),
            standard("provider", Kind.LABEL, "unknown"),
            optional("request_model", Kind.LABEL),
            standard("parameters", Kind.VALUES, Map.of()),
            standard("messages", Kind.listOf(Shapes.MESSAGE), List.of()),
            optional("reply", Kind.object(Shapes.REPLY)),
            standard("usage", Kind.object(Shapes.USAGE), Map.of()),
            optional("tokens", Kind.object(Shapes.TOKENS)),
            optional("finish_reason", Kind.LABEL),
            standard("retries", Kind.COUNT, 0),
            optional("error", Kind.TEXT))),

    TOOL_CALLED(Shapes.TIMED.with(
            "tool_called",
            standard("parent_seq", Kind.WHOLE, 0L),
            required("tool", Kind.LABEL),
            standard("provider", Kind.LABEL, ToolCalled.FUNCTION),
            optional("call_id", Kind.ID),
            standard("arguments", Kind.TEXT, ""),
            standard("result", Kind.TEXT, ""),
            optional("status_code", Kind.COUNT),
            standard("retries", Kind.COUNT, 0),
            optional("error", Kind.TEXT),
            standard("attributes", Kind.VALUES, Map.of()))),

    REWARD_GIVEN(Shapes.TIMED.with(
            "reward_given",
            optional("scope", Kind.oneOf("run", "step")),
            standard("source", Kind.LABEL, "environment"),
            optional("value", Kind.NUMBER),
            optional("absence", Kind.TEXT),
            standard("components", Kind.listOf(Shapes.COMPONENT), List.of()))),

    STEP_ENDED(Shapes.TIMED.with(
            "step_ended",
            optional("parent_step", Kind.COUNT),
            optional("start_seq", Kind.WHOLE),
            standard("action_type", Kind.LABEL, ""),
            standard("code", Kind.TEXT, ""),
            standard("output", Kind.TEXT, ""),
            optional("success", Kind.FLAG),
            optional("error", Kind.TEXT),
            optional("error_type", Kind.LABEL),
            optional("reward", Kind.NUMBER),
            optional("cumulative_reward", Kind.NUMBER),
            optional("state_before", Kind.ID),
            optional("state_after", Kind.ID),
            standard("tags", Kind.TEXTS, Map.of()))),

    SPAN_RECORDED(Shapes.TIMED.with(
            "span_recorded",
            required("name", Kind.LABEL),
            standard("parent_seq", Kind.WHOLE, 0L),
            standard("attributes", Kind.VALUES, Map.of()),
            optional("error", Kind.TEXT))),

    ARTIFACT_SAVED(Shapes.IN_STEP.with(
            "artifact_saved",
            required("name", Kind.LABEL),
            standard("media_type", Kind.LABEL, "application/octet-stream"),
            required("size", Kind.WHOLE),
            required("sha256", Kind.SHA256),
            required("path", Kind.LABEL))),

    HEARTBEAT(Shapes.IN_RUN.with("heartbeat", optional("steps", Kind.COUNT), optional("total_reward", Kind.NUMBER))),

    RUN_ENDED(Shapes.IN_RUN.with(
            "run_ended",
            optional("outcome", Kind.oneOf("completed", "failed", "aborted", "abandoned")),
            optional("status", Kind.object(Shapes.STATUS)),
            optional("solved", Kind.FLAG),
            optional("run_path", Kind.LABEL),
            optional("termination_reason", Kind.LABEL),
            optional("truncated", Kind.FLAG),
            optional("steps", Kind.COUNT),
            optional("total_reward", Kind.NUMBER),
            optional("absent_rewards", Kind.COUNT),
            optional("final_answer", Kind.TEXT),
            standard("metrics", Kind.NUMBERS, Map.of()),
            optional("error_type", Kind.LABEL),
            optional("error", Kind.TEXT))),

    METRICS_REPORTED(Shape.of(
            "metrics_reported",
            required("type", Kind.LABEL),
            optional("time", Kind.TIME),
            required("category", Kind.oneOf(MetricsReported.CATEGORIES)),
            optional("step_field", Kind.oneOf(MetricsReported.STEP_FIELDS)),
            required("values", Kind.NUMBERS_IN)));

    @SuppressWarnings("ImmutableEnumChecker") // a shape never changes
    private final Shape shape;

    LineType(Shape shape) {
        this.shape = shape;
    }

    /** The fields of its lines. */
    Shape shape() {
        return shape;
    }

    /** What a line tells. */
    static LineType of(Map<String, Object> line) throws RefusedException {
        Object type = line.get("type");
        for (LineType each : values()) {
            if (each.label().equals(type)) {
                return each;
            }
        }
        List<String> known = Stream.of(values()).map(LineType::label).toList();
        String what = type == null
                ? "no type"
                : "unknown type " + Kind.excerpt(JsonText.of(type)) + Spelling.suggestion(type.toString(), known);
        throw new RefusedException(what + ": known are " + String.join(", ", known));
    }

    /** The name that lines have in their field {@code type}. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
