package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.EventType;
import dev.rlm.sinks.jsonl.segment.Segment;
import dev.rlm.sinks.jsonl.segment.WriterLock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which runs the folders of some writers hold, by a pass over the heads of their lines. A few hundred bytes a run. */
final class JournalIndex {
    private final Map<String, Entry> runs = new LinkedHashMap<>();

    private JournalIndex() {}

    static JournalIndex of(List<Path> writers) throws IOException {
        return of(writers, new KeptText(0));
    }

    /** Makes one, and keeps text for a second reading. */
    static JournalIndex of(List<Path> writers, KeptText kept) throws IOException {
        JournalIndex index = new JournalIndex();
        for (Path writer : writers) {
            boolean live = WriterLock.isHeld(writer); // asked first: see JournalScan
            WriterLines lines = new WriterLines(new Heads(index, live), kept::readAndKeep);
            lines.read(writer, live);
            lines.warnOfUnreadable();
        }
        return index;
    }

    /** The lines of a writer, of which nearly all are known by their heads. */
    private record Heads(JournalIndex index, boolean live) implements WriterLines.Reader {
        @Override
        public void line(Segment segment, LineBlock.Line line) {
            index.line(line, live);
        }

        @Override
        public boolean readsAll(String type) {
            return false;
        }
    }

    private void line(LineBlock.Line line, boolean live) {
        LineHead head = line.head();
        if (!head.runId().isEmpty() && head.isOfRun()) {
            Entry entry = runs.computeIfAbsent(head.runId(), id -> new Entry(id, startedAt(line)));
            entry.live |= live;
            entry.ended |= head.is(EventType.RUN_ENDED);
        }
    }

    /** When the run started, as this line tells it; the beginning of time where it does not. */
    private static Instant startedAt(LineBlock.Line line) {
        try {
            return line.read().time("time").minusNanos(line.head().nanos());
        } catch (RuntimeException e) {
            return Instant.MIN;
        }
    }

    Collection<Entry> runs() {
        return runs.values();
    }

    /** The run's id, from it or its beginning: see {@link RunIds#resolve}. */
    String resolve(String idOrPrefix, Path directory) {
        List<String> ids = runs.values().stream()
                .sorted(Comparator.comparing(Entry::startedAt).thenComparing(Entry::runId))
                .map(Entry::runId)
                .toList();
        return RunIds.resolve(idOrPrefix, ids, directory);
    }

    Optional<Entry> find(String runId) {
        return Optional.ofNullable(runs.get(runId));
    }

    /** What is known of a run. */
    static final class Entry {
        private final String runId;
        private final Instant startedAt;
        private boolean live;
        private boolean ended;

        private Entry(String runId, Instant startedAt) {
            this.runId = runId;
            this.startedAt = startedAt;
        }

        String runId() {
            return runId;
        }

        Instant startedAt() {
            return startedAt;
        }

        boolean hasEnded() {
            return ended;
        }

        /** Whether it goes on, as far as can be told. */
        boolean isLive() {
            return live && !ended;
        }
    }
}
