package dev.rlm.recorder;

import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Takes groups of lines and answers each, when the durable sinks have them. Safe for use by several threads. */
final class Recorder {
    private static final Duration ROOM_PATIENCE = Duration.ofSeconds(5);
    private static final String NO_ROOM = "not recorded: the disk does not keep up; send it again";

    private final Sinks sinks;
    private final UnaryOperator<String> redaction;
    private final RecordedRuns runs;
    private final Commits commits;
    private final Counts counts;
    private final LineMemory memory;

    Recorder(
            Sinks sinks,
            UnaryOperator<String> redaction,
            RecordedRuns runs,
            Commits commits,
            Counts counts,
            LineMemory memory) {
        this.sinks = sinks;
        this.redaction = redaction;
        this.runs = runs;
        this.commits = commits;
        this.counts = counts;
        this.memory = memory;
    }

    /**
     * Records the lines; the answers, a line of JSON each, in their order.
     *
     * @param refusalsOnly whether to answer only what was not recorded
     */
    List<String> record(List<RawLine> lines, Client client, boolean refusalsOnly) {
        long losses = commits.losses();
        List<Answer> answers = new ArrayList<>(lines.size());
        boolean room = true;
        for (RawLine line : lines) {
            if (!line.isBlank()) {
                room = room && sinks.awaitRoom(ROOM_PATIENCE); // a group may be larger than all queues
                answers.add(room ? answer(line, client) : refused(line, null, NO_ROOM));
            }
        }
        Commit commit = commits.await(losses);
        List<String> texts = new ArrayList<>(answers.size());
        for (Answer answer : answers) {
            counts.answered(answer, commit);
            if (!refusalsOnly || answer.error() != null || commit.problem() != null) {
                texts.add(answer.json(commit));
            }
        }
        return texts;
    }

    private Answer answer(RawLine line, Client client) {
        byte[] content = line.content();
        if (content == null) {
            return refused(line, null, String.valueOf(memory.tooLong().getMessage()));
        }
        String runId = null;
        try (LineMemory.Share share = memory.share(content.length)) {
            Map<String, Object> object = JsonText.object(content, share);
            runId = object.get("run_id") instanceof String said && said.length() <= Kind.MAX_ID ? said : null;
            RecordedRuns.Recorded recorded = runs.take(Line.read(object, redaction, content.length), client);
            return new Answer(line.number(), recorded.runId(), recorded.seq(), null);
        } catch (RefusedException e) {
            return refused(line, runId, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            return refused(line, runId, "it cannot be recorded: " + e);
        }
    }

    private Answer refused(RawLine line, @Nullable String runId, String why) {
        return new Answer(line.number(), runId, 0, redaction.apply(why));
    }
}
