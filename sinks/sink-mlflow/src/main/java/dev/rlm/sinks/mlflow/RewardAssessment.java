package dev.rlm.sinks.mlflow;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.otel.mapping.ContentCapture;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A reward in the form of MLflow's assessments. */
final class RewardAssessment {
    private static final int NAME = 250; // characters
    private static final int LINE = 200;
    private static final int HASH_LENGTH = 32;

    private RewardAssessment() {}

    /** An id of our own, by which a second sending is refused. */
    static String id(RewardGiven reward) {
        return "rlm-" + hash(reward.run().runId() + " " + reward.seq());
    }

    /** Returns 32 hexadecimal digits, the same in every process. */
    static String hash(String text) {
        return Content.redacted(text).sha256().substring(0, HASH_LENGTH);
    }

    /** @param capture how much to say of why it is absent */
    static Map<String, Object> of(RewardGiven reward, ContentCapture capture) {
        Map<String, Object> source = new LinkedHashMap<>();
        source.put("source_type", sourceType(reward.kind()));
        source.put("source_id", name(reward.source()));
        String time = reward.time().toString();
        Map<String, Object> assessment = new LinkedHashMap<>();
        assessment.put("assessment_id", id(reward));
        assessment.put("assessment_name", "reward");
        assessment.put("source", source);
        assessment.put("feedback", value(reward, capture));
        if (reward.explanation() != null && capture != ContentCapture.NONE) {
            assessment.put("rationale", said(reward.explanation().text(), capture));
        }
        assessment.put("metadata", metadata(reward));
        assessment.put("create_time", time); // last: what MLflow cannot read it leaves out, with all that follows
        assessment.put("last_update_time", time);
        return assessment;
    }

    private static String sourceType(RewardGiven.@Nullable Kind kind) {
        return kind == RewardGiven.Kind.MODEL ? "LLM_JUDGE" : kind == RewardGiven.Kind.PERSON ? "HUMAN" : "CODE";
    }

    private static Map<String, Object> value(RewardGiven reward, ContentCapture capture) {
        String why = reward.absence();
        return why == null
                ? Map.of("value", reward.value())
                : Map.of("error", Map.of("error_code", "ABSENT", "error_message", said(why, capture)));
    }

    private static String said(String why, ContentCapture capture) {
        return switch (capture) {
            case NONE -> "";
            case HASH -> capture.error(Content.redacted(why));
            case PREVIEW, FULL -> cut(why, LINE);
        };
    }

    private static Map<String, String> metadata(RewardGiven reward) {
        Map<String, String> metadata = new LinkedHashMap<>();
        metadata.put("rlm.run_id", name(reward.run().runId()));
        metadata.put("rlm.scope", reward.step() == RunEvent.NO_STEP ? "run" : "step");
        if (reward.step() != RunEvent.NO_STEP) {
            metadata.put("rlm.step", Integer.toString(reward.step()));
        }
        put(metadata, "rlm.reward.label", reward.label());
        put(metadata, "rlm.reward.min", reward.min());
        put(metadata, "rlm.reward.max", reward.max());
        if (reward.isOutOfRange()) {
            metadata.put("rlm.reward.out_of_range", "true");
        }
        for (RewardComponent component : reward.components()) {
            String part = name(component.name());
            metadata.put("rlm.reward.component." + part, Double.toString(component.value()));
            metadata.put("rlm.reward.weight." + part, Double.toString(component.weight()));
            if (component.unit() != null) {
                metadata.put("rlm.reward.unit." + part, name(component.unit()));
            }
        }
        return metadata;
    }

    private static void put(Map<String, String> metadata, String name, @Nullable Object value) {
        if (value != null) {
            metadata.put(name, name(value.toString()));
        }
    }

    private static String name(String text) {
        return cut(text, NAME);
    }

    /** As MLflow keeps it: its parser drops a field with half a character, its databases refuse zeros. */
    private static String cut(String text, int characters) {
        String clean = Content.wellFormed(text).replace('\u0000', '\uFFFD');
        return clean.codePointCount(0, clean.length()) <= characters
                ? clean
                : clean.substring(0, clean.offsetByCodePoints(0, characters));
    }

    /** Those that traces have, by what the server tells of these. */
    static Set<String> ids(JsonNode answer) {
        return Json.elements(answer.path("trace_infos")).stream()
                .flatMap(trace -> Json.elements(trace.path("assessments")).stream())
                .map(assessment -> assessment.path("assessment_id").asString(""))
                .collect(Collectors.toSet());
    }
}
