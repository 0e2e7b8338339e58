package dev.rlm.sinks.otel.settings;

import dev.rlm.sinks.otel.mapping.GenAi;
import dev.rlm.sinks.otel.mapping.Names;
import dev.rlm.sinks.otel.mapping.TextLimits;
import dev.rlm.sinks.otel.spans.SpanScore;
import io.opentelemetry.api.common.AttributeKey;
import java.io.StringWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A vendor's own interface for rewards: its address, how many go in one request, and their form in JSON. */
public enum ScoreApi {
    /** Annotations of spans. With {@code sync} a span that is not there yet is told by a 404; the same id again is a change. */
    PHOENIX("/v1/span_annotations?sync=true", 100) {
        @Override
        void write(JsonGenerator out, List<SpanScore> scores) {
            out.writeStartObject();
            out.writeArrayPropertyStart("data");
            scores.forEach(score -> annotation(out, score));
            out.writeEndArray();
            out.writeEndObject();
        }

        private void annotation(JsonGenerator out, SpanScore score) {
            out.writeStartObject();
            out.writeStringProperty("span_id", score.spanId());
            out.writeStringProperty("name", score.name());
            out.writeStringProperty("identifier", score.id());
            out.writeStringProperty("annotator_kind", annotator(score.kind()));
            out.writeObjectPropertyStart("result");
            Double value = score.value();
            if (value != null) {
                out.writeNumberProperty("score", value);
            }
            text(out, "label", score.label());
            text(out, "explanation", score.explanation());
            out.writeEndObject();
            metadata(out, score);
            out.writeEndObject();
        }

        private static String annotator(String kind) {
            return switch (kind) {
                case "model" -> "LLM";
                case "person" -> "HUMAN";
                default -> "CODE";
            };
        }
    },

    /** Scores, of which each has a request of its own; the same id again is a change. */
    LANGFUSE("/api/public/scores", 1) {
        @Override
        void write(JsonGenerator out, List<SpanScore> scores) {
            SpanScore score = scores.get(0);
            out.writeStartObject();
            out.writeStringProperty("id", score.id());
            out.writeStringProperty("traceId", score.traceId());
            if (!score.onTrace()) {
                out.writeStringProperty("observationId", score.spanId());
            }
            out.writeStringProperty("name", score.name());
            Double value = score.value();
            if (value != null) {
                out.writeNumberProperty("value", value);
                out.writeStringProperty("dataType", "NUMERIC");
            } else {
                text(out, "value", score.label());
                out.writeStringProperty("dataType", "CATEGORICAL");
            }
            text(out, "comment", score.explanation());
            metadata(out, score);
            out.writeEndObject();
        }
    };

    private static final JsonFactory JSON = new JsonFactory();

    private final String path;
    private final int batch;

    /** @param batch how many rewards a request may have */
    ScoreApi(String path, int batch) {
        this.path = path;
        this.batch = batch;
    }

    public String path() {
        return path;
    }

    public int batch() {
        return batch;
    }

    /** Returns the body of the request for those rewards. */
    public String body(List<SpanScore> scores) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            write(out, scores);
        }
        return text.toString();
    }

    abstract void write(JsonGenerator out, List<SpanScore> scores);

    private static void text(JsonGenerator out, String name, @Nullable String text) {
        if (text != null) {
            out.writeStringProperty(name, storable(text));
        }
    }

    /** The text without the one character that PostgreSQL, where vendors keep it, refuses. */
    private static String storable(String text) {
        return text.replace('\u0000', '\uFFFD');
    }

    /** Writes the facts for which the vendor has no field, under the names that they have on spans. */
    private static void metadata(JsonGenerator out, SpanScore score) {
        out.writeObjectPropertyStart("metadata");
        text(out, Names.RUN_ID.getKey(), TextLimits.name(score.runId()));
        if (score.step() > 0) {
            out.writeNumberProperty(Names.STEP.getKey(), score.step());
        }
        score.facts().forEach((key, value) -> fact(out, key, value));
        out.writeEndObject();
    }

    private static void fact(JsonGenerator out, AttributeKey<?> key, Object value) {
        if (key.equals(GenAi.EVALUATION_NAME)
                || key.equals(GenAi.EVALUATION_LABEL)
                || key.getKey().startsWith(Names.PREFIX)) {
            out.writeName(storable(key.getKey()));
            if (value instanceof Double number) {
                out.writeNumber(number);
            } else if (value instanceof Boolean flag) {
                out.writeBoolean(flag);
            } else {
                out.writeString(storable(value.toString()));
            }
        }
    }
}
