package dev.rlm.runs.exchange.agents;

import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.ImportDefaults;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.RunReader;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.sinks.event.RunEvent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Reads the run files of rlm-code: a line a step, and one for the end. The lines of several runs may lie in one file, also
 * between each other. A run without an end was abandoned.
 */
public final class RlmCodeReader implements RunReader {
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

    private final ImportDefaults defaults;
    private final Map<String, RlmCodeRun> open = new LinkedHashMap<>();

    public RlmCodeReader(ImportDefaults defaults) {
        this.defaults = defaults;
    }

    @Override
    public void line(JsonObject line, Consumer<List<RunEvent>> runs) throws BadRecordException {
        String type = line.text(TYPE, "");
        String runId = line.text(RunFields.RUN_ID, "");
        if (runId.isBlank() || !(type.equals("step") || type.equals("final"))) {
            throw new BadRecordException("a \"type\" of step or final, and a \"run_id\"");
        }
        RlmCodeRun run = open.getOrDefault(runId, new RlmCodeRun(runId, line, defaults)); // which checks every line
        if (type.equals("step")) {
            run.step(line);
            open.put(runId, run);
        } else {
            List<RunEvent> events = run.end(line);
            open.remove(runId);
            runs.accept(events);
        }
    }

    @Override
    public void unknownFields(JsonObject line, Consumer<String> fields) {
        JsonObject.unknown(line.tree(), FIELDS, "", fields);
    }

    @Override
    public void end(Consumer<List<RunEvent>> runs) {
        open.values().forEach(run -> runs.accept(run.abandoned()));
        open.clear();
    }
}
