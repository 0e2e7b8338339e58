package dev.rlm.sinks.otel;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;

/**
 * The attributes of {@code rlm.run} and {@code rlm.step} that only MLflow reads: for its columns of names, requests and
 * responses, and for the tags that its list is searched by. As seen with MLflow 3.17.
 */
final class MlflowColumns {
    /** The header without which MLflow takes no spans, and by which it is recognised. */
    static final String EXPERIMENT_HEADER = "x-mlflow-experiment-id";

    private static final AttributeKey<String> INPUTS = AttributeKey.stringKey("mlflow.spanInputs");
    private static final AttributeKey<String> OUTPUTS = AttributeKey.stringKey("mlflow.spanOutputs");
    private static final AttributeKey<String> SPAN_TYPE = AttributeKey.stringKey("mlflow.spanType");
    private static final int MAX_BYTES = 1 << 16;
    private static final String TAG = "mlflow.traceTag.";
    private static final String TRACE_NAME = TAG + "mlflow.traceName";

    private final ContentCapture capture;

    MlflowColumns(ContentCapture capture) {
        this.capture = capture;
    }

    void runStarted(Span span, RunInfo run) {
        SpanFields fields = SpanFields.of(span);
        String sample = run.correlation().sample();
        fields.any(TRACE_NAME, sample == null ? run.environment() : run.environment() + " " + sample);
        fields.any(TAG + Names.RUN_ID.getKey(), run.runId());
        fields.any(TAG + Names.ENVIRONMENT.getKey(), run.environment());
        if (!run.model().isEmpty()) {
            fields.any(TAG + Names.MODEL.getKey(), run.model());
        }
        fields.all(TAG, run.tags());
        capture.of(run.task(), RunMapping.TASK_CHARACTERS)
                .filter(task -> !task.isEmpty())
                .flatMap(task -> Messages.mlflow("user", task, MAX_BYTES))
                .ifPresent(json -> fields.text(INPUTS, json));
    }

    void stepStarted(Span span) {
        span.setAttribute(SPAN_TYPE, "CHAIN");
    }

    void runEnded(Span span, RunEnded end) {
        SpanFields fields = SpanFields.of(span);
        fields.any(TAG + Names.SOLVED.getKey(), Boolean.toString(end.solved()));
        fields.any(TAG + Names.OUTCOME.getKey(), end.outcome().label());
        if (end.finalAnswer() != null) {
            capture.of(end.finalAnswer(), RunMapping.TEXT_CHARACTERS)
                    .filter(answer -> !answer.isEmpty())
                    .flatMap(answer -> Messages.mlflow("assistant", answer, MAX_BYTES))
                    .ifPresent(json -> fields.text(OUTPUTS, json));
        }
    }
}
