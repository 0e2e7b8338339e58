package dev.rlm.sinks.otel.mapping;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import java.util.Map;
import java.util.Optional;

/**
 * The attributes of {@code rlm.run} and {@code rlm.step} that only MLflow reads: for its columns of names, requests and
 * responses, and for the tags that its list is searched by. As seen with MLflow 3.17.
 */
public final class MlflowColumns {
    /** The header without which MLflow takes no spans, and by which it is recognised. */
    public static final String EXPERIMENT_HEADER = "x-mlflow-experiment-id";

    private static final AttributeKey<String> INPUTS = AttributeKey.stringKey("mlflow.spanInputs");
    private static final AttributeKey<String> OUTPUTS = AttributeKey.stringKey("mlflow.spanOutputs");
    private static final AttributeKey<String> SPAN_TYPE = AttributeKey.stringKey("mlflow.spanType");
    private static final int MAX_BYTES = 1 << 16;
    private static final String TAG = "mlflow.traceTag.";
    private static final String TRACE_NAME = TAG + "mlflow.traceName";

    void runStarted(Span span, RunInfo run, Optional<String> task) {
        SpanAttributes fields = SpanAttributes.of(span);
        String sample = run.correlation().sample();
        fields.any(TRACE_NAME, sample == null ? run.environment() : run.environment() + " " + sample);
        fields.any(TAG + Names.RUN_ID.getKey(), run.runId());
        fields.any(TAG + Names.ENVIRONMENT.getKey(), run.environment());
        if (!run.model().isEmpty()) {
            fields.any(TAG + Names.MODEL.getKey(), run.model());
        }
        fields.all(TAG, run.tags());
        task.filter(text -> !text.isEmpty())
                .flatMap(text -> Messages.mlflow("user", text, MAX_BYTES))
                .ifPresent(json -> fields.text(INPUTS, json));
    }

    void stepStarted(Span span) {
        span.setAttribute(SPAN_TYPE, "CHAIN");
    }

    /** An action and what came of it, of which each may be missing. */
    void stepEnded(SpanAttributes fields, String actionType, Optional<String> code, Optional<String> output) {
        code.flatMap(text -> Messages.fields(Map.of(actionType.isEmpty() ? "code" : actionType, text), MAX_BYTES))
                .ifPresent(json -> fields.text(INPUTS, json));
        output.flatMap(text -> Messages.fields(Map.of("output", text), MAX_BYTES))
                .ifPresent(json -> fields.text(OUTPUTS, json));
    }

    void runEnded(SpanAttributes fields, RunEnded end, Optional<String> answer) {
        Boolean solved = end.isSolved(null);
        if (solved != null) {
            fields.any(TAG + Names.SOLVED.getKey(), solved.toString());
        }
        fields.any(TAG + Names.OUTCOME.getKey(), end.outcome().label());
        answer.flatMap(text -> Messages.mlflow("assistant", text, MAX_BYTES))
                .ifPresent(json -> fields.text(OUTPUTS, json));
    }
}
