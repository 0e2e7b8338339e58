package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.jsonl.segment.LineBuffer;
import dev.rlm.sinks.jsonl.segment.LineFile;
import dev.rlm.sinks.jsonl.segment.Segment;
import dev.rlm.sinks.jsonl.segment.WriterLock;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** The folder of a writer that died, in the hands of the one who holds its lock. */
final class DeadWriter implements Closeable {
    private static final int ATTEMPTS = 3;
    private static final int ATTEMPT_MILLIS = 5;

    private final Path folder;
    private final WriterLock lock;
    private final RecoveryNotes notes;

    private DeadWriter(Path folder, WriterLock lock, RecoveryNotes notes) {
        this.folder = folder;
        this.lock = lock;
        this.notes = notes;
    }

    /**
     * Takes the folder, if its writer died and has recorded anything. Somebody who just looks at the lock is gone at once:
     * that is worth another attempt.
     */
    static Optional<DeadWriter> take(Path folder) throws IOException {
        Optional<WriterLock> lock = WriterLock.take(folder);
        for (int i = 1; i < ATTEMPTS && lock.isEmpty() && WriterLock.exists(folder); i++) {
            pause();
            lock = WriterLock.take(folder);
        }
        if (lock.isEmpty()) {
            return Optional.empty();
        }
        try {
            if (!Segment.of(folder).isEmpty()) {
                return Optional.of(new DeadWriter(folder, lock.get(), RecoveryNotes.read(folder)));
            }
        } catch (IOException e) {
            lock.get().close();
            throw e;
        }
        lock.get().close(); // of a writer that has made its lock's file and is about to take it
        return Optional.empty();
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
     * Gives every run an end that has none, and a line to every ended one that has none in the file of these.
     *
     * @return how many runs were abandoned
     */
    int writeEnds(RunsElsewhere elsewhere, Instant now) throws IOException {
        Scan scan = new Scan(SummaryFile.runIds(folder));
        for (Segment segment : Segment.of(folder)) {
            segment.read(0, (bytes, from, length) -> scan.line(segment, bytes, from, length));
        }
        scan.open.keySet().removeAll(elsewhere.of(folder, scan.open.keySet()));
        List<Ended> abandoned = scan.open.values().stream()
                .map(run -> new Ended(run.abandoned(folder.toString()), run.steps()))
                .toList();
        write(abandoned, scan.unsummarized, now);
        notes.endsWritten(abandoned.size(), now);
        return abandoned.size();
    }

    private void write(List<Ended> abandoned, List<Ended> unsummarized, Instant now) throws IOException {
        if (!abandoned.isEmpty()) {
            LineBuffer events = new LineBuffer();
            JournalWriter.header(events);
            abandoned.forEach(run -> JsonLine.append(events, line -> EventWriter.write(run.end(), line)));
            Segment next = new Segment(folder, Segment.nextNumber(Segment.of(folder)));
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
                Set.of(EventWriter.RUN_STARTED, EventWriter.REWARD_GIVEN, EventWriter.RUN_ENDED);

        private final Set<String> summarized;
        private final Set<String> ended = new HashSet<>();
        private final Map<String, UnendedRun> open = new LinkedHashMap<>();
        private final List<Ended> unsummarized = new ArrayList<>();

        Scan(Set<String> summarized) {
            this.summarized = summarized;
        }

        void line(Segment segment, byte[] bytes, int from, int length) {
            LineHead head = LineHead.of(bytes, from, length);
            if (head == null) {
                return;
            }
            try {
                if (head.type().equals(JournalWriter.JOURNAL)) {
                    JournalScan.checkVersion(segment, Fields.parse(bytes, from, length));
                } else if (!head.runId().isEmpty() && !ended.contains(head.runId())) {
                    event(head, () -> Fields.parse(bytes, from, length));
                }
            } catch (JournalException e) {
                throw e;
            } catch (RuntimeException e) {
                // a damaged line: it tells nothing
            }
        }

        private void event(LineHead head, Supplier<Fields> whole) {
            UnendedRun known = open.get(head.runId());
            UnendedRun run = known == null ? new UnendedRun(whole.get()) : known;
            if (!READ_WHOLE.contains(head.type())) {
                run.pass(head);
            } else if (run.read(whole.get()) instanceof RunEnded end) {
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
