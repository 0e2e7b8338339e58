package dev.rlm.runs.exchange.agents;

import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.ImportDefaults;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.runs.exchange.input.Recording;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A run of rlm-code, line by line. A step's line has the time at which its action began: before it lies the model's call,
 * from the end of the step before; after it the action's own time, or what there is until the next step where that is not
 * told. So a step is recorded when the next line has come.
 */
final class RlmCodeRun {
    private static final DateTimeFormatter IN_ID =
            DateTimeFormatter.ofPattern("'run_'yyyyMMdd'_'HHmmss'_'SSSSSS", Locale.ROOT);

    private final ImportDefaults defaults;
    private final Recording recording;
    private Instant last; // when what is recorded ended
    private @Nullable RlmCodeStep step; // not recorded yet

    /** From its first line. */
    RlmCodeRun(String runId, JsonObject first, ImportDefaults defaults) throws BadRecordException {
        this.defaults = defaults;
        last = startedAt(runId, RlmCodeStep.time(first));
        recording = new Recording(run(runId, first));
    }

    private RunInfo run(String runId, JsonObject first) throws BadRecordException {
        String parent = first.text(RunFields.PARENT_RUN);
        return RunInfoBuilder.builder()
                .runId(runId)
                .startedAt(last)
                .task(defaults.content(first.text("task")))
                .environment(defaults.environment(first))
                .model("")
                .passReward(defaults.passReward())
                .params(defaults.known("framework", first.text("framework"), "depth", first.integer("depth")))
                .correlation(parent == null ? Correlation.NONE : Correlation.NONE.withParentRun(parent))
                .build();
    }

    /** The id tells the start, to the microsecond; a time that comes after the first line's is not it. */
    private static Instant startedAt(String runId, Instant first) {
        try {
            Instant told = LocalDateTime.parse(runId, IN_ID).toInstant(ZoneOffset.UTC);
            return told.isAfter(first) ? first : told;
        } catch (DateTimeParseException e) {
            return first;
        }
    }

    /** The line of the next step. */
    void step(JsonObject line) throws BadRecordException {
        RlmCodeStep next = RlmCodeStep.of(line, defaults);
        recordStep(next.acted());
        step = next;
    }

    /** The line of the end. */
    List<RunEvent> end(JsonObject line) throws BadRecordException {
        Instant time = RlmCodeStep.time(line);
        boolean completed = Boolean.TRUE.equals(line.flag("completed"));
        boolean cancelled = Boolean.TRUE.equals(line.flag("cancelled"));
        Outcome outcome = cancelled ? Outcome.ABORTED : completed ? Outcome.COMPLETED : Outcome.FAILED;
        String answer = line.text("final_response");
        recordStep(time);
        String message = outcome == Outcome.FAILED ? "it did not complete" : "";
        return recording.end(
                time,
                outcome,
                message,
                defaults,
                end -> end.finalAnswer(answer == null ? null : defaults.content(answer)));
    }

    /** No line came: its process died. */
    List<RunEvent> abandoned() {
        recordStep(null);
        return recording.end(last, Outcome.ABANDONED, "", defaults, end -> {});
    }

    private void recordStep(@Nullable Instant next) {
        if (step != null) {
            recording.startStep(last, Content.EMPTY);
            last = step.record(recording, last, next);
            step = null;
        }
    }
}
