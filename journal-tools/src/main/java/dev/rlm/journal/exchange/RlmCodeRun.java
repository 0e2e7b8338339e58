package dev.rlm.journal.exchange;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.Usage;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A run of rlm-code. A step's line has the time at which its action began: before it lies the model's call, from the end of
 * the step before; after it the action's own time, or what there is until the next step where that is not told.
 */
final class RlmCodeRun {
    private static final String TIMESTAMP = "timestamp";
    private static final String SOURCE = "environment";
    private static final double NANOS = 1e9;
    private static final DateTimeFormatter IN_ID =
            DateTimeFormatter.ofPattern("'run_'yyyyMMdd'_'HHmmss'_'SSSSSS", Locale.ROOT);

    private final String runId;
    private final List<JsonObject> steps;
    private final @Nullable JsonObject end;
    private final Origin origin;

    /** From its lines; without an end where its process died. */
    RlmCodeRun(String runId, List<JsonObject> steps, @Nullable JsonObject end, Origin origin) {
        this.runId = runId;
        this.steps = steps;
        this.end = end;
        this.origin = origin;
    }

    /** Refuses a step of which not all can be read. */
    static void check(JsonObject step) throws BadRecordException {
        time(step);
        RlmCodeStep.of(step);
        step.decimal("reward");
        usage(step);
        step.text("task");
        step.text("environment");
        step.text("framework");
        step.text(RunFields.PARENT_RUN);
        step.text("planner_raw");
        step.integer("depth");
    }

    List<RunEvent> events() throws BadRecordException {
        JsonObject first = steps.isEmpty() ? Objects.requireNonNull(end) : steps.get(0);
        Recording recording = new Recording(run(first));
        Instant last = startedAt(time(first));
        for (int i = 0; i < steps.size(); i++) {
            last = step(recording, i, last);
        }
        return end(recording, last);
    }

    private List<RunEvent> end(Recording recording, Instant last) throws BadRecordException {
        if (end == null) {
            return recording.end(last, Outcome.ABANDONED, "its process died", false, null, origin.path());
        }
        boolean completed = Boolean.TRUE.equals(end.flag("completed"));
        boolean cancelled = Boolean.TRUE.equals(end.flag("cancelled"));
        Outcome outcome = cancelled ? Outcome.ABORTED : completed ? Outcome.COMPLETED : Outcome.FAILED;
        String answer = end.text("final_response");
        return recording.end(
                time(end),
                outcome,
                outcome == Outcome.FAILED ? "it did not complete" : "",
                outcome.isOwnEnd() && recording.isSolved(origin.passReward()),
                answer == null ? null : origin.content(answer),
                origin.path());
    }

    private RunInfo run(JsonObject first) throws BadRecordException {
        Map<String, Object> params = new LinkedHashMap<>();
        put(params, "framework", first.text("framework"));
        put(params, "depth", first.integer("depth"));
        String environment = first.text("environment", "");
        return RunInfoBuilder.builder()
                .runId(runId)
                .startedAt(startedAt(time(first)))
                .task(origin.content(first.text("task")))
                .environment(origin.name(environment.isBlank() ? origin.environment() : environment))
                .model("")
                .params(params)
                .correlation(correlation(first))
                .build();
    }

    private static Correlation correlation(JsonObject first) throws BadRecordException {
        String parent = first.text(RunFields.PARENT_RUN);
        return parent == null ? Correlation.NONE : Correlation.NONE.withParentRun(parent);
    }

    private void put(Map<String, Object> params, String name, @Nullable Object value) {
        if (value != null) {
            params.put(name, value instanceof String text ? origin.name(text) : value);
        }
    }

    /** The id tells the start, to the microsecond; a time that comes after the first line's is not it. */
    private Instant startedAt(Instant first) {
        try {
            Instant told = LocalDateTime.parse(runId, IN_ID).toInstant(ZoneOffset.UTC);
            return told.isAfter(first) ? first : told;
        } catch (DateTimeParseException e) {
            return first;
        }
    }

    private Instant step(Recording recording, int index, Instant from) throws BadRecordException {
        JsonObject line = steps.get(index);
        RlmCodeStep step = RlmCodeStep.of(line);
        Instant acted = time(line);
        Instant ended = ended(step, acted, index);
        recording.startStep(from, Content.EMPTY);
        modelCall(recording, line, from, acted);
        if (line.tree().has("reward")) {
            recording.reward(ended, SOURCE, line.decimal("reward"));
        }
        recording.endStep(
                ended,
                origin.name(step.action()),
                origin.content(step.code()),
                origin.content(step.output()),
                step.error() == null ? null : origin.content(step.error()));
        return ended;
    }

    private Instant ended(RlmCodeStep step, Instant acted, int index) throws BadRecordException {
        JsonObject following = index + 1 < steps.size() ? steps.get(index + 1) : end;
        Instant next = following == null ? null : time(following);
        Double seconds = step.seconds();
        Instant ended = seconds == null ? (next == null ? acted : next) : acted.plusNanos((long) (seconds * NANOS));
        return next != null && next.isBefore(ended) && !next.isBefore(acted) ? next : ended;
    }

    /** The prompt was not kept, but for its length and hash. */
    private void modelCall(Recording recording, JsonObject line, Instant from, Instant to) throws BadRecordException {
        String reply = line.text("planner_raw");
        if (reply == null) {
            return;
        }
        Map<String, Object> parameters = new LinkedHashMap<>();
        put(parameters, "prompt_chars", line.number("root_prompt_chars"));
        put(parameters, "prompt_sha256", line.text("root_prompt_sha256"));
        put(parameters, "calls", line.object("usage").number("total_calls"));
        Message message = new Message(Said.ASSISTANT, origin.content(reply), List.of(), null);
        recording.modelCalled(from, to, parameters, List.of(), message, usage(line));
    }

    private static Usage usage(JsonObject line) throws BadRecordException {
        JsonObject usage = line.object("usage");
        return new Usage(usage.number("prompt_tokens"), usage.number("completion_tokens"), null, null);
    }

    private static Instant time(JsonObject line) throws BadRecordException {
        Instant time = Times.time(line.get(TIMESTAMP));
        if (time == null) {
            throw new BadRecordException("a \"" + TIMESTAMP + "\"");
        }
        return time;
    }
}
