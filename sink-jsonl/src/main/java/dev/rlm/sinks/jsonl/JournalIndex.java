package dev.rlm.sinks.jsonl;

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
        JournalIndex index = new JournalIndex();
        for (Path writer : writers) {
            boolean live = WriterLock.isHeld(writer); // asked first: see JournalScan
            WriterLines lines = new WriterLines((segment, line) -> index.line(line.head(), live));
            lines.read(writer, live);
            lines.warnOfUnreadable();
        }
        return index;
    }

    private void line(LineHead head, boolean live) {
        if (!head.runId().isEmpty() && EventWriter.isOfRun(head.type())) {
            Entry entry = runs.computeIfAbsent(head.runId(), id -> new Entry(head));
            entry.live |= live;
            entry.ended |= head.type().equals(EventWriter.RUN_ENDED);
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

        private Entry(LineHead head) {
            runId = head.runId();
            startedAt = head.startedAt();
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
