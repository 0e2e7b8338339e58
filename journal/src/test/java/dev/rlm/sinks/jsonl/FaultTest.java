package dev.rlm.sinks.jsonl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.journal.Journal;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.line.SummaryFile;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.testkit.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the journal does when the disk does not do what it should. */
class FaultTest {
    private static final String BROKEN = "Input/output error";
    private static final String FULL = "No space left on device";

    private final FaultyDisk disk = new FaultyDisk();
    private final AtomicLong nanoTime = new AtomicLong(1);
    private final List<RunEvent> recorded = new ArrayList<>();

    @TempDir
    Path directory;

    // ---- failures that pass

    @Test
    void syncThatFails_isNotTriedAgainOnThatFile_andNothingIsLost() throws IOException {
        JsonlSink sink = sink().build();
        record(sink, "first");
        failOnce("sync", "events-1.jsonl", new IOException(BROKEN));
        record(sink, "second");
        assertThat(sink.acknowledged().delivered()).isEqualTo(recorded.size());
        assertThat(sink.acknowledged().dropped()).isEmpty();
        assertThat(disk.synced().stream().filter("events-1.jsonl"::equals)).hasSize(2);
        assertThat(sink.status().available()).isTrue();
        assertThat(sink.status().facts())
                .containsEntry("failures", 1L)
                .containsEntry("last_failure", "Input/output error")
                .containsEntry("segment", "events-2.jsonl");
        sink.close();
        assertAllIsThere(sink);
        assertThat(Journal.open(directory).damagedLines()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"append", "sync", "create", "read", "rename", "syncNames"})
    void fileOfEndedRuns_isMadeAnew_andHoldsEachLineOnce(String operation) throws IOException {
        JsonlSink sink = sink().build();
        record(sink, "first");
        failOnce("sync", "runs.jsonl", new IOException(BROKEN));
        record(sink, "second");
        failOnce("append", "runs.jsonl.tmp", new IOException(BROKEN));
        record(sink, "third");
        disk.fault((what, file) -> {
            if (what.equals(operation) && file.getFileName().toString().startsWith("runs.jsonl")) {
                throw new IOException(FULL);
            }
        });
        record(sink, "fourth");
        disk.fault((what, file) -> {});
        assertThat(sink.acknowledged().delivered()).as("events").isEqualTo(recorded.size());
        sink.close();
        assertAllIsThere(sink);
        assertThat(Files.readAllLines(folder(sink).resolve("runs.jsonl")))
                .hasSize(4)
                .allSatisfy(line -> assertThat(line).startsWith("{").endsWith("}"));
        assertThat(WriterLock.exists(folder(sink))).isFalse();
    }

    @Test
    void disk_thatWasFull_isWrittenToAgain_withAllThatCameMeanwhile() throws IOException {
        JsonlSink sink = sink().build();
        record(sink, "first");
        fullDisk();
        for (int i = 0; i < 50; i++) {
            nanoTime.addAndGet(Duration.ofSeconds(6).toNanos());
            attempt(sink, "full-" + i);
        }
        assertThat(files(folder(sink))).containsExactlyInAnyOrder("lock", "events-1.jsonl", "runs.jsonl");
        assertThat(sink.status().available()).isFalse();
        assertThat(sink.status().detail()).contains("cannot write to " + directory + ": disk_full: ");
        assertThatThrownBy(() -> sink.flush(Duration.ofSeconds(1))).hasMessageContaining(FULL);
        disk.fault((what, file) -> {});
        assertThat(sink.flush(Duration.ofSeconds(1))).isTrue();
        assertThat(sink.acknowledged().delivered()).isEqualTo(recorded.size());
        assertThat(sink.acknowledged().dropped()).isEmpty();
        assertThat(sink.status().available()).isTrue();
        sink.close();
        assertAllIsThere(sink);
    }

    @Test
    void disk_thatFails_isTriedLessAndLessOften() {
        JsonlSink sink = sink().build();
        AtomicLong attempts = new AtomicLong();
        disk.fault((what, file) -> {
            attempts.incrementAndGet();
            throw new IOException(BROKEN);
        });
        for (int i = 0; i < 1_000; i++) {
            nanoTime.addAndGet(Duration.ofMillis(10).toNanos());
            attempt(sink, "run-" + i);
        }
        assertThat(attempts.get()).as("in ten seconds").isBetween(5L, 12L);
    }

    /** It takes all writes, and no sync. */
    @Tag("thorough")
    @ParameterizedTest
    @EnumSource(names = {"BATCH", "RUN"})
    void disk_thatSyncsNothing_isNotFilledWithCopies_norTriedMoreOften(Fsync fsync) throws IOException {
        JsonlSink sink = sink().fsync(fsync).build();
        record(sink, "first");
        AtomicLong attempts = new AtomicLong();
        disk.fault((what, file) -> {
            if (what.equals("sync") && file.getFileName().toString().startsWith("events-")) {
                attempts.incrementAndGet();
                throw new IOException(BROKEN);
            }
        });
        for (int i = 0; i < 1_000; i++) {
            nanoTime.addAndGet(Duration.ofMillis(10).toNanos());
            attempt(sink, "run-" + i + "x".repeat(1_000)); // more than is written at a time
        }
        assertThat(attempts.get()).as("in ten seconds").isBetween(5L, 12L);
        assertThat(segments(sink)).as("the first, and one more").hasSize(2);
        disk.fault((what, file) -> {});
        assertThat(sink.flush(Duration.ofSeconds(1))).isTrue();
        sink.close();
        assertThat(segments(sink)).hasSize(2);
        assertAllIsThere(sink);
    }

    @Test
    void threadThatIsInterrupted_losesNothing() throws IOException {
        JsonlSink sink = sink().build();
        record(sink, "first");
        Thread.currentThread().interrupt();
        record(sink, "second");
        assertThat(Thread.interrupted()).isTrue();
        failOnce("append", "events-1.jsonl", new ClosedByInterruptException());
        record(sink, "third");
        assertThat(sink.acknowledged().delivered()).isEqualTo(recorded.size());
        sink.close();
        assertAllIsThere(sink);
    }

    @Test
    void folderThatCannotBeMade_isMadeLater() throws IOException {
        Path journal = directory.resolve("journal");
        JsonlSink sink = JsonlSink.builder().directory(journal).build();
        Files.createFile(journal); // where the folder should be
        attempt(sink, "first");
        assertThat(sink.status().available()).isFalse();
        assertThat(sink.status().detail()).contains("cannot write to " + journal);
        Files.delete(journal);
        assertThat(sink.flush(Duration.ofSeconds(1))).isTrue();
        sink.close();
        assertAllIsThere(sink);
    }

    // ---- failures that do not pass

    @Tag("thorough")
    @Test
    void disk_thatStaysFull_costsWhatCannotBeKept_andItIsCounted() throws IOException {
        JsonlSink sink = sink().build();
        record(sink, "first");
        long before = recorded.size();
        fullDisk();
        String large = "x".repeat(1 << 20);
        List<RunEvent> lost = new ArrayList<>();
        while (sink.acknowledged().dropped().isEmpty()) {
            RunEvent event = SampleEvents.rich("large-" + lost.size(), large).get(0);
            lost.add(event);
            sink.onEvent(event);
        }
        assertThat(lost).as("events of some megabytes each").hasSizeBetween(2, 16);
        assertThat(sink.acknowledged().dropped()).isEqualTo(Map.of("disk_full", (long) lost.size()));
        disk.fault((what, file) -> {});
        assertThat(sink.flush(Duration.ofSeconds(1))).as("after the loss").isFalse();
        attempt(sink, "later");
        assertThat(sink.flush(Duration.ofSeconds(1))).as("what came since").isTrue();
        assertThat(sink.acknowledged().delivered()).isEqualTo(before + 6);
        sink.close();
        assertAllIsThere(sink);
        assertThat(WriterLock.exists(folder(sink))).as("left for a recovery").isTrue();
    }

    @Test
    void close_givesUpWhatIsLeft_andSaysWhy() {
        JsonlSink sink = sink().build();
        disk.fault((what, file) -> {
            throw new IOException("Too many open files");
        });
        attempt(sink, "run");
        assertThatThrownBy(sink::close).isInstanceOf(UncheckedIOException.class);
        assertThat(sink.acknowledged().delivered()).isZero();
        assertThat(sink.acknowledged().dropped()).isEqualTo(Map.of("too_many_open_files", (long) recorded.size()));
    }

    @Test
    void sync_thatDoesNotReturn_showsInTheStatus() throws InterruptedException {
        Instant now = Instant.parse("2026-03-01T10:00:30.5Z");
        JsonlSink sink = sink().clock(() -> now).build();
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        disk.fault((what, file) -> {
            if (what.equals("sync")) {
                reached.countDown();
                Waiting.await().until(() -> released.getCount() == 0);
            }
        });
        Thread lane = new Thread(() -> record(sink, "run"));
        lane.start();
        reached.await();
        assertThat(sink.status().available()).as("at first").isTrue();
        nanoTime.addAndGet(Duration.ofSeconds(25).toNanos());
        assertThat(sink.status().available()).isFalse();
        assertThat(sink.status().detail())
                .isEqualTo("writing to " + directory + " has been stalling since 2026-03-01T10:00:05Z, for 25 s");
        released.countDown();
        lane.join();
        assertThat(sink.status().available()).isTrue();
        assertThat(sink.acknowledged().delivered()).isEqualTo(recorded.size());
        sink.close();
    }

    @ParameterizedTest
    @CsvSource({
        "No space left on device, disk_full",
        "Disk quota exceeded, disk_full",
        "File too large, file_too_large",
        "Too many open files in system, too_many_open_files",
        "Read-only file system, not_writable",
        "Stale file handle, folder_gone",
        "Input/output error, io_error",
        "Something new, io_error"
    })
    void reasons_areNamedAlike_inWhateverExceptionTheyCome(String words, String label) {
        assertThat(DiskFault.of(new IOException(words)).label()).isEqualTo(label);
        assertThat(DiskFault.of(new FileSystemException("/a/file", null, words)).label())
                .isEqualTo(label);
    }

    @Test
    void reasons_thatHaveAnExceptionOfTheirOwn_areNamed() {
        assertThat(DiskFault.of(new AccessDeniedException("file"))).isEqualTo(DiskFault.NOT_WRITABLE);
        assertThat(DiskFault.of(new NoSuchFileException("file"))).isEqualTo(DiskFault.FOLDER_GONE);
        assertThat(DiskFault.of(new ClosedByInterruptException())).isEqualTo(DiskFault.INTERRUPTED);
    }

    // ---- what others do to the files

    @Test
    void folderThatIsTakenAway_isMadeAnew() throws IOException {
        JsonlSink sink = sink().build();
        record(sink, "first");
        recorded.clear();
        for (Path file : paths(folder(sink))) {
            Files.delete(file);
        }
        Files.delete(folder(sink));
        record(sink, "second");
        assertThat(sink.acknowledged().dropped()).isEmpty();
        assertThat(sink.status().available()).isTrue();
        assertThat(String.valueOf(sink.status().facts().get("last_failure")))
                .contains("events-1.jsonl was taken away from outside, with its ");
        assertThat(WriterLock.isHeld(folder(sink))).isTrue();
        assertAllIsThere(sink);
        sink.close();
    }

    @Test
    void fileThatIsCut_isLeft_andTheNextBegun() throws IOException {
        JsonlSink sink = sink().build();
        record(sink, "first");
        try (FileChannel file = FileChannel.open(folder(sink).resolve("events-1.jsonl"), StandardOpenOption.WRITE)) {
            file.truncate(100);
        }
        recorded.clear();
        record(sink, "second");
        assertThat(String.valueOf(sink.status().facts().get("last_failure"))).contains(" was cut from outside, from ");
        sink.close();
        assertAllIsThere(sink);
    }

    @ParameterizedTest
    @EnumSource
    void halfALineOfAnotherProgram_swallowsNoAcknowledgedEvent(Fsync fsync) throws IOException {
        JsonlSink sink = sink().fsync(fsync).build();
        record(sink, "first");
        append(sink, "events-1.jsonl", "{\"half\":");
        record(sink, "second");
        assertThat(sink.acknowledged().delivered()).isEqualTo(recorded.size());
        assertThat(String.valueOf(sink.status().facts().get("last_failure")))
                .contains("events-1.jsonl was appended to from outside, from ");
        assertThat(sink.status().available()).isTrue();
        assertAllIsThere(sink);
        sink.close();
        assertAllIsThere(sink);
        assertThat(Journal.open(directory).damagedLines()).isEqualTo(1);
    }

    @Test
    void halfALineOfAnotherProgram_behindTheLastWrite_isCountedWhileTheWriterLives() throws IOException {
        JsonlSink sink = sink().fsync(Fsync.RUN).build();
        record(sink, "first");
        disk.fault((what, file) -> {
            if (what.equals("sync") && file.endsWith("events-1.jsonl")) {
                disk.fault((anything, anyFile) -> {});
                append(sink, "events-1.jsonl", "{\"half\":");
            }
        });
        record(sink, "second");
        assertThat(sink.status().facts()).containsEntry("segment", "events-2.jsonl");
        assertThat(Journal.open(directory).damagedLines()).isEqualTo(1);
        sink.close();
        assertAllIsThere(sink);
        assertThat(Journal.open(directory).damagedLines()).isEqualTo(1);
    }

    @Test
    void halfALineInTheFileOfEndedRuns_swallowsNoRun() throws IOException {
        JsonlSink sink = sink().build();
        record(sink, "first");
        append(sink, "runs.jsonl", "{\"half\":");
        record(sink, "second");
        sink.close();
        assertThat(SummaryFile.runIds(folder(sink))).containsExactlyInAnyOrder("first", "second");
        assertThat(Files.readAllLines(folder(sink).resolve("runs.jsonl")))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).startsWith("{").endsWith("}"));
    }

    @Test
    void textInTheLock_isNobodysBusiness() throws IOException {
        JsonlSink sink = sink().build();
        record(sink, "first");
        append(sink, "lock", "hello");
        record(sink, "second");
        sink.close();
        assertThat(sink.status().facts()).doesNotContainKey("failures");
        assertAllIsThere(sink);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock", "runs.jsonl", "events-1.jsonl"})
    void fileThatIsTakenAway_isMissedAtTheNextCommit(String name) throws IOException {
        JsonlSink sink = sink().build();
        record(sink, "first");
        Files.delete(folder(sink).resolve(name));
        recorded.clear();
        record(sink, "second");
        assertThat(files(folder(sink))).contains("lock", "runs.jsonl");
        assertThat(WriterLock.isHeld(folder(sink))).isTrue();
        assertAllIsThere(sink);
        sink.close();
        assertThat(WriterLock.exists(folder(sink))).as("left for a recovery").isEqualTo(name.equals("runs.jsonl"));
    }

    @Test
    void fileOfEndedRuns_thatIsTakenAwayAtLast_isMissedAtTheClose() throws IOException {
        JsonlSink sink = sink().build();
        record(sink, "first");
        Files.delete(folder(sink).resolve("runs.jsonl"));
        sink.close();
        assertThat(WriterLock.exists(folder(sink))).as("left for a recovery").isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock", "runs.jsonl", "events-2.jsonl"})
    void link_inTheWritersFolder_isNotFollowed(String name) throws IOException {
        JsonlSink sink = sink().build();
        record(sink, "first");
        Path victim = Files.writeString(directory.resolve("victim"), "precious");
        Path file = folder(sink).resolve(name);
        Files.deleteIfExists(file);
        Files.createSymbolicLink(file, victim);
        failOnce("sync", "events-1.jsonl", new IOException(BROKEN));
        attempt(sink, "second");
        attempt(sink, "third");
        assertThat(victim).hasContent("precious");
        try {
            sink.close();
        } catch (UncheckedIOException e) {
            // which the hub says in its log
        }
        assertThat(victim).hasContent("precious");
    }

    @Test
    void folderThatBecomesALink_isRefused() throws IOException {
        JsonlSink sink = sink().build();
        record(sink, "first");
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        for (Path file : paths(folder(sink))) {
            Files.delete(file);
        }
        Files.delete(folder(sink));
        Files.createSymbolicLink(folder(sink), elsewhere);
        attempt(sink, "second");
        assertThat(sink.status().available()).isFalse();
        assertThat(sink.status().detail()).contains("folder_gone", "a symbolic link");
        assertThat(elsewhere).isEmptyDirectory();
    }

    // ----

    private JsonlSink.Builder sink() {
        return JsonlSink.builder().directory(directory).disk(disk).nanoTime(nanoTime::get);
    }

    private static void append(JsonlSink sink, String name, String text) throws IOException {
        Files.writeString(folder(sink).resolve(name), text, StandardOpenOption.APPEND);
    }

    private void record(JsonlSink sink, String runId) {
        offer(sink, runId);
        sink.onBatchEnd();
    }

    private void attempt(JsonlSink sink, String runId) {
        offer(sink, runId);
        try {
            sink.onBatchEnd();
        } catch (UncheckedIOException e) {
            // which the hub says in its log
        }
    }

    private void offer(JsonlSink sink, String runId) {
        List<RunEvent> events = SampleEvents.bare(runId);
        events.forEach(sink::onEvent);
        recorded.addAll(events);
    }

    private void failOnce(String operation, String name, IOException failure) {
        disk.fault((what, file) -> {
            if (what.equals(operation) && file.getFileName().toString().equals(name)) {
                disk.fault((anything, anyFile) -> {});
                throw failure;
            }
        });
    }

    private void fullDisk() {
        disk.fault((what, file) -> {
            if (what.equals("append")) {
                throw new IOException(FULL);
            }
        });
    }

    private void assertAllIsThere(JsonlSink sink) {
        List<RunEvent> read = new ArrayList<>();
        Journal journal = Journal.open(folder(sink));
        journal.read(journal.runs(), (run, events) -> read.addAll(events));
        assertThat(read).containsAll(recorded);
    }

    private static Path folder(JsonlSink sink) {
        return Path.of(sink.location("any").orElseThrow());
    }

    private static List<Segment> segments(JsonlSink sink) throws IOException {
        return Segment.of(folder(sink));
    }

    private static List<Path> paths(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    private static List<String> files(Path folder) throws IOException {
        return paths(folder).stream().map(file -> file.getFileName().toString()).toList();
    }
}
