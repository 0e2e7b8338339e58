package dev.rlm.journal.maintenance;

import static dev.rlm.sinks.jsonl.KilledWriterTest.assumeStrace;
import static dev.rlm.sinks.jsonl.KilledWriterTest.strace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalContents;
import dev.rlm.journal.WriterFolders;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.journal.recovery.Recovery;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Compactions and indexings that are killed at each of their calls: of what was recorded nothing is lost, doubled or told wrongly. */
@Tag("thorough")
@Timeout(3600)
@DisabledOnOs(OS.WINDOWS)
class KilledCompactionTest {
    @TempDir
    private Path directory;

    @Test
    void compaction_killedAtEachCallThatChangesFiles_losesAndDoublesNothing_andIsDoneByTheNext() throws Exception {
        assumeStrace();
        Path original = Files.createDirectory(directory.resolve("original"));
        JournalCompactionTest.recordAllKinds(original);
        Path kept = WriterFolders.existing(original).get(0).resolve("artifacts");
        Files.writeString(Files.createDirectory(kept).resolve("a".repeat(64)), "kept");
        JournalContents before = JournalContents.of(Journal.open(original));
        for (String call :
                List.of("write", "fsync", "fdatasync", "rename", "unlink", "rmdir", "mkdir", "link", "utimensat")) {
            int kills = 0;
            for (int when = 1; kills == when - 1; when++) {
                Path journal = directory.resolve(call + "-" + when);
                JournalContents.copy(original, journal);
                Process compaction = Compactor.start(strace(call, when), journal);
                kills += compaction.waitFor() == 0 ? 0 : 1;

                assertThat(JournalContents.of(Journal.open(journal))).isEqualTo(before);
                assertThat(Recovery.recover(journal).isNothing()).isTrue();

                assertThat(new JournalCompaction(journal, IndexCache.NONE)
                                .compact()
                                .problems())
                        .isEmpty();
                assertThat(JournalContents.of(Journal.open(journal))).isEqualTo(before);
                assertThat(JournalContents.files(journal, "a".repeat(64)::equals))
                        .hasSize(1);
                assertThat(JournalContents.files(journal, name -> name.endsWith(".torn")))
                        .hasSize(2);
                assertThat(JournalContents.files(journal, name -> name.endsWith(".tmp") || name.equals("replaces")))
                        .isEmpty();
                try (Stream<Path> left = Files.list(journal)) {
                    assertThat(left).hasSize(3); // two folders and the lock
                }
            }
            assertThat(kills).as(call).isPositive();
        }
    }

    @Test
    void indexing_killedAtEachCallThatWrites_leavesNoIndexThatTellsAnythingElse() throws Exception {
        assumeStrace();
        Path journal = Files.createDirectory(directory.resolve("journal"));
        JournalCompactionTest.recordAllKinds(journal);
        JournalContents.settle(journal);
        JournalContents expected = JournalContents.of(Journal.open(journal));
        for (String call : List.of("write", "writev", "pwrite64", "rename", "unlink", "mkdir", "ftruncate")) {
            boolean reached = true;
            for (int when = 1; reached; when++) {
                Path indexes = directory.resolve("index-" + call + "-" + when);
                Process reader = Compactor.startIndexing(strace(call, when), journal, indexes);
                reached = reader.waitFor() != 0;
                IndexCache cache = IndexCache.in(indexes);
                assertThat(JournalContents.of(Journal.open(journal, cache))).isEqualTo(expected); // of what was left
                assertThat(JournalContents.of(Journal.open(journal, cache)))
                        .isEqualTo(expected); // of what was made anew
            }
        }
    }
}
