package dev.rlm.recorder;

import dev.rlm.json.Json;
import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.schema.RewardTotals;
import dev.rlm.sinks.schema.RunAssembler;
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
                "status", values(new RewardTotals().statusOf(outcome, why))));
        return Line.read((ObjectNode) line, new ValueReader(text -> text), 0);
    }

    /** Fills in what the line leaves out; the run's outcome. */
    Outcome fill(Line end, RunInfo info, RunAssembler run) {
        boolean failed = end.has("error") || end.has("error_type");
        end.putIfAbsent("outcome", (failed ? Outcome.FAILED : Outcome.COMPLETED).label());
        end.putIfAbsent("truncated", "max_steps".equals(end.get("termination_reason", String.class)));
        Outcome outcome =
                Outcome.valueOf(String.valueOf(end.get("outcome", String.class)).toUpperCase(Locale.ROOT));
        double passReward = Objects.requireNonNullElse(info.passReward(), solved.passReward());
        end.putIfAbsent("solved", run.isSolved(outcome, solved.on(), passReward));
        if (!end.has("status")) {
            String message = outcome == Outcome.COMPLETED ? "" : firstLine(end.get("error", String.class));
            end.put("status", values(run.rewards().statusOf(outcome, message)));
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

    private static Map<String, Object> values(RunStatus status) {
        return new HashMap<>(Map.of("code", status.code(), "message", status.message()));
    }

    private static String firstLine(@Nullable String text) {
        return text == null ? "" : text.lines().findFirst().orElse("");
    }
}
