package dev.rlm.journal.exchange;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs as chats, one JSON object a run and line: what {@link ChatReader} reads. */
final class ChatExport implements RunForm {
    private final JsonLines lines;
    private final Exported exported;

    ChatExport(OutputStream out, Exported exported) {
        this.lines = new JsonLines(out);
        this.exported = exported;
    }

    @Override
    public void write(RunSummary run, List<RunEvent> events) throws IOException {
        lines.write(line(run, Transcript.of(run.run(), events)));
        exported.run(1);
    }

    private static Map<String, @Nullable Object> line(RunSummary summary, List<Said> said) {
        RunInfo run = summary.run();
        RunEnded end = summary.end();
        Map<String, @Nullable Object> line = RunFields.main(run);
        line.put("model", run.model());
        line.put("environment", run.environment());
        line.put("reward", Exported.reward(summary));
        line.put("solved", Exported.solved(summary));
        line.put("outcome", summary.state().label());
        line.put("task", run.task());
        line.put("messages", said.stream().map(Said::toJson).toList());
        line.put("final_answer", end == null ? null : end.finalAnswer());
        if (end != null && end.outcome() == Outcome.FAILED) {
            line.put("error", end.status().message());
        }
        line.put("started_at", run.startedAt());
        if (summary.duration() != null) {
            line.put("finished_at", run.startedAt().plus(summary.duration()));
        }
        if (summary.hasTimesWithin()) {
            line.put("timestamps", said.stream().map(Said::time).toList());
        }
        putIfKnown(line, "agent", run.agent());
        putIfKnown(line, "agent_version", run.agentVersion());
        putIfKnown(line, "expected_answer", run.expectedAnswer());
        putIfKnown(line, "seed", run.seed());
        putIfKnown(line, "max_steps", run.maxSteps() == 0 ? null : run.maxSteps());
        RunFields.others(run.correlation(), (name, value) -> putIfKnown(line, name, value));
        marks(line, said);
        line.put("tags", run.tags());
        line.put("metadata", run.params());
        return line;
    }

    private static void marks(Map<String, @Nullable Object> line, List<Said> said) {
        if (said.stream().anyMatch(one -> Said.isRedacted(one.message()))) {
            line.put("redacted", true);
        }
        if (said.stream().anyMatch(one -> Said.isCut(one.message()))) {
            line.put("truncated", true);
        }
    }

    private static void putIfKnown(Map<String, @Nullable Object> line, String name, @Nullable Object value) {
        if (value != null) {
            line.put(name, value);
        }
    }

    @Override
    public void close() {}
}
