package dev.rlm.recorder;

import dev.rlm.json.Json;
import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.RewardTotals;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Fills in what a run's end leaves out, as the recording handles do it.
 *
 * @param runPath where its record lies; {@code null} where no sink keeps one
 */
record RunEnding(Solved solved, @Nullable String runPath) {
    /** The line that ends a run of whose end its client does not tell. */
    static Line line(Outcome outcome, String why) {
        JsonNode line = Json.tree(Map.of(
                "type", EventType.RUN_ENDED.label(),
                "outcome", outcome.label(),
                "status", Map.of("code", new RewardTotals().codeOf(outcome), "message", why)));
        return Line.read((ObjectNode) line, new ValueReader(text -> text), 0);
    }

    /** Fills in what the line leaves out; the run's outcome. */
    Outcome fill(Line end, RunInfo run, RewardTotals rewards) {
        boolean failed = end.has("error") || end.has("error_type");
        end.putIfAbsent("outcome", (failed ? Outcome.FAILED : Outcome.COMPLETED).label());
        end.putIfAbsent("truncated", "max_steps".equals(end.get("termination_reason", String.class)));
        Outcome outcome =
                Outcome.valueOf(String.valueOf(end.get("outcome", String.class)).toUpperCase(Locale.ROOT));
        double passReward = Objects.requireNonNullElse(run.passReward(), solved.passReward());
        end.putIfAbsent("solved", outcome != Outcome.ABANDONED && rewards.isSolved(solved.on(), passReward));
        if (!end.has("status")) {
            String message = outcome == Outcome.COMPLETED
                    ? rewards.completion().message()
                    : firstLine(end.get("error", String.class));
            end.put("status", new HashMap<>(Map.of("code", rewards.codeOf(outcome), "message", message)));
        }
        if (runPath == null) {
            end.fields().remove("run_path");
        } else {
            end.put("run_path", runPath);
        }
        return outcome;
    }

    /** Rule by which a run counts as solved: from which reward on, unless the run says, and which reward that is. */
    record Solved(double passReward, PassOn on) {}

    private static String firstLine(@Nullable String text) {
        return text == null ? "" : text.lines().findFirst().orElse("");
    }
}
