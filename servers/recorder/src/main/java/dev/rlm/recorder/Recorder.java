package dev.rlm.recorder;

import dev.rlm.cli.Commits;
import dev.rlm.recorder.LineRefusedException.Reason;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Takes groups of lines and answers each, when the durable sinks have them. Safe for use by several threads. */
final class Recorder {
    private static final Duration SYNC_PATIENCE = Duration.ofSeconds(30);
    private static final Duration ROOM_PATIENCE = Duration.ofSeconds(5);
    private static final String NO_ROOM = "not recorded: the disk does not keep up; send it again";

    private final Sinks sinks;
    private final ValueReader reader;
    private final RecordSummary summary = new RecordSummary();
    private final RecordedRuns runs;
    private final Commits commits;
    private final LineMemory memory = new LineMemory(Runtime.getRuntime().maxMemory());

    /**
     * One that has recorded nothing.
     *
     * @param journal that the sinks write to
     */
    Recorder(Sinks sinks, RunEnding.Solved solved, JournalRuns journal) {
        this.sinks = sinks;
        this.reader = new ValueReader(new CleanTexts(text -> sinks.content(text).text()));
        this.runs = new RecordedRuns(sinks, reader.redaction(), solved, summary, journal);
        this.commits = new Commits(sinks, SYNC_PATIENCE);
    }

    RecordedRuns runs() {
        return runs;
    }

    RecordSummary summary() {
        return summary;
    }

    LineMemory memory() {
        return memory;
    }

    Commits commits() {
        return commits;
    }

    /** Returns whether a sink keeps a durable record. */
    boolean isDurable() {
        return commits.areDurable();
    }

    /**
     * Records the lines; the answers, a line of JSON each, in their order.
     *
     * @param refusalsOnly whether to answer only what was not recorded
     */
    List<String> record(List<RawLine> lines, Client client, boolean refusalsOnly) {
        long losses = commits.losses();
        List<LineAnswer> answers = new ArrayList<>(lines.size());
        boolean room = true;
        for (RawLine line : lines) {
            room = room && sinks.awaitRoom(ROOM_PATIENCE); // a group may be larger than all queues
            answers.add(room ? answer(line, client) : refused(line, null, NO_ROOM, Reason.LATER));
        }
        String unsynced = commits.await(losses).orElse(null);
        summary.answered(answers, unsynced);
        return answers.stream()
                .filter(answer -> !refusalsOnly || answer.error() != null || unsynced != null)
                .map(answer -> answer.json(isDurable(), unsynced))
                .toList();
    }

    private LineAnswer answer(RawLine line, Client client) {
        byte[] content = line.content();
        if (content == null) {
            return refused(line, null, memory.tooLong(), Reason.WRONG);
        }
        String runId = null;
        try (LineMemory.Share share = memory.share(content.length)) {
            ObjectNode object = Line.object(content, share);
            runId = object.path("run_id")
                    .stringValueOpt()
                    .filter(said -> said.length() <= ValueReader.MAX_ID)
                    .orElse(null);
            Event event = runs.take(Line.read(object, reader, content.length), client);
            return event instanceof RunEvent ofRun
                    ? LineAnswer.recorded(line.number(), ofRun.run().runId(), ofRun.seq())
                    : LineAnswer.recorded(line.number(), null, 0);
        } catch (LineRefusedException e) {
            return refused(line, runId, String.valueOf(e.getMessage()), e.reason());
        } catch (IllegalArgumentException | ArithmeticException e) {
            return refused(line, runId, String.valueOf(e.getMessage()), Reason.WRONG);
        } catch (RuntimeException e) {
            return refused(line, runId, "it cannot be recorded: " + e, Reason.WRONG);
        }
    }

    private LineAnswer refused(RawLine line, @Nullable String runId, String why, Reason reason) {
        return new LineAnswer(line.number(), runId, 0, reader.redaction().apply(why), reason);
    }
}
