package dev.rlm.journal.recovery;

import dev.rlm.journal.JournalException;
import dev.rlm.journal.JournalScan;
import dev.rlm.journal.RecoveryNotes;
import dev.rlm.journal.WriterLines;
import dev.rlm.journal.format.EventWriter;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.JournalHeader;
import dev.rlm.journal.format.JsonLine;
import dev.rlm.journal.format.SummaryWriter;
import dev.rlm.journal.format.segment.InterruptedCompression;
import dev.rlm.journal.format.segment.LineBuffer;
import dev.rlm.journal.format.segment.LineFile;
import dev.rlm.journal.format.segment.PrivateFiles;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.Tail;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.line.Fields;
import dev.rlm.journal.line.LineBlock;
import dev.rlm.journal.line.LineHead;
import dev.rlm.journal.line.SummaryFile;
import dev.rlm.journal.line.UnendedRun;
import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.schema.LateEvents;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The folder of a writer that died, in the hands of the one who holds its lock. */
public final class DeadWriter implements Closeable {
    private static final int ATTEMPTS = 3;
    private static final int ATTEMPT_MILLIS = 5;
    private static final int MAX_HEADER = 4_096;

    private final Path folder;
    private final WriterLock lock;
    private final RecoveryNotes notes;
    private final List<Recovered.SetAside> setAside = new ArrayList<>();

    private DeadWriter(Path folder, WriterLock lock, RecoveryNotes notes) {
        this.folder = folder;
        this.lock = lock;
        this.notes = notes;
    }

    /**
     * Takes the folder, if its writer does not live. Somebody who just looks at the lock is gone at once: that is worth
     * another attempt. Of one that was killed before it wrote a line in the folder of another the lock alone is left, and goes.
     */
    public static Optional<DeadWriter> take(Path folder) throws IOException {
        Optional<WriterLock> lock = WriterLock.take(folder);
        for (int i = 1; i < ATTEMPTS && lock.isEmpty() && WriterLock.exists(folder); i++) {
            pause();
            lock = WriterLock.take(folder);
        }
        if (lock.isEmpty()) {
            return Optional.empty();
        }
        try {
            String name = WriterLock.holder(folder);
            if (!name.isEmpty() && !hasWritten(folder, name)) {
                lock.get().remove();
                lock.get().close();
                return Optional.empty();
            }
            return Optional.of(new DeadWriter(folder, lock.get(), RecoveryNotes.read(folder)));
        } catch (IOException e) {
            lock.get().close();
            throw e;
        }
    }

    /** Returns whether the writer of that name has written a line in the folder of another, or a part of one. */
    private static boolean hasWritten(Path folder, String name) throws IOException {
        LineBuffer head = new LineBuffer();
        JournalHeader.append(head, name);
        ByteBuffer line = head.bytes(0, head.size() - 1);
        boolean[] found = {false};
        for (Segment segment : Segment.of(folder)) {
            segment.read(
                    0,
                    (bytes, from, length) ->
                            found[0] |= ByteBuffer.wrap(bytes, from, length).equals(line),
                    (bytes, from, length) -> found[0] |= length > 0);
        }
        return found[0];
    }

    private static void pause() {
        try {
            Thread.sleep(ATTEMPT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    Path folder() {
        return folder;
    }

    RecoveryNotes notes() {
        return notes;
    }

    /**
     * Returns whether there is no file of events: its writer was killed before its first line, or has just made its
     * lock's file and is about to take the lock. In either case there is nothing to do, and nothing to take away.
     */
    public boolean hasRecordedNothing() throws IOException {
        return Segment.of(folder).isEmpty();
    }

    /**
     * Sets aside what its writer left behind the last whole lines, takes away what is left of a compression, and makes the
     * rest survive a loss of power.
     *
     * @throws JournalException if a newer version wrote there; then nothing is touched
     */
    void tidy() throws IOException {
        List<Segment> segments = Segment.of(folder);
        for (Segment segment : segments) {
            if (PrivateFiles.isFile(segment.plain())) {
                checkVersion(segment);
            }
        }
        InterruptedCompression.tidy(folder);
        for (Segment segment : segments) {
            setAside(segment.plain(), LineHead::wholeEnd);
        }
        setAside(folder.resolve(JournalFolder.SUMMARIES), SummaryFile::wholeEnd);
        setAside(folder.resolve(JournalFolder.RECOVERY), LineHead::wholeEnd);
        sync(segments);
    }

    /** Makes safe what its writer had no time to sync: what is noted and summed up from now on rests on it. */
    private void sync(List<Segment> segments) throws IOException {
        for (Segment segment : segments) {
            if (PrivateFiles.isFile(segment.plain())) {
                LineFile.sync(segment.plain());
            }
        }
        PrivateFiles.syncNames(folder.resolve(JournalFolder.SUMMARIES));
    }

    private static void checkVersion(Segment segment) throws IOException {
        try (InputStream file = Files.newInputStream(segment.plain())) {
            byte[] bytes = file.readNBytes(MAX_HEADER);
            int end = LineHead.wholeEnd(bytes, 0, bytes.length);
            LineHead head = end < 0 ? null : LineHead.of(bytes, 0, end);
            if (head != null && head.type().equals(JournalHeader.TYPE)) {
                JournalScan.checkVersion(segment, Fields.parse(bytes, 0, end));
            }
        }
    }

    private void setAside(Path file, Tail.LineEnd lineEnd) throws IOException {
        if (PrivateFiles.isFile(file)) {
            Tail tail = Tail.of(file, lineEnd);
            tail.setAside().ifPresent(kept -> setAside.add(new Recovered.SetAside(kept, tail.bytes())));
        }
    }

    /** Returns what has been set aside since the last call. */
    List<Recovered.SetAside> takeSetAside() {
        List<Recovered.SetAside> taken = List.copyOf(setAside);
        setAside.clear();
        return taken;
    }

    /**
     * Gives every run an end that has none, and a line to every ended one that has none in the file of these. Where that
     * file tells that a run had ended, and its end went with a file that was removed for its age or cannot be read to its end,
     * none is made up: it would contradict.
     */
    Ends writeEnds(RunsElsewhere elsewhere, Instant now) throws IOException {
        Scan scan = new Scan(SummaryFile.runIds(folder));
        WriterLines lines = new WriterLines(scan::line);
        lines.readAll(folder);
        lines.warnOfUnreadable();
        scan.open
                .values()
                .removeIf(run -> scan.summarized.contains(run.run().runId())
                        && (!run.hasStart() || !lines.unreadable().isEmpty()));
        scan.open.keySet().removeAll(elsewhere.of(folder, scan.open.keySet()));
        List<Ended> abandoned = scan.open.values().stream()
                .map(run -> new Ended(run.abandoned(folder.toString()), run.steps()))
                .toList();
        write(abandoned, scan.unsummarized, now);
        notes.endsWritten(abandoned.size(), now);
        return new Ends(abandoned.size(), lines.damaged());
    }

    /**
     * Result of writing ends.
     *
     * @param abandoned number of runs that were given one
     * @param damagedLines number of lines that were passed over
     */
    record Ends(int abandoned, long damagedLines) {}

    private void write(List<Ended> abandoned, List<Ended> unsummarized, Instant now) throws IOException {
        if (!abandoned.isEmpty()) {
            LineBuffer events = new LineBuffer();
            JournalHeader.append(events, WriterLock.holder(folder));
            abandoned.forEach(run -> JsonLine.append(events, line -> EventWriter.write(run.end(), line)));
            Segment next = new Segment(folder, Segment.nextNumber(folder));
            LineFile.create(next.plain(), events);
        }
        List<Ended> all = new ArrayList<>(unsummarized);
        all.addAll(abandoned);
        if (!all.isEmpty()) {
            LineBuffer summaries = new LineBuffer();
            all.forEach(run -> JsonLine.append(summaries, line -> run.summarize(folder, now, line)));
            LineFile.append(folder.resolve(JournalFolder.SUMMARIES), summaries);
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }

    /** A run's end, and how many ends of its steps were seen. */
    private record Ended(RunEnded end, int stepsObserved) {
        void summarize(Path folder, Instant now, JsonLine line) {
            String path = end.runPath() == null ? folder.toString() : end.runPath();
            SummaryWriter.write(end, stepsObserved, path, now, line);
        }
    }

    /** One pass over the folder's events. Of most lines it reads the head alone. */
    private static final class Scan {
        private static final Set<String> READ_WHOLE =
                Set.of(EventType.RUN_STARTED.label(), EventType.REWARD_GIVEN.label(), EventType.RUN_ENDED.label());

        private final Set<String> summarized;
        private final Set<String> ended = new HashSet<>();
        private final Map<String, UnendedRun> open = new LinkedHashMap<>();
        private final List<Ended> unsummarized = new ArrayList<>();

        Scan(Set<String> summarized) {
            this.summarized = summarized;
        }

        void line(Segment segment, LineBlock.Line line) {
            LineHead head = line.head();
            if (head.type().equals(JournalHeader.TYPE)) {
                JournalScan.checkVersion(segment, line.read());
            } else if (!head.runId().isEmpty()
                    && !ended.contains(head.runId())
                    && !LateEvents.isLate(head.seq())) { // which is of a run that has ended
                event(line);
            }
        }

        private void event(LineBlock.Line line) {
            LineHead head = line.head();
            UnendedRun known = open.get(head.runId());
            if (known == null && !head.isOfRun()) {
                return; // of a later version, whose lines need not tell what is needed to know a run
            }
            UnendedRun run = known == null ? new UnendedRun(line.read()) : known;
            if (!READ_WHOLE.contains(head.type())) {
                run.pass(head);
            } else if (run.read(line.read()) instanceof RunEnded end) {
                ended(end, run.steps());
                return;
            }
            open.putIfAbsent(head.runId(), run);
        }

        private void ended(RunEnded end, int steps) {
            String runId = end.run().runId();
            ended.add(runId);
            open.remove(runId);
            if (!summarized.contains(runId)) {
                unsummarized.add(new Ended(end, steps));
            }
        }
    }
}
