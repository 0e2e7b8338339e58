package dev.rlm.journal.recovery;

import dev.rlm.journal.JournalScan;
import dev.rlm.journal.ReplayStoppedException;
import dev.rlm.journal.WriterLines;
import dev.rlm.journal.format.ArtifactFiles;
import dev.rlm.journal.format.JournalHeader;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.line.EventReader;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.LineBlock;
import dev.rlm.journal.line.LineHead;
import dev.rlm.journal.line.UnendedRun;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.schema.LateEvents;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One reading of a journal's lines, of which the events of the chosen runs are sent. */
final class ReplayPass implements WriterLines.Reader {
    private static final int REMEMBERED_ENDS = 4_096;

    private final Predicate<String> chosen;
    private final @Nullable Predicate<Instant> apart;
    private final ResendQueue queue;
    private final IntConsumer ended;
    private final Map<String, UnendedRun> open = new LinkedHashMap<>();
    private final Map<String, Path> folders = new HashMap<>(); // of the open runs
    private final Map<String, Long> ends = new HashMap<>(); // numbers of the ends, by run
    private final Map<String, RunInfo> endedLately = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RunInfo> eldest) {
            return size() > REMEMBERED_ENDS;
        }
    };
    private final Map<String, Set<Long>> lateEvents = new HashMap<>(); // numbers of those of other processes, by run
    private final Map<String, LineBlock> waiting = new HashMap<>(); // copies of these, by run, for its end
    private int runsSent;

    /**
     * A reading that has not begun.
     *
     * @param chosen tells by their ids which runs to send
     * @param apart tells by their time which numbers and spans of no run to send; {@code null} for none
     * @param ended told how many runs have been sent so far
     */
    ReplayPass(Predicate<String> chosen, @Nullable Predicate<Instant> apart, ResendQueue queue, IntConsumer ended) {
        this.chosen = chosen;
        this.apart = apart;
        this.queue = queue;
        this.ended = ended;
    }

    int runsSent() {
        return runsSent;
    }

    @Override
    public void line(Segment segment, LineBlock.Line line) {
        LineHead head = line.head();
        if (head.type().equals(JournalHeader.TYPE)) {
            JournalScan.checkVersion(segment, line.read());
        } else if (head.is(EventType.METRICS_REPORTED)) {
            apart(EventType.METRICS_REPORTED, line.read());
        } else if (head.is(EventType.STANDALONE_SPAN_RECORDED)) {
            apart(EventType.STANDALONE_SPAN_RECORDED, line.read());
        } else if (chosen.test(head.runId())) {
            event(segment.folder(), head, line);
        }
    }

    private void apart(EventType type, Fields line) {
        if (apart != null) {
            Event event = EventReader.readApart(type, line);
            if (apart.test(event.time())) {
                publish(event);
            }
        }
    }

    private void event(Path writer, LineHead head, LineBlock.Line line) {
        Long end = ends.get(head.runId());
        if (!head.isOfRun()) {
            ofLaterVersion(head);
        } else if (LateEvents.isLate(head.seq())) {
            if (lateEvents.computeIfAbsent(head.runId(), run -> new HashSet<>()).add(head.seq())) {
                lateEvent(head.runId(), line, end != null);
            }
        } else if (end == null) {
            openEvent(writer, head.runId(), line.read());
        } else if (head.seq() > end) {
            late(head.runId(), line.read()); // what comes again, as from a copy, is passed over
        }
    }

    /** Has its number, so that an end that is made up gets another. */
    private void ofLaterVersion(LineHead head) {
        UnendedRun run = open.get(head.runId());
        if (run != null) {
            run.pass(head);
        }
    }

    /** An event that came after the end; of a run that ended long before, its line must tell enough. */
    private void late(String runId, Fields line) {
        RunInfo known = endedLately.get(runId);
        publish(new EventReader(known == null ? EventReader.run(line) : known).read(line));
    }

    /** An event that another process gave; the writer of its run may have begun after the one that has it. */
    private void lateEvent(String runId, LineBlock.Line line, boolean hasEnded) {
        if (hasEnded) {
            late(runId, line.read());
        } else {
            waiting.computeIfAbsent(runId, unknown -> new LineBlock()).append(line);
        }
    }

    private void openEvent(Path writer, String runId, Fields line) {
        UnendedRun known = open.get(runId);
        UnendedRun run = known == null ? new UnendedRun(line) : known;
        RunEvent event = run.read(line);
        open.putIfAbsent(runId, run);
        folders.put(runId, writer);
        if (event instanceof RunEnded end) {
            open.remove(runId);
            folders.remove(runId);
            end(run.ended(end));
        } else {
            publish(event instanceof ArtifactSaved file ? ArtifactFiles.read(writer, file) : event);
        }
    }

    private void end(RunEnded end) {
        ends.put(end.run().runId(), end.seq());
        endedLately.put(end.run().runId(), end.run());
        publish(end);
        LineBlock early = waiting.remove(end.run().runId());
        if (early != null) {
            early.lines()
                    .forEach(line ->
                            late(end.run().runId(), Objects.requireNonNull(line).read()));
        }
        ended.accept(++runsSent);
    }

    /** Makes up the ends of runs whose processes died. */
    void endTheRest() {
        open.forEach((runId, run) -> end(run.abandoned(String.valueOf(folders.get(runId)))));
    }

    private void publish(@Nullable Event event) {
        if (event != null && !queue.publish(event)) {
            throw new ReplayStoppedException();
        }
    }
}
