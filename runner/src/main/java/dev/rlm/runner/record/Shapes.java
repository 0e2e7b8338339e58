package dev.rlm.runner.record;

import static dev.rlm.runner.record.Field.optional;
import static dev.rlm.runner.record.Field.required;
import static dev.rlm.runner.record.Field.standard;

import java.util.List;
import java.util.Map;

/** What several kinds of lines have in common, and the objects in them. */
final class Shapes {
    /** A line of a run. */
    static final Shape LINE = Shape.of(
            "a line",
            required("type", Kind.LABEL),
            optional("run_id", Kind.ID),
            optional("seq", Kind.WHOLE),
            optional("time", Kind.TIME),
            optional("nanos", Kind.WHOLE));

    /** One after the run's start. */
    static final Shape IN_RUN = LINE.with("a line", optional("environment", Kind.LABEL), optional("model", Kind.LABEL));

    /** One that may lie in a step. */
    static final Shape IN_STEP = IN_RUN.with("a line", optional("step", Kind.COUNT));

    /** One of something that took time. */
    static final Shape TIMED =
            IN_STEP.with("a line", optional("start_time", Kind.TIME), optional("start_nanos", Kind.WHOLE));

    static final Shape TOOL_REQUEST = Shape.of(
            "a tool call of a message",
            standard("id", Kind.ID, ""),
            required("tool", Kind.LABEL),
            standard("arguments", Kind.TEXT, ""));

    static final Shape MESSAGE = message("a message", required("role", Kind.LABEL));
    static final Shape REPLY = message("a reply", standard("role", Kind.LABEL, "assistant"));

    static final Shape USAGE = Shape.of(
            "usage",
            optional("input_tokens", Kind.WHOLE),
            optional("output_tokens", Kind.WHOLE),
            optional("cached_tokens", Kind.WHOLE),
            optional("reasoning_tokens", Kind.WHOLE));

    static final Shape TOKENS = Shape.of(
            "tokens",
            standard("prompt_ids", Kind.INTEGERS, List.of()),
            standard("response_ids", Kind.INTEGERS, List.of()),
            standard("log_probabilities", Kind.DECIMALS, List.of()),
            optional("weights_version", Kind.ID));

    static final Shape COMPONENT = Shape.of(
            "a component",
            required("name", Kind.LABEL),
            required("value", Kind.NUMBER),
            standard("weight", Kind.NUMBER, 1.0),
            optional("unit", Kind.LABEL));

    static final Shape STATUS = Shape.of(
            "status",
            required("code", Kind.COUNT),
            standard("message", Kind.LABEL, ""),
            standard("details", Kind.TEXTS, Map.of()));

    private Shapes() {}

    private static Shape message(String name, Field role) {
        return Shape.of(
                name,
                role,
                standard("content", Kind.TEXT, ""),
                standard("tool_calls", Kind.listOf(TOOL_REQUEST), List.of()),
                optional("tool_call_id", Kind.ID));
    }
}
