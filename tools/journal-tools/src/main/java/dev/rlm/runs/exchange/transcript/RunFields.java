package dev.rlm.runs.exchange.transcript;

import dev.rlm.journal.RunSummary;
import dev.rlm.journal.index.EventRow;
import dev.rlm.runs.exchange.input.BadRecordException;
import dev.rlm.runs.exchange.input.JsonObject;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.EventField;
import dev.rlm.sinks.schema.RecordSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Fields that all exported forms have of a run, by their names. */
public final class RunFields {
    public static final String RUN_ID = "run_id";
    public static final String SAMPLE = "sample_id";
    public static final String TRIAL = "trial";
    public static final String ROLLOUT = "rollout_id";
    public static final String ATTEMPT = "attempt";
    public static final String PARENT_RUN = "parent_run_id";

    private static final String TRAJECTORY_INDEX = "trajectory_index";
    private static final Set<String> MAIN = Set.of(SAMPLE, TRAJECTORY_INDEX, ROLLOUT, ATTEMPT);
    private static final RecordSchema CORRELATION = RecordSchema.of(Correlation.class);

    /** The other ids, which are declared. */
    public static final List<EventField> OTHERS = CORRELATION.fields().stream()
            .filter(field -> !MAIN.contains(field.name()))
            .toList();

    private RunFields() {}

    /** The ids that nearly every run has, and those that tell its group. */
    public static Map<String, @Nullable Object> ids(RunInfo run) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        Correlation ids = run.correlation();
        fields.put(RUN_ID, run.runId());
        fields.put(SAMPLE, ids.sample());
        fields.put(TRIAL, ids.trajectoryIndex());
        fields.put(ROLLOUT, ids.rollout());
        fields.put(ATTEMPT, ids.attempt());
        return fields;
    }

    /** Returns what the events tell of their run: its texts, too. */
    public static RunInfo run(RunSummary run, List<RunEvent> events) {
        return events.isEmpty() ? run.row().run() : events.get(0).run();
    }

    /** Returns the run's end with its texts. */
    public static @Nullable RunEnded end(RunSummary run, List<RunEvent> events) {
        RunEnded known = run.row().end();
        return events.stream()
                .filter(event -> event instanceof RunEnded end && known != null && end.seq() == known.seq())
                .map(RunEnded.class::cast)
                .findFirst()
                .orElse(known);
    }

    /** Adds what came of the run. */
    public static void result(RunSummary run, Map<String, @Nullable Object> fields) {
        fields.put("reward", reward(run));
        fields.put("solved", run.row().end() == null ? null : run.verdict().solved());
        fields.put("outcome", run.state().label());
    }

    /**
     * The run's total reward, late ones included; {@code null} where it has none, means may not use it, or one of its rewards is
     * infinite: what is left without that is not what it was given.
     */
    public static @Nullable Double reward(RunSummary run) {
        RunEnded end = run.row().end();
        Double usable = end != null && end.outcome().isOwnEnd() ? run.rewards().usable() : null;
        return usable == null || hasInfinite(run) ? null : usable;
    }

    private static boolean hasInfinite(RunSummary run) {
        return run.eventRows().stream()
                .anyMatch(row -> row instanceof EventRow.Reward reward
                        && !reward.isOpinion()
                        && Double.isInfinite(reward.value()));
    }

    /** Returns whether the run was ever given a reward. */
    public static boolean isRewarded(RunSummary run) {
        return run.rewards().total() != null;
    }

    /** Reads these ids from an imported record. */
    public static Correlation read(JsonObject object) throws BadRecordException {
        @Nullable Object[] values = new Object[CORRELATION.components().size()];
        for (int i = 0; i < values.length; i++) {
            EventField field = CORRELATION.components().get(i);
            Object trial = field.name().equals(TRAJECTORY_INDEX) ? value(object, field, TRIAL) : null;
            values[i] = trial == null ? value(object, field, field.name()) : trial;
        }
        return (Correlation) CORRELATION.make(values);
    }

    private static @Nullable Object value(JsonObject object, EventField field, String name) throws BadRecordException {
        return switch (field.kind()) {
            case COUNT -> object.integer(name);
            case WHOLE -> object.number(name);
            default -> object.text(name);
        };
    }
}
