package dev.rlm.journal;

import dev.rlm.journal.format.EventWriter;
import dev.rlm.journal.format.JournalTime;
import dev.rlm.journal.format.JsonLine;
import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoField;

/** Events and summaries as JSON, with the names that the journal's files use. */
public final class JournalJson {
    private static final int NANOS_A_SECOND = 1_000_000_000;

    private JournalJson() {}

    /** The event as it stands in the journal: an object on one line. */
    public static String event(Event event) {
        return JsonLine.text(json -> EventWriter.write(event, json));
    }

    /** Appends the event as it stands in the journal: an object on one line, and a line feed. */
    public static void append(Event event, LineBuffer lines) {
        JsonLine.append(lines, json -> EventWriter.write(event, json));
    }

    /** The time as it stands in the journal: in UTC, with nine digits. */
    public static String time(Instant time) {
        return JournalTime.second(time)
                + Integer.toString(NANOS_A_SECOND + time.get(ChronoField.NANO_OF_SECOND))
                        .substring(1)
                + 'Z';
    }

    /** The run in short: an object on one line. */
    public static String summary(RunSummary summary) {
        return JsonLine.text(json -> summary(summary, json));
    }

    private static void summary(RunSummary summary, JsonLine line) {
        RunInfo run = summary.run();
        RunEnded end = summary.row().end();
        Duration length = summary.duration();
        line.put("run_id", run.runId())
                .put("state", summary.state().label())
                .put("solved", end == null ? null : summary.verdict().solved())
                .put("undecided", summary.verdict() == Verdict.UNDECIDED)
                .put("started_at", run.startedAt())
                .put("finished_at", end == null || length == null ? null : end.time())
                .put("duration_nanos", length == null ? null : (Object) length.toNanos())
                .put("task", run.task())
                .put("environment", run.environment())
                .put("model", run.model())
                .put("agent", run.agent())
                .put("agent_version", run.agentVersion())
                .put("expected_answer", run.expectedAnswer())
                .put("params", run.params())
                .put("tags", run.tags())
                .put("steps", summary.steps())
                .put("total_reward", summary.totalReward())
                .put("absent_rewards", summary.rewards().absent())
                .put("late_rewards", summary.rewards().late())
                .put("status", end == null ? null : EventWriter.plain(end.status()))
                .put("failure", summary.failure())
                .put("folders", summary.folders());
        EventWriter.record(run.correlation(), line);
    }
}
