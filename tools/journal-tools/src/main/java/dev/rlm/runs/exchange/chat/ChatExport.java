package dev.rlm.runs.exchange.chat;

import dev.rlm.cli.recorded.Marks;
import dev.rlm.journal.JournalJson;
import dev.rlm.journal.RunSummary;
import dev.rlm.runs.exchange.output.Export;
import dev.rlm.runs.exchange.output.ExportFormat;
import dev.rlm.runs.exchange.output.ExportStream;
import dev.rlm.runs.exchange.transcript.ChatMessage;
import dev.rlm.runs.exchange.transcript.RunFields;
import dev.rlm.runs.exchange.transcript.Transcript;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs as chats, one JSON object a run and line: what {@link ChatReader} reads. */
public final class ChatExport implements ExportFormat {
    @Override
    public String name() {
        return "chat";
    }

    @Override
    public void write(Export export) throws IOException {
        ExportStream out = export.open("");
        export.each((run, events) -> {
            out.line(line(run, events));
            export.written(1, 1);
        });
    }

    public static Map<String, @Nullable Object> line(RunSummary summary, List<RunEvent> events) {
        RunInfo run = RunFields.run(summary, events);
        RunEnded end = RunFields.end(summary, events);
        List<ChatMessage> said = new Transcript(run, events).messages();
        Map<String, @Nullable Object> line = RunFields.ids(run);
        line.put("model", run.model());
        line.put("environment", run.environment());
        RunFields.result(summary, line);
        line.put("task", run.task());
        line.put("messages", said.stream().map(ChatMessage::toJson).toList());
        line.put("final_answer", end == null ? null : end.finalAnswer());
        if (end != null && end.outcome() == Outcome.FAILED) {
            line.put("error", end.status().message());
        }
        line.put("started_at", JournalJson.time(run.startedAt()));
        if (summary.duration() != null) {
            line.put("finished_at", JournalJson.time(run.startedAt().plus(summary.duration())));
        }
        if (summary.hasTimesWithin()) {
            line.put(
                    "timestamps",
                    said.stream().map(ChatMessage::time).map(JournalJson::time).toList());
        }
        putIfKnown(line, "agent", run.agent());
        putIfKnown(line, "agent_version", run.agentVersion());
        putIfKnown(line, "expected_answer", run.expectedAnswer());
        putIfKnown(line, "seed", run.seed());
        putIfKnown(line, "max_steps", run.maxSteps() == 0 ? null : run.maxSteps());
        RunFields.OTHERS.forEach(field -> putIfKnown(line, field.name(), field.get(run.correlation())));
        Marks marks = Marks.of(said.stream().map(ChatMessage::message));
        putIfKnown(line, "redacted", marks.redacted() ? true : null);
        putIfKnown(line, "truncated", marks.cut() ? true : null);
        line.put("tags", run.tags());
        line.put("metadata", run.params());
        return line;
    }

    private static void putIfKnown(Map<String, @Nullable Object> line, String name, @Nullable Object value) {
        if (value != null) {
            line.put(name, value);
        }
    }
}
