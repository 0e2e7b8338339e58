package dev.rlm.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.maintenance.RunDeletion;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.SampleEvents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders that earlier versions merged of those of several writers, which name these at the heads of their lines. */
class MergedFolderTest {
    private static final String HEAD = "{\"type\":\"journal\",\"schema\":\"rlm.journal\",\"version\":2";

    @TempDir
    private Path directory;

    private final List<Path> writers = new ArrayList<>();
    private JournalContents before;
    private Path merged;

    @BeforeEach
    void merge() throws IOException {
        for (int i = 0; i < 3; i++) {
            InstantSource day = InstantSource.fixed(Instant.parse("2026-03-0" + (i + 1) + "T00:00:00Z"));
            try (JsonlSink sink = SampleEvents.sink(directory, day)) {
                SampleEvents.rich("run-" + i, "text").forEach(sink::onEvent);
                sink.onEvent(SampleEvents.ledger());
                writers.add(sink.recordPath().orElseThrow());
            }
        }
        before = JournalContents.of(Journal.open(directory));
        merged = Files.createDirectory(Path.of(writers.get(0) + JournalFolder.MERGED));
        StringBuilder events = new StringBuilder(HEAD + "}\n");
        StringBuilder runs = new StringBuilder();
        StringBuilder replaced = new StringBuilder();
        for (Path writer : writers) {
            events.append(HEAD + ",\"writer\":\"" + writer.getFileName() + "\"}\n");
            String lines = Files.readString(writer.resolve("events-1.jsonl"));
            events.append(lines, lines.indexOf('\n') + 1, lines.length());
            runs.append(Files.readString(writer.resolve(JournalFolder.SUMMARIES)));
            replaced.append(writer.getFileName()).append('\n');
        }
        Files.writeString(merged.resolve("events-1.jsonl"), events);
        Files.writeString(merged.resolve(JournalFolder.SUMMARIES), runs);
        Files.writeString(merged.resolve(JournalFolder.REPLACES), replaced);
    }

    @Test
    void contents_areToldOnce_alsoWhereTheMergingWasKilled() throws IOException {
        assertThat(JournalContents.of(Journal.open(directory))).isEqualTo(before);
        assertThat(Journal.open(directory).writers())
                .hasSize(3)
                .extracting(WriterStatus::folder)
                .isEqualTo(writers);
        for (Path writer : writers) {
            Files.delete(writer.resolve("events-1.jsonl"));
            Files.delete(writer.resolve(JournalFolder.SUMMARIES));
            Files.delete(writer);
        }
        Files.delete(merged.resolve(JournalFolder.REPLACES));
        assertThat(JournalContents.of(Journal.open(directory))).isEqualTo(before);
        assertThat(Journal.endedRuns(directory)).hasSize(3);
    }

    @Test
    void deletion_deletesAlsoWhatTheyReplace() {
        Journal journal = Journal.open(directory);

        assertThat(RunDeletion.of(journal, List.of(journal.run("run-1")))
                        .delete(folders -> {})
                        .problems())
                .isEmpty();

        assertThat(Journal.open(directory).runs()).extracting(RunSummary::runId).containsExactly("run-0", "run-2");
        assertThat(writers).allSatisfy(writer -> assertThat(writer).doesNotExist());
    }
}
