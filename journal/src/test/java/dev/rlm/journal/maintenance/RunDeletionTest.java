package dev.rlm.journal.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.RunState;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.LineRewrite;
import dev.rlm.journal.format.segment.MaintenanceLock;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.SampleEvents;
import dev.rlm.sinks.testkit.Events;
import io.airlift.compress.zstd.ZstdOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs that are taken out of a journal. */
@Timeout(120)
public class RunDeletionTest {
    private static final String KEY = "planted-key-4711";
    private static final String EVENTS = "events-1.jsonl";

    @TempDir
    private Path directory;

    @Test
    void run_isGoneFromEveryFile_andAllElseStaysByteForByte() throws IOException {
        Path folder = record(
                SampleEvents.rich("one", "text"),
                SampleEvents.rich("gone", KEY),
                Events.full("two"),
                List.of(SampleEvents.ledger()));
        Files.writeString(
                folder.resolve(EVENTS),
                "{\"type\":\"from_the_future\",\"run_id\":\"one\"}\n{\"type\":\"damaged\n",
                StandardOpenOption.APPEND);
        List<String> others = without(Files.readAllLines(folder.resolve(EVENTS)), "\"run_id\":\"gone\"");
        Journal before = Journal.open(directory);
        int lines = SampleEvents.rich("gone", KEY).size() + 1;

        RunsDeleted deleted = delete("gone");

        assertThat(deleted).isEqualTo(new RunsDeleted(1, lines, 0, 1, 0, 1, false, List.of()));
        List<String> after = Files.readAllLines(folder.resolve(EVENTS));
        assertThat(after.get(1))
                .matches("\\{\"type\":\"runs_deleted\",\"time\":\"[^\"]+\",\"runs\":1,\"lines\":" + (lines - 1) + "}");
        after.remove(1);
        assertThat(after).isEqualTo(others);
        assertThat(Files.readAllLines(folder.resolve("runs.jsonl"))).hasSize(2);
        Journal journal = Journal.open(directory);
        assertThat(ids(journal)).containsExactlyInAnyOrder("one", "two");
        assertThat(journal.ledgers()).isEqualTo(before.ledgers());
        assertThat(journal.metrics()).isEqualTo(before.metrics());
        assertThat(journal.damagedLines()).isEqualTo(before.damagedLines());
        assertThat(journal.events("one")).isEqualTo(before.events("one"));
        assertNowhere(KEY, "gone");
        assertThat(Recovery.recover(directory).isNothing()).isTrue();
    }

    @Test
    void compressedSegments_stayCompressedInFrames_andOldOnesCanBeReadToo() throws IOException {
        Path folder = record(SampleEvents.rich("one", "text"), SampleEvents.rich("gone", KEY));
        byte[] text = Files.readAllBytes(folder.resolve(EVENTS));
        Path old = folder.resolve(EVENTS + ".zst");
        try (OutputStream out = new ZstdOutputStream(Files.newOutputStream(old))) {
            out.write(text);
        }
        Files.delete(folder.resolve(EVENTS));

        delete("gone");
        assertNowhere(KEY, "gone");
        assertThat(Files.readAllBytes(old)).endsWith(new byte[] {(byte) 0xB1, (byte) 0xEA, (byte) 0x92, (byte) 0x8F});
        assertThat(Journal.open(directory).events("one")).isEqualTo(SampleEvents.rich("one", "text"));

        delete("one"); // of the frames that were just written
        assertThat(ids(Journal.open(directory))).isEmpty();
        assertThat(text(old)).hasLineCount(3).contains("\"type\":\"journal\"", "runs_deleted");
    }

    @Test
    void run_ofSeveralSegmentsAndFolders_isGoneFromAll() throws IOException {
        for (int i = 0; i < 2; i++) {
            try (JsonlSink sink = JsonlSink.builder()
                    .directory(directory)
                    .rotateSize(4_000)
                    .compress(i == 0)
                    .build()) {
                for (int n = 0; n < 5; n++) {
                    SampleEvents.rich("other-" + i + n, "text").forEach(sink::onEvent);
                    sink.onBatchEnd();
                    SampleEvents.rich("gone", KEY).forEach(sink::onEvent);
                    sink.onBatchEnd();
                }
            }
        }
        RunsDeleted deleted = delete("gone");
        assertThat(deleted.folders()).isEqualTo(2);
        assertThat(deleted.problems()).isEmpty();
        assertNowhere(KEY, "gone");
        Journal journal = Journal.open(directory);
        assertThat(journal.runs()).hasSize(10).allMatch(run -> run.end() != null);
        assertThat(journal.damagedLines()).isZero();
        assertThat(delete().lines()).isZero();
        assertThatThrownBy(() -> delete("gone")).hasMessageContaining("no run 'gone'");
    }

    @Test
    void whatAKilledWriterLeft_goesTooWhereItNamesTheRun() throws IOException {
        Path folder = record(
                SampleEvents.rich("one", "text"),
                SampleEvents.withoutEnd(SampleEvents.rich("gone", KEY)).toList());
        Files.writeString(
                folder.resolve(EVENTS),
                "{\"type\":\"heartbeat\",\"run_id\":\"gone\",\"text\":\"" + KEY,
                StandardOpenOption.APPEND);
        Recovery.recover(directory);
        assertThat(folder.resolve("events-1.torn")).exists();
        Files.writeString(
                folder.resolve(EVENTS), "\0\0{\"x\":\"gone\",\"text\":\"" + KEY + "\n", StandardOpenOption.APPEND);
        Files.writeString(folder.resolve("events-1.jsonl.zst.0123abcd.tmp"), KEY);

        RunsDeleted deleted = delete("gone");

        assertThat(deleted.damagedLines()).isEqualTo(2);
        assertNowhere(KEY, "gone");
        assertThat(folder.resolve("events-1.torn")).doesNotExist();
        assertThat(ids(Journal.open(directory))).containsExactly("one");
        assertThat(Journal.open(directory).damagedLines()).isZero();
    }

    @Test
    void halfALineOfAnotherRun_staysForItsRecovery() throws IOException {
        Path folder = record(
                SampleEvents.withoutEnd(SampleEvents.rich("open", "text")).toList(), SampleEvents.rich("gone", KEY));
        String half = "{\"type\":\"heartbeat\",\"run_id\":\"open\",\"ti";
        Files.writeString(folder.resolve(EVENTS), half, StandardOpenOption.APPEND);
        delete("gone");
        assertThat(Recovery.recover(directory).setAside()).hasSize(1);
        assertThat(folder.resolve("events-1.torn")).hasContent(half);
        assertThat(Journal.open(directory).run("open").state()).isEqualTo(RunState.ABANDONED);
        assertNowhere(KEY, "gone");
    }

    @Test
    void keptFiles_goUnlessAnotherRunKeepsThem() throws IOException {
        Sinks sinks = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(directory).build())
                .build();
        try (sinks) {
            keep(sinks, "one", "shared");
            keep(sinks, "gone", "shared", KEY);
        }
        assertThat(delete("gone").files()).isEqualTo(1);
        assertNowhere(KEY, "gone");
        try (Stream<Path> kept =
                Files.list(JournalFolder.writers(directory).get(0).resolve("artifacts"))) {
            assertThat(kept.toList())
                    .singleElement()
                    .satisfies(file -> assertThat(file).hasContent("shared"));
        }
    }

    private static void keep(Sinks sinks, String runId, String... files) {
        try (Run run = sinks.startRun(RunSpec.builder("calc").runId(runId).build())) {
            for (String file : files) {
                run.artifact("a.txt", "text/plain", file.getBytes(StandardCharsets.UTF_8));
            }
            run.complete("");
        }
    }

    @Test
    void runOfALivingWriter_isRefused_andItsFolderNotTouched() throws IOException {
        record(SampleEvents.rich("ended", KEY));
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            SampleEvents.rich("living", "text").forEach(sink::onEvent);
            SampleEvents.rich("ended", KEY).forEach(sink::onEvent); // in both
            sink.onBatchEnd();
            Map<Path, String> before = contents();
            Journal journal = Journal.open(directory);
            RunDeletion deletion = RunDeletion.of(journal, journal.runs());
            assertThat(deletion.refused())
                    .extracting(run -> run.run().runId())
                    .containsExactlyInAnyOrder("living", "ended");
            assertThat(deletion.runs()).isEmpty();
            assertThat(deletion.delete(folders -> {}).lines()).isZero();
            assertThat(contents()).isEqualTo(before);
        }
    }

    @Test
    void fileThatCannotBeReadToItsEnd_staysAsItIs_andIsAProblem() throws IOException {
        Path folder = record(SampleEvents.rich("gone", "text ".repeat(5_000)));
        Path compressed = folder.resolve(EVENTS + ".zst");
        try (OutputStream out = new ZstdOutputStream(Files.newOutputStream(compressed))) {
            out.write(Files.readAllBytes(folder.resolve(EVENTS)));
        }
        Files.delete(folder.resolve(EVENTS));
        byte[] whole = Files.readAllBytes(compressed);
        record(SampleEvents.rich("gone", "text"));
        byte[] cut = Arrays.copyOf(whole, whole.length - 5);
        Files.write(compressed, cut);

        RunsDeleted deleted = delete("gone");

        assertThat(deleted.problems()).singleElement().asString().contains(folder.toString());
        assertThat(deleted.isComplete()).isFalse();
        assertThat(Files.readAllBytes(compressed)).isEqualTo(cut);
        assertThat(deleted.folders()).isEqualTo(1);
    }

    @Test
    void oneWritersFolder_canBeOpenedAlone() throws IOException {
        Path folder = record(SampleEvents.rich("gone", KEY));
        Journal journal = Journal.open(folder);
        assertThat(RunDeletion.of(journal, journal.runs()).delete(folders -> {}).isComplete())
                .isTrue();
        assertNowhere(KEY, "gone");
        assertThat(folder).isDirectoryNotContaining("glob:**.lock");
    }

    @Test
    void segment_keepsItsTime_byWhichRetentionGoes() throws IOException {
        Path folder = record(SampleEvents.rich("one", "text"), SampleEvents.rich("gone", KEY));
        FileTime time = FileTime.from(Instant.parse("2026-01-02T03:04:05Z"));
        Files.setLastModifiedTime(folder.resolve(EVENTS), time);
        delete("gone");
        assertThat(Files.getLastModifiedTime(folder.resolve(EVENTS))).isEqualTo(time);
    }

    @Test
    void two_atOnce_areOne() throws IOException {
        record(SampleEvents.rich("gone", KEY));
        try (MaintenanceLock lock = MaintenanceLock.take(directory).orElseThrow()) {
            assertThatThrownBy(() -> delete("gone"))
                    .isInstanceOf(JournalException.class)
                    .hasMessageContaining("by another process");
        }
        assertThat(delete("gone").isComplete()).isTrue();
    }

    @Test
    void interruptedThread_stops_andChangesNothing() throws IOException {
        record(SampleEvents.rich("gone", KEY));
        Map<Path, String> before = contents();
        Journal journal = Journal.open(directory);
        RunDeletion deletion = RunDeletion.of(journal, journal.runs());
        Thread.currentThread().interrupt();
        RunsDeleted deleted = deletion.delete(folders -> {});
        assertThat(Thread.interrupted()).isTrue();
        assertThat(deleted.interrupted()).isTrue();
        assertThat(contents()).containsAllEntriesOf(before);
    }

    // ---- helpers

    @SafeVarargs
    private Path record(List<? extends Event>... all) throws IOException {
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            for (List<? extends Event> events : all) {
                events.forEach(sink::onEvent);
            }
            sink.onBatchEnd();
            return Path.of(sink.location("").orElseThrow());
        }
    }

    private RunsDeleted delete(String... runs) {
        Journal journal = Journal.open(directory);
        return RunDeletion.of(journal, Stream.of(runs).map(journal::run).toList())
                .delete(folders -> {});
    }

    private static List<String> ids(Journal journal) {
        return journal.runs().stream().map(run -> run.run().runId()).toList();
    }

    private static List<String> without(List<String> lines, String part) {
        List<String> left = new ArrayList<>(lines);
        left.removeIf(line -> line.contains(part));
        return left;
    }

    private void assertNowhere(String... texts) throws IOException {
        contents().forEach((file, content) -> assertThat(content).as("%s", file).doesNotContain(texts));
    }

    private Map<Path, String> contents() throws IOException {
        Map<Path, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith("lock")) // to close it would let go of it
                    .toList()) {
                contents.put(file, text(file));
            }
        }
        return contents;
    }

    public static String text(Path file) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        LineRewrite.read(file, text::write);
        return text.toString(StandardCharsets.UTF_8);
    }
}
