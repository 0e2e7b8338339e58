package dev.rlm.recorder;

import dev.rlm.json.Json;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunStatus;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is filled in where a run ends, as the recording handles do it.
 *
 * @param runPath where its record lies; {@code null} where no sink keeps one
 */
record RunEnding(Totals.Solved solved, @Nullable String runPath) {
    /** The line that ends a run of whose end its client does not tell. */
    static Line line(Outcome outcome, String why) {
        int code = outcome == Outcome.ABORTED ? RunStatus.CANCELLED : RunStatus.ABORTED;
        JsonNode line = Json.tree(Map.of(
                "type", EventType.RUN_ENDED.label(),
                "outcome", outcome.label(),
                "status", Map.of("code", code, "message", why)));
        return Line.read((ObjectNode) line, text -> text, 0);
    }

    /** What does not depend on rewards. */
    void fill(Line end) {
        boolean failed = end.has("error") || end.has("error_type");
        end.putIfAbsent("outcome", (failed ? Outcome.FAILED : Outcome.COMPLETED).label());
        end.putIfAbsent("truncated", "max_steps".equals(end.get("termination_reason", String.class)));
        if (runPath == null) {
            end.fields().remove("run_path");
        } else {
            end.put("run_path", runPath);
        }
    }

    void fillStatus(Line end, Totals rewards) {
        end.putIfAbsent("solved", outcome(end) != Outcome.ABANDONED && rewards.isSolved(solved));
        if (!end.has("status")) {
            RunStatus status = status(outcome(end), end.get("error", String.class), rewards.absent() > 0);
            end.put("status", new HashMap<>(Map.of("code", status.code(), "message", status.message())));
        }
    }

    private static Outcome outcome(Line end) {
        return Outcome.valueOf(String.valueOf(end.get("outcome", String.class)).toUpperCase(Locale.ROOT));
    }

    private static RunStatus status(Outcome outcome, @Nullable String error, boolean absent) {
        return switch (outcome) {
            case COMPLETED ->
                absent
                        ? RunStatus.of(RunStatus.SCORE_INVALID, "a reward could not be computed")
                        : RunStatus.of(RunStatus.FINISHED, "");
            case FAILED -> RunStatus.of(RunStatus.INTERNAL, firstLine(error));
            case ABORTED -> RunStatus.of(RunStatus.CANCELLED, firstLine(error));
            case ABANDONED -> RunStatus.of(RunStatus.ABORTED, firstLine(error));
        };
    }

    private static String firstLine(@Nullable String text) {
        return text == null ? "" : text.lines().findFirst().orElse("");
    }
}
