package dev.rlm.sinks.jsonl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.format.segment.Compression;
import dev.rlm.journal.format.segment.Disk;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.recovery.Recovered;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.journal.recovery.Replay;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.testkit.InMemorySink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What has the name of a journal's file and is none: it is neither opened nor taken for one. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ImpostorTest {
    private static final List<RunEvent> ENDED = SampleEvents.bare("ended");
    private static final List<RunEvent> OPEN =
            SampleEvents.withoutEnd(SampleEvents.bare("open")).toList();

    @TempDir
    Path directory;

    @TempDir
    Path elsewhere;

    @ParameterizedTest
    @EnumSource
    void impostorOfASegment_countsAlikeForAllReaders_andHidesNothing(Impostor impostor) throws Exception {
        Path folder = record(ENDED);
        record(OPEN);
        put(impostor, folder.resolve("events-1.jsonl.zst"));
        put(impostor, folder.resolve("events-7.jsonl"));
        Journal journal = Journal.open(directory);
        assertThat(journal.runs()).hasSize(2);
        assertThat(journal.damagedLines()).isEqualTo(2);
        assertThat(journal.events("ended")).isEqualTo(ENDED);
        assertThat(journal.read(journal.runs(), (run, events) -> {})).isEqualTo(2);
        try (Sinks sinks =
                Sinks.builder().add("memory", new InMemorySink()).resending().build()) {
            assertThat(Replay.of(directory).sendTo(sinks, runs -> {}).damagedLines())
                    .isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void impostorOfAPlainSegment_doesNotHideTheCompressedOne(Impostor impostor) throws Exception {
        Path folder = record(ENDED);
        new Compression(Disk.LOCAL, () -> false).compress(new Segment(folder, 1));
        put(impostor, folder.resolve("events-1.jsonl"));
        assertThat(Journal.open(directory).events("ended")).isEqualTo(ENDED);
        assertThat(Journal.open(directory).damagedLines()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void deadWriter_withAnImpostorOfASegment_isRecovered(Impostor impostor) throws Exception {
        Path folder = record(OPEN);
        put(impostor, folder.resolve("events-2.jsonl"));
        Recovered recovered = Recovery.recover(directory);
        assertThat(recovered.problems()).isEmpty();
        assertThat(recovered.runs()).isEqualTo(1);
        assertThat(recovered.damagedLines()).isEqualTo(1);
        assertThat(Journal.open(directory).run("open").state()).isEqualTo(RunState.ABANDONED);
        assertThat(Files.exists(folder.resolve("events-3.jsonl"))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "PIPE,lock",
        "FOLDER,lock",
        "LINK,lock",
        "DEVICE,lock",
        "PIPE,runs.jsonl",
        "FOLDER,runs.jsonl",
        "LINK,runs.jsonl",
        "DEVICE,runs.jsonl",
        "PIPE,recovery.jsonl",
        "FOLDER,recovery.jsonl",
        "LINK,recovery.jsonl",
        "DEVICE,recovery.jsonl"
    })
    void deadWriter_withAnImpostor_isAProblem_untilThatIsTakenAway(Impostor impostor, String name) throws Exception {
        Path folder = record(OPEN);
        record(SampleEvents.withoutEnd(SampleEvents.bare("other")).toList());
        Path file = folder.resolve(name);
        Files.deleteIfExists(file);
        put(impostor, file);
        assertThat(Journal.endedRuns(directory)).isEmpty();
        assertThat(Journal.open(directory).run("open").state()).isEqualTo(RunState.UNFINISHED);
        assertThat(Recovery.recover(directory).problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem).contains(file + ": not a regular file"));
        assertThat(Journal.open(directory).run("other").state()).isEqualTo(RunState.ABANDONED);

        take(file);
        if (name.equals("lock")) {
            Files.createFile(file);
        }
        assertThat(Recovery.recover(directory).problems()).isEmpty();
        assertThat(Journal.open(directory).run("open").state()).isEqualTo(RunState.ABANDONED);
        assertThat(Journal.endedRuns(directory)).containsExactlyInAnyOrder("open", "other");
    }

    @ParameterizedTest
    @CsvSource({"PIPE,lock", "FOLDER,lock", "LINK,runs.jsonl", "DEVICE,events-1.jsonl"})
    void impostorBesideTheWritersFolders_hidesThemNot(Impostor impostor, String name) throws Exception {
        record(ENDED);
        put(impostor, directory.resolve(name));
        assertThat(Journal.open(directory).events("ended")).isEqualTo(ENDED);
    }

    @ParameterizedTest
    @EnumSource
    void writerThatLives_passesOver_whatTakesItsNames(Impostor impostor) throws Exception {
        JsonlSink sink = JsonlSink.builder().directory(directory).build();
        List<RunEvent> all = new ArrayList<>();
        all.addAll(write(sink, "first"));
        Path folder = folder(sink);
        put(impostor, folder.resolve("events-2.jsonl"));
        Files.delete(folder.resolve("events-1.jsonl"));
        all.clear();
        all.addAll(write(sink, "second"));
        Files.delete(folder.resolve("runs.jsonl"));
        put(impostor, folder.resolve("runs.jsonl"));
        all.addAll(write(sink, "third"));
        if (impostor != Impostor.FOLDER) { // it may hold what is somebody's
            Files.delete(folder.resolve("lock"));
            put(impostor, folder.resolve("lock"));
            all.addAll(write(sink, "fourth"));
            assertThat(WriterLock.isHeld(folder)).isTrue();
        }
        assertThat(sink.status().available()).isTrue();
        assertThat(sink.acknowledged().dropped()).isEmpty();
        sink.close();
        List<RunEvent> read = new ArrayList<>();
        Journal journal = Journal.open(folder);
        journal.read(journal.runs(), (run, events) -> read.addAll(events));
        assertThat(read).containsAll(all);
    }

    @ParameterizedTest
    @EnumSource
    void retention_deletesWhatItMay_andNoImpostor(Impostor impostor) throws Exception {
        Path withLock = record(ENDED);
        put(impostor, withLock.resolve("lock"));
        Path dead = record(SampleEvents.bare("dead"));
        Files.createFile(dead.resolve("lock"));
        put(impostor, dead.resolve("recovery.jsonl"));
        Path ended = record(SampleEvents.bare("late"));
        put(impostor, ended.resolve("events-2.jsonl"));
        Instant later = Instant.now().plus(Duration.ofDays(2));
        JsonlSink sink = JsonlSink.builder()
                .directory(directory)
                .keepAge(Duration.ofDays(1))
                .clock(() -> later)
                .background(Runnable::run)
                .build();
        write(sink, "new");
        sink.close();
        assertThat(sink.status().facts()).doesNotContainKey("housekeeping").containsEntry("segments_deleted", 1L);
        assertThat(withLock.resolve("events-1.jsonl")).exists();
        assertThat(dead.resolve("events-1.jsonl")).exists();
        assertThat(Files.exists(ended.resolve("events-2.jsonl"), LinkOption.NOFOLLOW_LINKS))
                .isTrue();
    }

    @Test
    void linkToASegment_isNoSegment() throws Exception {
        Path folder = record(ENDED);
        Path target = Files.move(folder.resolve("events-1.jsonl"), elsewhere.resolve("moved.jsonl"));
        Files.createSymbolicLink(folder.resolve("events-1.jsonl"), target);
        assertThat(Journal.open(directory).runs()).isEmpty();
        assertThat(Journal.open(directory).damagedLines()).isEqualTo(1);
    }

    // ----

    private Path record(List<RunEvent> events) {
        JsonlSink sink =
                JsonlSink.builder().directory(directory).compress(false).build();
        events.forEach(sink::onEvent);
        sink.onBatchEnd();
        sink.close();
        return folder(sink);
    }

    private static List<RunEvent> write(JsonlSink sink, String runId) {
        List<RunEvent> events = SampleEvents.bare(runId);
        events.forEach(sink::onEvent);
        sink.onBatchEnd();
        return events;
    }

    private static Path folder(JsonlSink sink) {
        return Path.of(sink.location("any").orElseThrow());
    }

    private void put(Impostor impostor, Path file) throws Exception {
        switch (impostor) {
            case PIPE ->
                assertThat(new ProcessBuilder("mkfifo", file.toString()).start().waitFor())
                        .isZero();
            case FOLDER -> Files.createFile(Files.createDirectory(file).resolve("content"));
            case LINK -> Files.createSymbolicLink(file, elsewhere.resolve("nothing"));
            case DEVICE -> Files.createSymbolicLink(file, Path.of("/dev/zero"));
        }
    }

    private static void take(Path file) throws IOException {
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            try (Stream<Path> content = Files.list(file)) {
                for (Path inside : content.toList()) {
                    Files.delete(inside);
                }
            }
        }
        Files.delete(file);
    }

    /** What has such a name. */
    private enum Impostor {
        PIPE,
        FOLDER,
        LINK,
        DEVICE
    }
}
