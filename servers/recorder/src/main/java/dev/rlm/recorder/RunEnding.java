package dev.rlm.recorder;

import dev.rlm.sinks.RunSpec.PassOn;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.schema.RunAssembler;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Fills in what a run's end leaves out, as the recording handles do it.
 *
 * @param runPath where its record lies; {@code null} where no sink keeps one
 */
record RunEnding(Solved solved, @Nullable String runPath) {
    /** The end of a run of whose end its client does not tell. */
    RunEnded end(RunInfo info, RunAssembler run, long nanos, Outcome outcome, String why) {
        return run.end(nanos, outcome, why)
                .run(info)
                .solved(isSolved(info, run, outcome))
                .runPath(runPath)
                .build();
    }

    private boolean isSolved(RunInfo info, RunAssembler run, Outcome outcome) {
        return run.isSolved(outcome, solved.on(), Objects.requireNonNullElse(info.passReward(), solved.passReward()));
    }

    /** Fills in what the line leaves out; the run's outcome. */
    Outcome fill(Line end, RunInfo info, RunAssembler run) {
        boolean failed = end.has("error") || end.has("error_type");
        end.putIfAbsent("outcome", (failed ? Outcome.FAILED : Outcome.COMPLETED).label());
        end.putIfAbsent("truncated", "max_steps".equals(end.get("termination_reason", String.class)));
        Outcome outcome =
                Outcome.valueOf(String.valueOf(end.get("outcome", String.class)).toUpperCase(Locale.ROOT));
        end.putIfAbsent("solved", isSolved(info, run, outcome));
        if (!end.has("status")) {
            String message = outcome == Outcome.COMPLETED ? "" : firstLine(end.get("error", String.class));
            RunStatus status = run.rewards().statusOf(outcome, message);
            end.put("status", new HashMap<>(Map.of("code", status.code(), "message", status.message())));
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
