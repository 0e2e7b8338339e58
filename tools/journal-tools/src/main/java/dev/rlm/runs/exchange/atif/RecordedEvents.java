package dev.rlm.runs.exchange.atif;

import dev.rlm.journal.EventFields;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.schema.RunAssembler;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Events of a run in the form of the journal's lines, from a document. */
final class RecordedEvents {
    private RecordedEvents() {}

    /**
     * Reads events; a run without an end is abandoned.
     *
     * @param path the place of the run's record; {@code null} if no record is kept
     * @throws RuntimeException if they are not as they should be
     */
    @SuppressWarnings("unchecked") // of an object, Jackson makes a map
    static List<RunEvent> read(JsonNode lines, @Nullable String path) {
        List<RunEvent> events = new ArrayList<>();
        Map<Long, StepStarted> open = new HashMap<>(); // by their numbers
        RunInfo run = null;
        for (JsonNode line : lines) {
            Map<String, Object> fields = (Map<String, Object>) Json.values(line);
            if (fields == null) {
                throw new IllegalArgumentException("null");
            }
            run = run == null ? EventFields.run(fields) : run;
            StepStarted start = open.remove(line.path("start_seq").asLong(0));
            RunEvent event = start == null ? EventFields.event(run, fields) : EventFields.stepEnded(start, fields);
            if (!line.path("run_id").asString("").equals(run.runId())) {
                throw new IllegalArgumentException("several runs");
            } else if (event instanceof StepStarted started) {
                open.put(started.seq(), started);
            }
            events.add(
                    event instanceof RunEnded end
                            ? RunEndedBuilder.builder(end).runPath(path).build()
                            : event);
        }
        if (events.isEmpty()) {
            throw new IllegalArgumentException("none");
        }
        if (events.stream().noneMatch(RunEnded.class::isInstance)) {
            RunAssembler known = new RunAssembler();
            events.forEach(known::add);
            events.add(known.abandoned().run(events.get(0).run()).runPath(path).build());
        }
        return events;
    }
}
