package dev.rlm.sinks.jsonl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.WriterStatus;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.format.segment.Segment;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.maintenance.RunDeletion;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.testkit.InMemorySink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A writer goes on in the folder of one that has ended well a short while ago. */
class SharedFolderTest {
    @TempDir
    private Path directory;

    private JsonlSink sink() {
        return JsonlSink.builder().directory(directory).build();
    }

    private Path record(String run) {
        JsonlSink sink = sink();
        SampleEvents.bare(run).forEach(sink::onEvent);
        sink.close();
        return sink.recordPath().orElseThrow();
    }

    @Test
    void manyShortProcesses_leaveOneFolder_andEachRunIsThereAsInAFolderOfItsOwn() throws IOException {
        for (int i = 0; i < 300; i++) {
            record("run-" + i);
        }

        assertThat(JournalFolder.writers(directory)).hasSize(1);
        Journal journal = Journal.open(directory);
        assertThat(journal.runs()).hasSize(300);
        assertThat(journal.damagedLines()).isZero();
        assertThat(Journal.endedRuns(directory)).hasSize(300);
        Path alone = Files.createDirectory(directory.resolve("alone"));
        try (JsonlSink sink = JsonlSink.builder().directory(alone).build()) {
            SampleEvents.bare("run-7").forEach(sink::onEvent);
        }
        assertThat(journal.events("run-7")).isEqualTo(Journal.open(alone).events("run-7"));
    }

    @Test
    void writersAtOnce_neverShareOne() {
        Path left = record("left");
        try (JsonlSink first = sink();
                JsonlSink second = sink();
                JsonlSink third = sink()) {
            List<JsonlSink> all = List.of(first, second, third);
            for (int i = 0; i < all.size(); i++) {
                SampleEvents.bare("run-" + i).forEach(all.get(i)::onEvent);
            }
            assertThat(all)
                    .extracting(sink -> sink.recordPath().orElseThrow())
                    .doesNotHaveDuplicates()
                    .contains(left);
        }
        assertThat(Journal.open(directory).runs()).hasSize(4);
    }

    @Test
    void sinkThatIsGivenEventsAfterItsClose_waitsForNoOtherThatWentOnThere() throws IOException {
        JsonlSink closed = sink();
        SampleEvents.bare("one").forEach(closed::onEvent);
        closed.close();
        try (JsonlSink next = sink()) {
            assertThat(next.recordPath()).isEqualTo(closed.recordPath());
            SampleEvents.bare("late").forEach(closed::onEvent);
            assertThatThrownBy(() -> closed.flush(Duration.ofSeconds(1))).hasMessageContaining("another writes in");
            SampleEvents.bare("two").forEach(next::onEvent);
        }
        assertThat(Journal.open(directory).runs()).extracting(RunSummary::runId).containsExactly("one", "two");
    }

    @Test
    void oneThatRecordsNothing_leavesAllAsItWas() throws IOException {
        Path left = record("left");
        byte[] before = Files.readAllBytes(left.resolve("events-1.jsonl"));

        sink().close();

        assertThat(left.resolve("events-1.jsonl")).hasBinaryContent(before);
        try (Stream<Path> files = Files.list(left)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("events-1.jsonl", "runs.jsonl");
        }
    }

    @Test
    void folderThatMayBeOfAnother_orIsOld_orHoldsMuch_isLeftAlone() throws IOException {
        Path torn = record("torn");
        Files.writeString(torn.resolve("events-1.jsonl"), "{\"half", StandardOpenOption.APPEND);
        Path earlier = record("earlier");
        Path events = earlier.resolve("events-1.jsonl");
        Files.writeString(events, Files.readString(events).replaceFirst("\"version\":2", "\"version\":1"));
        Path later = record("later");
        events = later.resolve("events-1.jsonl");
        Files.writeString(events, Files.readString(events).replaceFirst("\"version\":2", "\"version\":3"));
        Path noted = record("noted");
        Files.createFile(noted.resolve("recovery.jsonl"));
        Path linked = record("linked");
        Path elsewhere = Files.move(linked, directory.resolve("elsewhere"));
        Files.createSymbolicLink(linked, elsewhere);
        Path large = record("large");
        Files.writeString(large.resolve("events-1.jsonl"), " ".repeat(8_000_000) + "\n", StandardOpenOption.APPEND);
        Path old = record("old");
        Path aged = directory.resolve(
                JournalFolder.newName(InstantSource.fixed(Instant.now().minus(Duration.ofHours(25)))));
        Files.move(old, aged, StandardCopyOption.ATOMIC_MOVE);

        assertThat(record("new")).isNotIn(torn, earlier, later, noted, linked, large, aged);
        assertThat(List.of(torn, earlier, later, noted, linked, large, aged)).doesNotHaveDuplicates();
    }

    @Test
    void fileAtTheEndOfItsSize_isFollowedByAnother() throws IOException {
        Path left = record("left");
        JsonlSink sink =
                JsonlSink.builder().directory(directory).rotateSize(100_000).build();
        assertThat(sink.recordPath()).hasValue(left);
        for (int i = 0; i < 50; i++) {
            SampleEvents.rich("run-" + i, "x".repeat(5_000)).forEach(sink::onEvent);
            sink.onBatchEnd();
        }
        sink.close();

        assertThat(Segment.of(left)).hasSizeGreaterThan(2);
        assertThat(Journal.open(directory).runs()).hasSize(51);
        assertThat(Journal.open(directory).writers()).hasSize(2);
        assertThat(record("next")).isNotEqualTo(left);
    }

    @Test
    void ledgers_areToldEach_andTheLivingOneIsKnown() throws IOException {
        Path left;
        try (JsonlSink sink = sink()) {
            SampleEvents.bare("one").forEach(sink::onEvent);
            sink.onEvent(SampleEvents.ledger());
            left = sink.recordPath().orElseThrow();
        }
        JsonlSink living = sink();
        SampleEvents.bare("two").forEach(living::onEvent);
        living.onEvent(SampleEvents.ledger());
        SampleEvents.bare("open").subList(0, 3).forEach(living::onEvent);
        living.onBatchEnd();

        Journal journal = Journal.open(directory);
        assertThat(journal.ledgers()).hasSize(2);
        assertThat(journal.writers())
                .extracting(WriterStatus::state, writer -> writer.ledger() != null)
                .containsExactlyInAnyOrder(
                        tuple(WriterStatus.State.CLOSED, true), tuple(WriterStatus.State.LIVE, true));
        assertThat(journal.run("one").isWriterAlive()).isFalse();
        assertThat(journal.run("one").isWriterHeld()).isFalse();
        assertThat(journal.run("open").isWriterHeld()).isTrue();
        assertThat(journal.run("open").state()).isEqualTo(RunState.RUNNING);
        assertThat(journal.run("one").folders())
                .isEqualTo(List.of(left))
                .isEqualTo(journal.run("open").folders());
        living.close();
        assertThat(WriterLock.exists(left)).isTrue(); // a run is open
        assertThat(Recovery.recover(directory).runs()).isEqualTo(1);
        assertThat(record("next")).isNotEqualTo(left);
    }

    @Test
    @Timeout(120)
    @DisabledOnOs(OS.WINDOWS)
    void writerThatIsKilled_isRecovered_andItsRunsAloneAreSent() throws Exception {
        Path left = record("before");
        Process killed = KilledWriter.start(directory, "killed");
        assertThat(killed.getInputStream().read()).isEqualTo('!');
        killed.destroyForcibly().waitFor();
        assertThat(JournalFolder.writers(directory)).containsExactly(left);
        InMemorySink recorder = new InMemorySink();
        int sent;
        try (Sinks sinks =
                Sinks.builder().add("recorder", recorder).recovering().build()) {
            sent = Recovery.recover(directory, sinks, runs -> {}).sent().runs();
        }

        Journal journal = Journal.open(directory);
        assertThat(journal.runs())
                .allMatch(run -> run.state() != RunState.UNFINISHED && run.state() != RunState.RUNNING);
        assertThat(sent).isEqualTo(journal.runs().size() - 1).isPositive();
        assertThat(recorder.events())
                .noneMatch(event ->
                        event instanceof RunEvent ofRun && ofRun.run().runId().equals("before"));
        assertThat(journal.events("before")).hasSameSizeAs(SampleEvents.bare("before"));
        assertThat(Recovery.recover(directory).isNothing()).isTrue();
    }

    @Test
    void lockOfOneThatWasKilledBeforeItWroteALine_isTakenAwayByARecovery() throws IOException {
        Path left = record("left");
        Files.writeString(left.resolve("lock"), "20261130T000000Z-01234567");
        Files.createFile(left.resolve("lock.89abcdef"));

        assertThat(Recovery.recover(directory).isNothing()).isTrue();

        assertThat(record("next")).isEqualTo(left);
        try (Stream<Path> files = Files.list(left)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("events-1.jsonl", "runs.jsonl");
        }
    }

    @Test
    void deletion_waitsForNobodyWhoGoesOnThere_andLeavesTheFolderFree() throws IOException {
        Path left = record("goes");
        record("stays");
        Journal journal = Journal.open(directory);
        try (WriterLock held =
                WriterLock.takeOver(left, "20261130T000000Z-01234567").orElseThrow()) {
            assertThat(RunDeletion.of(journal, List.of(journal.run("goes"))).refused())
                    .hasSize(1);
            held.remove();
        }
        RunDeletion.of(journal, List.of(journal.run("goes"))).delete(folders -> {});

        assertThat(Journal.open(directory).runs()).extracting(RunSummary::runId).containsExactly("stays");
        assertThat(WriterLock.exists(left)).isFalse();
    }
}
