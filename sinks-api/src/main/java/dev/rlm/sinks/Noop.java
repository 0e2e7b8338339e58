package dev.rlm.sinks;

/** Shared handles that record nothing, as the defaults of their methods do. */
final class Noop {
    static final Activity ACTIVITY = new Activity() {};
    static final Run RUN = new Run() {};
    static final Step STEP = new Step() {};
    static final Span SPAN = new Span() {};
    static final Evaluation EVALUATION = new Evaluation() {};
    static final ModelCall MODEL_CALL = new ModelCall() {};
    static final ToolCall TOOL_CALL = new ToolCall() {};

    private Noop() {}
}
