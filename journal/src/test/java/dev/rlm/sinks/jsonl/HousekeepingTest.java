package dev.rlm.sinks.jsonl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rotation, compression and retention. */
class HousekeepingTest {
    private final FaultyDisk disk = new FaultyDisk();
    private final AtomicLong nanoTime = new AtomicLong(1);
    private Instant now = Instant.now();

    @TempDir
    Path directory;

    // ---- rotation

    @Test
    void segment_isFollowedByTheNext_whenItIsLong() throws IOException {
        JsonlSink sink = sink().rotateSize(10_000).compress(false).build();
        List<RunEvent> all = record(sink, 40);
        sink.close();
        List<Path> segments = segments(sink);
        assertThat(segments)
                .hasSizeGreaterThan(4)
                .allSatisfy(file -> assertThat(file)
                        .satisfies(path -> assertThat(Files.size(path)).isBetween(1L, 10_000L)));
        for (Path file : segments) {
            assertThat(Files.readAllLines(file).get(0)).startsWith("{\"type\":\"journal\"");
        }
        assertThat(read(directory)).containsExactlyElementsOf(all);
    }

    @Test
    void segment_isFollowedByTheNext_whenItIsOld_whateverTheClockSays() throws IOException {
        JsonlSink sink = sink().rotateAge(Duration.ofHours(1)).compress(false).build();
        record(sink, 1);
        now = now.minus(Duration.ofDays(400)); // as a clock that is set right
        record(sink, 1);
        assertThat(segments(sink)).hasSize(1);
        nanoTime.addAndGet(Duration.ofMinutes(61).toNanos());
        record(sink, 1);
        assertThat(segments(sink)).hasSize(2);
        sink.close();
    }

    @Test
    void aLongLine_isAloneInItsSegment() throws IOException {
        JsonlSink sink = sink().rotateSize(10_000).compress(false).build();
        List<RunEvent> all = new ArrayList<>(record(sink, 1));
        List<RunEvent> large = SampleEvents.rich("large", "x".repeat(30_000));
        large.forEach(sink::onEvent);
        sink.onBatchEnd();
        all.addAll(large);
        sink.close();
        assertThat(read(directory)).containsExactlyInAnyOrderElementsOf(all);
    }

    // ---- compression

    @Test
    void closedSegments_areCompressed_theOpenOneIsNot() throws IOException {
        JsonlSink sink = sink().rotateSize(10_000).build();
        List<RunEvent> all = record(sink, 40);
        List<Path> segments = segments(sink);
        assertThat(segments.stream().filter(file -> file.toString().endsWith(".jsonl")))
                .hasSize(1);
        assertThat(segments.stream().filter(file -> file.toString().endsWith(".zst")))
                .hasSizeGreaterThan(3)
                .allSatisfy(file -> assertThat(Files.size(file)).isLessThan(5_000));
        assertThat(sink.status().facts()).containsEntry("segments_compressed", segments.size() - 1);
        assertThat(read(directory)).containsExactlyElementsOf(all);
        sink.close();
        assertThat(read(directory)).containsExactlyElementsOf(all);
    }

    @Test
    void lastSegment_isCompressedIfItIsLarge() throws IOException {
        JsonlSink small = sink().build();
        record(small, 10);
        small.close();
        assertThat(segments(small)).extracting(Path::getFileName).containsExactly(Path.of("events-1.jsonl"));
        JsonlSink large = sink().build();
        SampleEvents.rich("large", "x".repeat(1 << 20)).forEach(large::onEvent);
        large.close();
        assertThat(segments(large)).extracting(Path::getFileName).containsExactly(Path.of("events-1.jsonl.zst"));
        assertThat(Journal.open(directory).runs()).hasSize(11);
    }

    @Tag("thorough")
    @Test
    void largeSegment_thatAnotherLeftPlain_isCompressedByTheNext() throws IOException {
        JsonlSink hurried = sink().compress(false).build();
        SampleEvents.rich("large", "x".repeat(1 << 20)).forEach(hurried::onEvent);
        hurried.close();
        List<Event> before = read(directory);
        JsonlSink next = sink().build();
        record(next, 1);
        next.close();
        assertThat(segments(hurried)).extracting(Path::getFileName).containsExactly(Path.of("events-1.jsonl.zst"));
        assertThat(read(directory)).containsAll(before);
    }

    @Test
    void whatAnUnfinishedCompressionLeft_isTakenAway_unlessSomebodyMayBeAtIt() throws IOException {
        Path ended = finished("ended");
        Path left = Files.writeString(ended.resolve("events-1.jsonl.zst.0123abcd.tmp"), "half");
        Path young = Files.writeString(ended.resolve("events-1.jsonl.zst.89abcdef.tmp"), "half");
        Files.setLastModifiedTime(left, FileTime.from(now.minus(Duration.ofHours(2))));
        JsonlSink sink = sink().build();
        record(sink, 1);
        sink.close();
        assertThat(left).doesNotExist();
        assertThat(young).exists();
    }

    @Test
    void compressionThatFails_leavesThePlainSegment() throws IOException {
        JsonlSink sink = sink().rotateSize(10_000).build();
        disk.fault((what, file) -> {
            if (file.getFileName().toString().endsWith(".tmp") && what.equals("append")) {
                throw new IOException("No space left on device");
            }
        });
        List<RunEvent> all = record(sink, 40);
        assertThat(sink.acknowledged().delivered()).isEqualTo(all.size());
        assertThat(sink.status().available()).isTrue();
        assertThat(String.valueOf(sink.status().facts().get("housekeeping")))
                .startsWith("cannot compress ")
                .endsWith("which stays as it is: java.io.IOException: No space left on device");
        sink.close();
        assertThat(segments(sink)).allMatch(file -> file.toString().endsWith(".jsonl"));
        assertThat(files(folder(sink))).noneMatch(file -> file.toString().endsWith(".tmp"));
        assertThat(read(directory)).containsExactlyElementsOf(all);
    }

    @Test
    void compressionThatDoesNotReadBack_leavesThePlainSegment() throws IOException {
        JsonlSink sink = sink().rotateSize(10_000).build();
        disk.fault((what, file) -> {
            if (what.equals("sync") && file.getFileName().toString().endsWith(".tmp")) {
                byte[] bytes = Files.readAllBytes(file);
                new Random(1).nextBytes(bytes);
                Files.write(file, bytes); // as a disk that writes something else
            }
        });
        List<RunEvent> all = record(sink, 40);
        sink.close();
        assertThat(segments(sink)).allMatch(file -> file.toString().endsWith(".jsonl"));
        assertThat(read(directory)).containsExactlyElementsOf(all);
    }

    @Tag("thorough")
    @Test
    void compression_onAThreadOfItsOwn_isOverWhenTheSinkIsClosed() throws IOException {
        JsonlSink sink =
                JsonlSink.builder().directory(directory).rotateSize(100_000).build();
        List<RunEvent> all = record(sink, 300);
        sink.close();
        assertThat(segments(sink).stream().filter(file -> file.toString().endsWith(".jsonl")))
                .as("the last one")
                .hasSize(1);
        assertThat(read(directory)).containsExactlyInAnyOrderElementsOf(all);
    }

    // ---- retention

    @Test
    void journalThatIsNotThereYet_isNoTrouble() {
        Path later = directory.resolve("later");
        try (JsonlSink sink = sink().directory(later).keepSize(60_000).build()) {
            sink.onBatchEnd();
            assertThat(sink.status().facts()).doesNotContainKey("housekeeping");
        }
        assertThat(later).doesNotExist();
    }

    @Test
    void journalThatIsTooLarge_losesItsOldestSegments_andTheirLinesOfEndedRuns() throws IOException {
        JsonlSink sink =
                sink().rotateSize(10_000).compress(false).keepSize(60_000).build();
        record(sink, 400);
        assertThat(files(folder(sink)).stream()
                        .mapToLong(HousekeepingTest::size)
                        .sum())
                .isLessThan(75_000);
        assertThat(segments(sink)).doesNotContain(folder(sink).resolve("events-1.jsonl"));
        assertThat(sink.status().facts()).containsKeys("segments_deleted", "bytes_deleted", "oldest_closed_segment");
        List<String> runs = Files.readAllLines(folder(sink).resolve("runs.jsonl"));
        assertThat(runs).hasSizeBetween(5, 200);
        assertThat(runs.get(runs.size() - 1)).contains("\"run_id\":\"run-399\"");
        sink.close();
        assertThat(Journal.open(directory).runs().stream().filter(run -> run.state() == RunState.COMPLETED))
                .hasSizeBetween(5, 200);
    }

    @Tag("thorough")
    @Test
    void foldersOfOthers_goWithAge_butNotOfThoseWhoLiveOrWereNotRecovered() throws Exception {
        Path ended = finished("ended");
        Path dead = folderOf(killed("dead"));
        Path recovered = folderOf(killed("recovered"));
        recover(recovered);
        Process living = KilledWriter.start(directory, "living");
        assertThat(living.getInputStream().read()).isEqualTo('!');
        Path alive = writers().stream()
                .filter(folder -> !List.of(ended, dead, recovered).contains(folder))
                .findFirst()
                .orElseThrow();
        for (Path writer : writers()) {
            for (Path file : files(writer)) {
                Files.setLastModifiedTime(file, FileTime.from(now.minus(Duration.ofDays(8))));
            }
        }
        try {
            JsonlSink sink = sink().keepAge(Duration.ofDays(7)).build();
            record(sink, 1);
            assertThat(writers()).containsExactlyInAnyOrder(dead, alive, folder(sink));
            assertThat(sink.status().facts()).containsEntry("segments_deleted", 3L);
            sink.close();
        } finally {
            living.destroyForcibly().waitFor();
        }
    }

    @Test
    void whatRecoverySetAside_goesWithItsFolder() throws Exception {
        Path dead = folderOf(killed("dead"));
        for (String file : List.of("events-1.jsonl", "runs.jsonl", "recovery.jsonl")) {
            Files.writeString(dead.resolve(file), "torn", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
        recover(dead);
        assertThat(files(dead)).contains(dead.resolve("events-1.torn"), dead.resolve("runs.torn"));
        for (Path file : files(dead)) {
            Files.setLastModifiedTime(file, FileTime.from(now.minus(Duration.ofDays(8))));
        }
        JsonlSink sink = sink().keepAge(Duration.ofDays(7)).build();
        record(sink, 1);
        sink.close();
        assertThat(dead).doesNotExist();
    }

    @Test
    void fileOfEndedRuns_thatIsMadeAnew_losesNoLine_ifItsNewNameCannotBeSynced() throws IOException {
        JsonlSink sink =
                sink().rotateSize(10_000).compress(false).keepSize(60_000).build();
        AtomicInteger renamed = new AtomicInteger();
        boolean[] failing = {false};
        disk.fault((what, file) -> {
            if (what.equals("rename") && file.getFileName().toString().equals("runs.jsonl.tmp")) {
                failing[0] = renamed.incrementAndGet() % 2 == 1;
            } else if (what.equals("syncNames") && failing[0]) {
                failing[0] = false;
                throw new IOException("Input/output error");
            }
        });
        record(sink, 400);
        sink.close();
        assertThat(renamed.get()).isGreaterThan(3);
        List<String> runs = Files.readAllLines(folder(sink).resolve("runs.jsonl"));
        assertThat(runs.size()).isBetween(5, 200);
        assertThat(runs.get(0)).contains("\"run_id\":\"run-" + (400 - runs.size()) + "\"");
        assertThat(WriterLock.exists(folder(sink))).as("left for a recovery").isFalse();
    }

    @Test
    void youngFolders_stay() throws IOException {
        Path ended = finished("ended");
        JsonlSink sink = sink().keepAge(Duration.ofDays(7)).build();
        record(sink, 1);
        sink.close();
        assertThat(writers()).contains(ended);
    }

    // ----

    private JsonlSink.Builder sink() {
        return JsonlSink.builder()
                .directory(directory)
                .disk(disk)
                .nanoTime(nanoTime::get)
                .clock(() -> now)
                .background(Runnable::run);
    }

    private static List<RunEvent> record(JsonlSink sink, int runs) {
        List<RunEvent> all = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            List<RunEvent> events = SampleEvents.bare("run-" + i);
            events.forEach(sink::onEvent);
            sink.onBatchEnd();
            all.addAll(events);
        }
        return all;
    }

    private Path finished(String runId) {
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            SampleEvents.bare(runId).forEach(sink::onEvent);
            return folder(sink);
        }
    }

    private String killed(String runId) throws Exception {
        Process writer = KilledWriter.start(directory, runId);
        assertThat(writer.getInputStream().read()).isEqualTo('!');
        writer.destroyForcibly().waitFor();
        return runId;
    }

    private Path folderOf(String runId) {
        return Journal.open(directory).run(runId).folders().get(0);
    }

    private static void recover(Path writer) {
        assertThat(Recovery.recover(writer).problems()).isEmpty();
    }

    private List<Path> writers() throws IOException {
        return JournalFolder.writers(directory);
    }

    private static Path folder(JsonlSink sink) {
        return Path.of(sink.location("any").orElseThrow());
    }

    private static List<Path> segments(JsonlSink sink) throws IOException {
        return files(folder(sink)).stream()
                .filter(file -> file.getFileName().toString().startsWith("events-"))
                .toList();
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    private static long size(Path file) {
        return file.toFile().length();
    }

    private static List<Event> read(Path directory) {
        Journal journal = Journal.open(directory);
        List<Event> read = new ArrayList<>();
        IntStream.range(0, journal.runs().size())
                .mapToObj(i -> "run-" + i)
                .filter(id -> journal.runs().stream()
                        .anyMatch(run -> run.run().runId().equals(id)))
                .forEach(id -> read.addAll(journal.events(id)));
        journal.runs().stream()
                .filter(run -> run.run().runId().equals("large"))
                .forEach(run -> read.addAll(journal.events("large")));
        return read;
    }
}
