package dev.rlm.journal.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalContents;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.RunTail;
import dev.rlm.journal.WriterFolders;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.Compression;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.MaintenanceLock;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.SampleEvents;
import dev.rlm.sinks.testkit.Events;
import dev.rlm.sinks.testkit.InMemorySink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Folders of writers that are merged: what readers are told stays the same. */
@Timeout(120)
class JournalCompactionTest {
    @TempDir
    private Path directory;

    @TempDir
    private Path other;

    @Test
    void journal_tellsTheSameBeforeAndAfter() throws IOException {
        recordAllKinds(directory);
        JournalContents before = contents();
        Set<String> summaries = summaries();

        JournalCompacted compacted = compact();

        assertThat(compacted.problems()).isEmpty();
        assertThat(compacted.folders()).isEqualTo(6);
        assertThat(folders())
                .containsExactlyInAnyOrderElementsOf(compacted.into())
                .hasSize(2);
        assertThat(contents()).isEqualTo(before);
        assertThat(before.ledgers()).hasSize(3);
        assertThat(before.damagedLines()).isEqualTo(2);
        assertThat(summaries()).isEqualTo(summaries);
        assertThat(JournalContents.files(directory, name -> name.endsWith(".torn")))
                .extracting(Files::readString)
                .containsExactlyInAnyOrder("{\"type\":\"torn 1", "{\"type\":\"torn 2");
        assertThat(Recovery.recover(directory).isNothing()).isTrue();
        assertThat(JournalContents.files(directory, "replaces"::equals)).isEmpty();
        assertThat(directory).isDirectoryNotContaining("glob:**.compact");
    }

    @Test
    void merged_isMergedAgainWithWhatCameSince_andAloneItStays() throws IOException {
        recordAllKinds(directory);
        compact();
        record(SampleEvents.rich("later", "text"), List.of(SampleEvents.ledger()));
        JournalContents before = contents();

        assertThat(compact().folders()).isEqualTo(2);

        assertThat(contents()).isEqualTo(before);
        assertThat(folders()).hasSize(2);
        List<Path> last = folders();
        assertThat(compact()).isEqualTo(new JournalCompacted(0, List.of(), 0, 0, 0, List.of(), false, List.of()));
        assertThat(folders()).isEqualTo(last);
    }

    @Test
    void keptFiles_areReadWhereTheirRunsLie_andGoWithThem() throws IOException {
        for (String run : List.of("one", "two")) {
            Sinks sinks = Sinks.builder()
                    .add("jsonl", JsonlSink.builder().directory(directory).build())
                    .build();
            try (sinks;
                    Run kept = sinks.startRun(RunSpec.builder("calc").runId(run).build())) {
                kept.artifact("a.txt", "text/plain", "shared".getBytes(StandardCharsets.UTF_8));
                kept.artifact("b.txt", "text/plain", ("of " + run).getBytes(StandardCharsets.UTF_8));
                kept.complete("");
            }
        }
        compact();
        assertThat(kept()).isEqualTo(Set.of("shared", "of one", "of two"));
        assertThat(Journal.open(directory).events("two"))
                .filteredOn(ArtifactSaved.class::isInstance)
                .extracting(event -> ((ArtifactSaved) event).path())
                .allMatch(path -> Files.isRegularFile(folders().get(0).resolve(path)));

        Journal journal = Journal.open(directory);
        RunDeletion.of(journal, List.of(journal.run("two"))).delete(folders -> {});

        assertThat(kept()).isEqualTo(Set.of("shared", "of one"));
        assertThat(Journal.open(directory).runs())
                .singleElement()
                .extracting(RunSummary::runId)
                .isEqualTo("one");
    }

    @Test
    void writersThatLive_areNotTouched_andKilledOnesAreRecovered() throws IOException {
        record(SampleEvents.rich("one", "text"));
        record(SampleEvents.rich("two", "text"));
        Path killed = record(
                SampleEvents.withoutEnd(SampleEvents.rich("killed", "text")).toList());
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            SampleEvents.rich("living", "text").forEach(sink::onEvent);
            sink.onBatchEnd();
            Path living = Path.of(sink.location("").orElseThrow());
            JournalCompaction compaction = new JournalCompaction(directory, IndexCache.NONE);
            assertThat(compaction.plan())
                    .isEqualTo(new JournalCompacted(2, List.of(), 1, 1, 0, List.of(), false, List.of()));

            assertThat(compaction.compact().folders()).isEqualTo(2);

            assertThat(folders()).hasSize(3).contains(killed, living);
            assertThat(Journal.open(directory).run("killed").state()).isEqualTo(RunState.ABANDONED);
            assertThat(Journal.open(directory).run("living").folders()).containsExactly(living);
            SampleEvents.rich("living-2", "text").forEach(sink::onEvent);
            sink.onBatchEnd();
        }
        assertThat(Journal.open(directory).runs()).hasSize(5);
    }

    @Test
    void writersThatDied_areStillToBeSent_whereTheyHaveNotBeen() throws IOException {
        for (int i = 0; i < 3; i++) {
            record(SampleEvents.withoutEnd(SampleEvents.rich("killed-" + i, "text"))
                    .toList());
        }
        Recovery.recover(directory);
        compact();

        InMemorySink sink = new InMemorySink();
        try (Sinks sinks = Sinks.builder().add("memory", sink).recovering().build()) {
            assertThat(Recovery.recover(directory, sinks, runs -> {}).sent().runs())
                    .isEqualTo(3);
            assertThat(Recovery.recover(directory, sinks, runs -> {}).sent().runs())
                    .isZero();
        }
    }

    @Test
    void foldersWithFilesOfOthers_orOfANewerVersion_orUnreadable_stay_andItIsTold() throws IOException {
        record(SampleEvents.rich("one", "text"));
        record(SampleEvents.rich("two", "text"));
        Path notes = record(SampleEvents.rich("noted", "text"));
        Files.writeString(notes.resolve("notes.txt"), "mine");
        Path newer = record(SampleEvents.rich("newer", "text"));
        Path damaged = record(SampleEvents.rich("damaged", "text"));
        new Compression(Disk.LOCAL, () -> false).compress(new Segment(damaged, 1));
        byte[] bytes = Files.readAllBytes(damaged.resolve("events-1.jsonl.zst"));
        bytes[bytes.length / 2] ^= 1;
        Files.write(damaged.resolve("events-1.jsonl.zst"), bytes);
        Files.writeString(
                newer.resolve("events-1.jsonl"), "{\"type\":\"journal\",\"schema\":\"rlm.journal\",\"version\":99}\n");
        JournalCompaction compaction = new JournalCompaction(directory, IndexCache.NONE);
        assertThat(compaction.plan().left()).singleElement().asString().contains("notes.txt");

        JournalCompacted compacted = compaction.compact();

        assertThat(compacted.problems())
                .hasSize(2)
                .anyMatch(problem -> problem.startsWith(newer + " is not merged") && problem.contains("newer version"))
                .anyMatch(problem -> problem.startsWith(damaged + " is not merged"));
        assertThat(folders()).hasSize(4).contains(notes, newer, damaged);
        assertThat(notes.resolve("notes.txt")).hasContent("mine");
        assertThat(Files.readAllBytes(damaged.resolve("events-1.jsonl.zst"))).isEqualTo(bytes);
    }

    @Test
    void retention_findsFilesOfADayEach_byTheTimesOfTheirLines() throws IOException {
        Instant first = Instant.parse("2026-03-01T00:00:00Z");
        for (int i = 0; i < 6; i++) {
            Path folder = record(SampleEvents.rich("run-" + i, "text"));
            Files.setLastModifiedTime(folder.resolve("events-1.jsonl"), FileTime.from(first.plusSeconds(i * 40_000L)));
            Files.move(folder, folder.resolveSibling("2026030" + i + "T000000Z-00000000"));
        }
        compact();

        List<Path> segments = JournalContents.files(directory, name -> name.startsWith("events-"));
        assertThat(segments)
                .extracting(Files::getLastModifiedTime)
                .containsExactly(FileTime.from(first.plusSeconds(80_000)), FileTime.from(first.plusSeconds(200_000)));
        assertThat(Files.readString(segments.get(0))).contains("run-2").doesNotContain("run-3");
    }

    @Test
    void readerThatBeganBefore_findsAllNevertheless() throws IOException {
        for (int i = 0; i < 12; i++) {
            record(SampleEvents.rich("run-" + i, "text"));
        }
        JournalContents before = contents();
        for (IndexCache cache : List.of(IndexCache.NONE, IndexCache.in(other))) {
            Journal journal = Journal.open(directory, cache);
            RunTail tail = journal.follow("run-3");
            RunTail begun = journal.follow("run-4");
            List<RunEvent> some = begun.poll();
            compact();
            assertThat(some).isEqualTo(SampleEvents.rich("run-4", "text"));
            assertThat(begun.poll()).isEmpty();
            assertThat(tail.poll()).isEqualTo(SampleEvents.rich("run-3", "text"));
            assertThat(journal.events("run-5")).isEqualTo(SampleEvents.rich("run-5", "text"));
            List<RunSummary> few = List.of(journal.run("run-6"), journal.run("run-11"));
            List<String> read = new ArrayList<>();
            journal.read(few, (run, events) -> {
                assertThat(events).isEqualTo(SampleEvents.rich(run.runId(), "text"));
                read.add(run.runId());
            });
            assertThat(read).containsExactlyInAnyOrder("run-6", "run-11");
            assertThat(JournalContents.of(journal)).isEqualTo(before);
            record(SampleEvents.rich("later", "text"));
            before = contents();
        }
    }

    @Test
    void readers_besideIt_areToldTheSameAllTheTime() throws Exception {
        for (int i = 0; i < 60; i++) {
            record(SampleEvents.rich("run-" + i, "text"), List.of(SampleEvents.ledger()));
        }
        JournalContents before = contents();
        Thread compaction = new Thread(this::compact);
        compaction.start();
        boolean over;
        do {
            over = !compaction.isAlive();
            assertThat(contents()).isEqualTo(before);
        } while (!over);
        compaction.join();
        assertThat(folders()).hasSize(1);
    }

    @Test
    void interruptedThread_stops_andNothingHasChanged() throws IOException {
        record(SampleEvents.rich("one", "text"));
        record(SampleEvents.rich("two", "text"));
        List<Path> before = folders();
        JournalContents contents = contents();
        Thread.currentThread().interrupt();
        JournalCompacted compacted = compact();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(compacted).isEqualTo(new JournalCompacted(0, List.of(), 0, 0, 0, List.of(), true, List.of()));
        assertThat(folders()).isEqualTo(before);
        assertThat(contents()).isEqualTo(contents);
        assertThat(directory).isDirectoryNotContaining("glob:**.compact");
    }

    @Test
    void deletion_beginsWithWhatAKilledCompactionLeft() throws IOException {
        record(SampleEvents.rich("one", "text"));
        record(SampleEvents.rich("gone", "planted"));
        JournalContents.copy(directory, other.resolve("copy"));
        compact();
        Path merged = folders().get(0);
        List<String> names = new ArrayList<>();
        for (Path folder : JournalFolder.writers(other.resolve("copy"))) {
            names.add(String.valueOf(folder.getFileName()));
            JournalContents.copy(folder, directory.resolve(String.valueOf(folder.getFileName())));
        }
        Files.write(merged.resolve("replaces"), names);
        assertThat(folders()).containsExactly(merged);
        Files.writeString(
                Files.createDirectories(directory.resolve(".compact/half")).resolve("events-1.jsonl.tmp"), "planted");

        Journal journal = Journal.open(directory);
        RunDeletion.of(journal, List.of(journal.run("gone"))).delete(folders -> {});

        assertThat(JournalContents.files(directory, name -> !name.endsWith("lock")))
                .isNotEmpty()
                .allSatisfy(file -> assertThat(file).content().doesNotContain("planted"));
        assertThat(Objects.requireNonNull(directory.toFile().list())).hasSize(2);
    }

    @Test
    void onlyOneProcess_isAtIt_andOnlyAtAJournal() throws IOException {
        Path one = record(SampleEvents.rich("one", "text"));
        record(SampleEvents.rich("two", "text"));
        try (MaintenanceLock lock = MaintenanceLock.take(directory).orElseThrow()) {
            assertThatThrownBy(this::compact)
                    .isInstanceOf(JournalException.class)
                    .hasMessageContaining("by another process");
        }
        assertThatThrownBy(() -> new JournalCompaction(one, IndexCache.NONE).plan())
                .hasMessageContaining("of one writer");
        assertThatThrownBy(() -> new JournalCompaction(other, IndexCache.NONE).plan())
                .hasMessageContaining("no journal");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void mergedFolder_orAFolderOfSegments_isReadOnAnotherDisk_thatCannotBeWritten() throws IOException {
        recordAllKinds(directory);
        compact();
        JournalContents before = contents();
        Path copy = other.resolve("copy");
        JournalContents.copy(directory, copy);
        Path segments = Files.createDirectory(other.resolve("segments"));
        List<Path> ended = JournalContents.files(folders().get(0), name -> name.startsWith("events-"));
        for (Path segment : ended) {
            Files.copy(segment, segments.resolve(segment.getFileName()));
        }
        List<Path> all;
        try (Stream<Path> files = Files.walk(other)) {
            all = files.toList();
        }
        for (Path file : all) {
            Files.setPosixFilePermissions(
                    file, PosixFilePermissions.fromString(Files.isDirectory(file) ? "r-xr-xr-x" : "r--r--r--"));
        }
        try {
            assertThat(JournalContents.of(Journal.open(copy))).isEqualTo(before);
            Journal alone = Journal.open(segments);
            assertThat(alone.runs())
                    .isNotEmpty()
                    .allSatisfy(run -> assertThat(alone.events(run.runId()))
                            .isNotEmpty()
                            .isSubsetOf(before.events().get(run.runId())));
            try (Stream<Path> files = Files.walk(other)) {
                assertThat(files).containsExactlyInAnyOrderElementsOf(all);
            }
        } finally {
            for (Path file : all) {
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }
    }

    // ---- helpers

    /** Three writers that ended well, one of them with several compressed segments, and three that were killed. */
    static void recordAllKinds(Path directory) throws IOException {
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
    private Path record(List<? extends Event>... all) throws IOException {
        return record(directory, all);
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

    private JournalCompacted compact() {
        return new JournalCompaction(directory, IndexCache.NONE).compact();
    }

    private JournalContents contents() {
        return JournalContents.of(Journal.open(directory));
    }

    private List<Path> folders() {
        return WriterFolders.existing(directory);
    }

    private Set<String> kept() throws IOException {
        Set<String> kept = new TreeSet<>();
        for (Path file : JournalContents.files(directory, name -> name.length() == 64)) {
            kept.add(Files.readString(file));
        }
        return kept;
    }

    private Set<String> summaries() throws IOException {
        Set<String> lines = new TreeSet<>();
        for (Path file : JournalContents.files(directory, "runs.jsonl"::equals)) {
            lines.addAll(Files.readAllLines(file));
        }
        return lines;
    }
}
