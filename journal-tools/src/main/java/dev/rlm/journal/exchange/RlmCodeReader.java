package dev.rlm.journal.exchange;

import dev.rlm.sinks.event.RunEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads the run files of rlm-code: a line a step, and one for the end. The lines of several runs may lie in one file, also
 * between each other. A run without an end was abandoned.
 */
final class RlmCodeReader implements RunReader {
    private static final String TYPE = "type";

    private static final Set<String> FIELDS = Set.of(
            TYPE,
            RunFields.RUN_ID,
            RunFields.PARENT_RUN,
            "action",
            "cancelled",
            "completed",
            "depth",
            "environment",
            "final_response",
            "framework",
            "observation",
            "planner_raw",
            "reward",
            "root_prompt_chars",
            "root_prompt_sha256",
            "step",
            "steps",
            "task",
            "timestamp",
            "total_reward",
            "usage");

    private final Origin origin;
    private final Map<String, List<JsonObject>> open = new LinkedHashMap<>();

    RlmCodeReader(Origin origin) {
        this.origin = origin;
    }

    @Override
    public void line(JsonObject line, Consumer<List<RunEvent>> runs) throws BadRecordException {
        String type = line.text(TYPE, "");
        String runId = line.text(RunFields.RUN_ID, "");
        if (runId.isBlank() || !(type.equals("step") || type.equals("final"))) {
            throw new BadRecordException("a \"type\" of step or final, and a \"run_id\"");
        } else if (type.equals("step")) {
            RlmCodeRun.check(line);
            open.computeIfAbsent(runId, id -> new ArrayList<>()).add(line);
        } else {
            List<JsonObject> steps = open.getOrDefault(runId, List.of());
            List<RunEvent> run = new RlmCodeRun(runId, steps, line, origin).events();
            open.remove(runId);
            runs.accept(run);
        }
    }

    @Override
    public Set<String> unknownFields(JsonObject line) {
        Set<String> unknown = new LinkedHashSet<>();
        JsonObject.unknown(line.tree(), FIELDS, "", unknown);
        return unknown;
    }

    @Override
    public void end(Consumer<List<RunEvent>> runs) {
        open.forEach((runId, steps) -> {
            try {
                runs.accept(new RlmCodeRun(runId, steps, null, origin).events());
            } catch (BadRecordException e) {
                throw new IllegalStateException("its lines have been checked", e);
            }
        });
        open.clear();
    }
}
