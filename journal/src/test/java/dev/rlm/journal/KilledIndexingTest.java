package dev.rlm.journal;

import static dev.rlm.sinks.jsonl.KilledWriterTest.assumeStrace;
import static dev.rlm.sinks.jsonl.KilledWriterTest.strace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.index.IndexCache;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.SampleEvents;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Indexings that are killed at each of their calls: of what was recorded nothing is told wrongly. */
@Tag("thorough")
@Timeout(3600)
@DisabledOnOs(OS.WINDOWS)
class KilledIndexingTest {
    @TempDir
    private Path directory;

    @Test
    void indexing_killedAtEachCallThatWrites_leavesNoIndexThatTellsAnythingElse() throws Exception {
        assumeStrace();
        Path journal = Files.createDirectory(directory.resolve("journal"));
        recordAllKinds(journal);
        JournalContents.settle(journal);
        JournalContents expected = JournalContents.of(Journal.open(journal));
        for (String call : List.of("write", "writev", "pwrite64", "rename", "unlink", "mkdir", "ftruncate")) {
            boolean reached = true;
            for (int when = 1; reached; when++) {
                Path indexes = directory.resolve("index-" + call + "-" + when);
                Process reader = start(strace(call, when), journal, indexes);
                reached = reader.waitFor() != 0;
                IndexCache cache = IndexCache.in(indexes);
                assertThat(JournalContents.of(Journal.open(journal, cache))).isEqualTo(expected); // of what was left
                assertThat(JournalContents.of(Journal.open(journal, cache)))
                        .isEqualTo(expected); // of what was made anew
            }
        }
    }

    private static void recordAllKinds(Path directory) throws IOException {
        record(directory, SampleEvents.rich("plain", "text"), Events.full("metrics"), List.of(SampleEvents.ledger()));
        try (JsonlSink sink =
                JsonlSink.builder().directory(directory).rotateSize(4_000).build()) {
            for (int i = 0; i < 3; i++) {
                SampleEvents.rich("rotated-" + i, "text").forEach(sink::onEvent);
                sink.onBatchEnd();
            }
            sink.onEvent(SampleEvents.ledger());
        }
        List<RunEvent> across = SampleEvents.rich("across", "text");
        Path first = record(directory, across.subList(0, 3), List.of(SampleEvents.ledger()));
        Files.deleteIfExists(first.resolve("lock"));
        Files.writeString(first.resolve("events-1.jsonl"), "{\"type\":\"damaged\n", StandardOpenOption.APPEND);
        record(directory, across.subList(2, across.size()));
        for (int i = 1; i < 3; i++) {
            Path killed = record(
                    directory,
                    SampleEvents.withoutEnd(SampleEvents.rich("killed-" + i, "text"))
                            .toList());
            Files.writeString(killed.resolve("events-1.jsonl"), "{\"type\":\"torn " + i, StandardOpenOption.APPEND);
        }
        Recovery.recover(directory);
        Path last = JournalContents.files(directory, "events-1.torn"::equals).get(0);
        Files.writeString(last.resolveSibling("events-1.jsonl"), "{\"type\":\"heartbeat\n", StandardOpenOption.APPEND);
    }

    @SafeVarargs
    private static Path record(Path directory, List<? extends Event>... all) throws IOException {
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            for (List<? extends Event> events : all) {
                events.forEach(sink::onEvent);
            }
            sink.onBatchEnd();
            return Path.of(sink.location("").orElseThrow());
        }
    }

    /** A process that indexes a journal. */
    private static Process start(List<String> wrapper, Path journal, Path indexes) throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-XX:TieredStopAtLevel=1", // it does not live long
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                Indexer.class.getName(),
                journal.toString(),
                indexes.toString()));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /** Its program. */
    static final class Indexer {
        private Indexer() {}

        public static void main(String[] args) {
            Journal.open(Path.of(args[0]), IndexCache.in(Path.of(args[1])));
        }
    }
}
