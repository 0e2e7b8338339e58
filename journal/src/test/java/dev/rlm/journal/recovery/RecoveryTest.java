package dev.rlm.journal.recovery;

import static dev.rlm.sinks.testkit.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.KilledWriter;
import dev.rlm.sinks.jsonl.SampleEvents;
import dev.rlm.sinks.testkit.InMemorySink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of the record of processes that were killed. */
@Timeout(120)
class RecoveryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<RunEvent> OPEN =
            SampleEvents.withoutEnd(SampleEvents.rich("open", "text")).toList();

    @TempDir
    Path directory;

    // ---- who died

    @Test
    void writer_thatEndsWell_leavesNoLock_andNothingToRecover() throws IOException {
        Path folder = record(SampleEvents.bare("run"));
        Map<Path, String> before = contents();

        assertThat(folder.resolve("lock")).doesNotExist();
        assertThat(Recovery.recover(directory)).isEqualTo(recovered(0, 0, 0));
        assertThat(contents()).isEqualTo(before);
    }

    @Test
    void writer_thatClosesWithARunOpen_isOneThatDied() {
        Path folder = record(OPEN);
        assertThat(folder.resolve("lock")).exists();
        assertThat(Recovery.recover(directory).runs()).isEqualTo(1);
    }

    @Test
    void writer_thatLives_isLeftAlone() throws IOException {
        try (JsonlSink sink = sink()) {
            OPEN.forEach(sink::onEvent);
            sink.onBatchEnd();
            Map<Path, String> before = contents();

            assertThat(Recovery.recover(directory)).isEqualTo(recovered(0, 0, 1));
            assertThat(Recovery.recover(directory).living()).isEqualTo(1);
            assertThat(contents()).isEqualTo(before);
            sink.onEvent(SampleEvents.end(OPEN.get(0).run(), 20, Outcome.COMPLETED, 2, 0));
        }
        assertThat(run("open").state()).isEqualTo(RunState.COMPLETED);
    }

    @Test
    void process_thatLives_isLeftAlone_andRecoveredWhenItWasKilled() throws Exception {
        Process writer = KilledWriter.start(directory, "open");
        try {
            assertThat(writer.getInputStream().read()).isEqualTo('!');
            assertThat(Recovery.recover(directory)).isEqualTo(recovered(0, 0, 1));
            assertThat(run("open").state()).isEqualTo(RunState.RUNNING);
        } finally {
            writer.destroyForcibly().waitFor();
        }
        assertThat(Recovery.recover(directory)).isEqualTo(recovered(1, 1, 0));
        assertThat(run("open").state()).isEqualTo(RunState.ABANDONED);
    }

    @Test
    void writer_thatHasOnlyMadeItsLock_isNeitherAliveNorAProblem() throws IOException {
        Path folder = Files.createDirectories(directory.resolve("20260101T000000Z-00000000"));
        Files.createFile(folder.resolve("lock"));
        assertThat(Recovery.recover(directory)).isEqualTo(recovered(0, 0, 0));
        try (BackgroundRecovery recovery = Recovery.start(directory, RecoveryTest::neverAsked)) {
            recovery.close(PATIENCE);
            assertThat(recovery.isUnfinished()).isFalse();
        }
        assertThat(names(folder)).containsExactly("lock");
    }

    // ---- the journal

    @Test
    void end_tellsWhatTheEventsTell_andNothingElseIsTouched() throws IOException {
        Path folder = record(OPEN);
        Map<Path, String> before = contents();

        assertThat(Recovery.recover(directory)).isEqualTo(recovered(1, 1, 0));

        RunEnded end = run("open").end();
        assertThat(end)
                .isEqualTo(RunEndedBuilder.builder()
                        .run(OPEN.get(0).run())
                        .seq(13)
                        .nanos(120)
                        .outcome(Outcome.ABANDONED)
                        .status(RunStatus.of(RunStatus.ABORTED, "its process died"))
                        .runPath(folder.toString())
                        .steps(2)
                        .absentRewards(1)
                        .rewards(2)
                        .build());
        assertThat(Journal.open(directory).events("open"))
                .hasSize(OPEN.size() + 1)
                .startsWith(OPEN.toArray(new RunEvent[0]));
        assertThat(names(folder))
                .containsExactlyInAnyOrder("lock", "events-1.jsonl", "events-2.jsonl", "runs.jsonl", "recovery.jsonl");
        assertThat(Files.readAllLines(folder.resolve("events-2.jsonl")).get(0)).contains("\"schema\"");
        assertThat(Files.readAllLines(folder.resolve("runs.jsonl")))
                .singleElement()
                .asString()
                .contains("\"run_id\":\"open\"", "\"outcome\":\"abandoned\"", "\"step_count_observed\":2");
        before.remove(folder.resolve("runs.jsonl"));
        assertThat(contents()).containsAllEntriesOf(before);
    }

    @Test
    void recoveringAgain_doesNothing_evenIfItWasCutShort() throws IOException {
        Path folder = record(OPEN);
        Recovery.recover(directory);
        Map<Path, String> after = contents();

        assertThat(Recovery.recover(directory).isNothing()).isTrue();
        assertThat(contents()).isEqualTo(after);

        Files.delete(folder.resolve("recovery.jsonl")); // as if the recovery had been killed before its last word
        assertThat(Recovery.recover(directory).runs()).isZero();
        assertThat(Journal.open(directory).events("open")).hasSize(OPEN.size() + 1);
        assertThat(Files.readAllLines(folder.resolve("runs.jsonl"))).hasSize(1);
    }

    @Test
    void tornLines_ofTheKilledWriter_areSetAside_andKept() throws IOException {
        Path folder = record(Stream.concat(OPEN.stream(), SampleEvents.bare("whole").stream())
                .toList());
        Map<Path, String> before = contents();
        Files.writeString(folder.resolve("events-1.jsonl"), "{\"type\":\"step_st", StandardOpenOption.APPEND);
        Files.writeString(folder.resolve("runs.jsonl"), "{\"timestamp\":\"20", StandardOpenOption.APPEND);

        Recovered recovered = Recovery.recover(directory);

        Path events = folder.resolve("events-1.torn");
        Path summaries = folder.resolve("runs.torn");
        assertThat(recovered)
                .isEqualTo(new Recovered(
                        1,
                        1,
                        0,
                        0,
                        List.of(new Recovered.SetAside(events, 16), new Recovered.SetAside(summaries, 16)),
                        List.of()));
        assertThat(events).hasContent("{\"type\":\"step_st");
        assertThat(summaries).hasContent("{\"timestamp\":\"20");
        assertThat(folder.resolve("events-1.jsonl")).hasContent(before.get(folder.resolve("events-1.jsonl")));
        assertThat(Files.readAllLines(folder.resolve("runs.jsonl")))
                .hasSize(2)
                .last()
                .asString()
                .contains("\"run_id\":\"open\"");
        assertThat(run("open").state()).isEqualTo(RunState.ABANDONED);
        assertThat(Journal.open(directory).damagedLines()).isZero();
    }

    @Test
    void run_thatHadEnded_butIsNotSummedUp_is() throws IOException {
        Path folder = record(Stream.concat(OPEN.stream(), SampleEvents.bare("ended").stream())
                .toList());
        Files.writeString(folder.resolve("runs.jsonl"), "");
        Recovery.recover(directory);
        assertThat(Files.readAllLines(folder.resolve("runs.jsonl")))
                .hasSize(2)
                .anyMatch(line -> line.contains("\"run_id\":\"ended\"") && line.contains("\"outcome\":\"completed\""));
        assertThat(run("ended").state()).isEqualTo(RunState.COMPLETED);
    }

    @Test
    void run_whoseStartIsLost_isEndedToo() {
        record(Stream.concat(OPEN.stream().skip(3), SampleEvents.withoutEnd(SampleEvents.bare("other")))
                .toList());
        assertThat(Recovery.recover(directory).runs()).isEqualTo(2);
        RunSummary run = run("open");
        assertThat(run.state()).isEqualTo(RunState.ABANDONED);
        assertThat(run.run().environment()).isEqualTo("calc");
        assertThat(run.duration()).isEqualTo(Duration.ofNanos(120));
    }

    @Test
    void run_thatEndedInAnotherFolder_orGoesOnThere_isNotAbandoned() {
        record(OPEN);
        record(SampleEvents.rich("open", "text"));
        assertThat(Recovery.recover(directory).runs()).isZero();
        assertThat(run("open").state()).isEqualTo(RunState.FAILED);

        record(SampleEvents.withoutEnd(SampleEvents.bare("moved")).toList());
        try (JsonlSink other = sink()) {
            other.onEvent(SampleEvents.bare("moved").get(1));
            other.onBatchEnd();
            assertThat(Recovery.recover(directory).runs()).isZero();
            assertThat(run("moved").state()).isEqualTo(RunState.RUNNING);
        }
    }

    @Test
    void recovery_thatWasKilledAnywhere_isMadeUpForByTheNext() throws IOException {
        Path folder = record(OPEN);
        Recovery.recover(directory);
        Map<String, byte[]> whole = new LinkedHashMap<>(); // in the order in which they are written
        for (String name : List.of("events-2.jsonl", "runs.jsonl", "recovery.jsonl")) {
            whole.put(name, Files.readAllBytes(folder.resolve(name)));
            Files.delete(folder.resolve(name));
        }
        for (String torn : whole.keySet()) {
            byte[] bytes = whole.get(torn);
            for (int cut : new int[] {0, 1, bytes.length / 2, bytes.length - 2}) {
                Files.write(folder.resolve(torn), Arrays.copyOf(bytes, cut));
                Recovery.recover(directory);
                assertThat(run("open").state()).isEqualTo(RunState.ABANDONED);
                assertThat(Journal.open(directory).events("open")).hasSize(OPEN.size() + 1);
                assertThat(Files.readAllLines(folder.resolve("runs.jsonl")).stream()
                                .filter(line -> line.endsWith("}")))
                        .hasSize(1);
                assertThat(Recovery.recover(directory).isNothing()).isTrue();
                restore(folder, whole, torn);
            }
            Files.write(folder.resolve(torn), bytes);
        }
    }

    /** As it was before the recovery, with those of its files that are written before the given one. */
    private static void restore(Path folder, Map<String, byte[]> written, String before) throws IOException {
        for (String name : names(folder)) {
            if (written.containsKey(name) || name.equals("events-3.jsonl")) {
                Files.delete(folder.resolve(name));
            }
        }
        for (String name : written.keySet()) {
            if (name.equals(before)) {
                return;
            }
            Files.write(folder.resolve(name), written.get(name));
        }
    }

    @Test
    void run_thatIsOpenInTwoFolders_isEndedInOne() throws IOException {
        record(OPEN);
        record(OPEN.subList(0, 3));
        assertThat(Recovery.recover(directory)).isEqualTo(recovered(2, 1, 0));
        assertThat(endsIn(directory)).isEqualTo(1);
    }

    @Tag("thorough")
    @Tag("smoke")
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void recovery_withoutRoomForTheEnds_leavesNoBeginnings_andIsMadeUpForLater() throws Exception {
        Path folder = record(IntStream.range(0, 40)
                .boxed()
                .flatMap(i -> SampleEvents.withoutEnd(SampleEvents.bare("open-" + i)))
                .toList());
        for (int i = 0; i < 2; i++) {
            assertThat(Recoverer.startWithin(1, directory).waitFor()).isEqualTo(1);
            assertThat(names(folder)).containsExactlyInAnyOrder("lock", "events-1.jsonl", "runs.jsonl");
        }
        assertThat(Recovery.recover(directory)).isEqualTo(recovered(1, 40, 0));
    }

    @Test
    void folder_ofANewerVersion_isAProblem_andTheOthersAreRecovered() throws IOException {
        Path newer = record(SampleEvents.withoutEnd(SampleEvents.bare("newer")).toList());
        Path file = newer.resolve("events-1.jsonl");
        Files.writeString(file, Files.readString(file).replace("\"version\":2", "\"version\":3"));
        record(OPEN);
        Recovered recovered = Recovery.recover(directory);
        assertThat(recovered.runs()).isEqualTo(1);
        assertThat(recovered.problems()).singleElement().asString().contains("newer version");
    }

    @Test
    void recoveries_atTheSameTime_writeOneEnd() throws IOException {
        for (int i = 0; i < 20; i++) {
            record(SampleEvents.withoutEnd(SampleEvents.rich("open-" + i, "text"))
                    .toList());
            CompletableFuture<Recovered> one = CompletableFuture.supplyAsync(() -> Recovery.recover(directory));
            CompletableFuture<Recovered> two = CompletableFuture.supplyAsync(() -> Recovery.recover(directory));
            assertThat(one.join().runs() + two.join().runs()).isEqualTo(1);
        }
        assertThat(endsIn(directory)).isEqualTo(20);
    }

    @Test
    void recoveries_ofSeveralProcesses_writeOneEnd() throws Exception {
        for (int i = 0; i < 5; i++) {
            record(SampleEvents.withoutEnd(SampleEvents.rich("open-" + i, "text"))
                    .toList());
        }
        List<Process> processes = List.of(Recoverer.start(directory), Recoverer.start(directory));
        for (Process process : processes) {
            assertThat(process.waitFor()).isZero();
        }
        assertThat(endsIn(directory)).isEqualTo(5);
        assertThat(Journal.open(directory).runs()).allMatch(run -> run.state() == RunState.ABANDONED);
    }

    @Test
    void folder_withoutJournal_isRefused_butNotAtAProgramsStart() {
        assertThatThrownBy(() -> Recovery.recover(directory.resolve("none"))).isInstanceOf(JournalException.class);
        try (BackgroundRecovery recovery = Recovery.start(directory.resolve("none"), RecoveryTest::neverAsked)) {
            assertThat(recovery.recovered().isNothing()).isTrue();
        }
    }

    // ---- sending

    @Test
    void allRunsOfADeadWriter_areSent_once() throws IOException {
        List<RunEvent> ended = SampleEvents.bare("ended");
        Path folder = record(Stream.concat(OPEN.stream(), ended.stream()).toList());
        record(SampleEvents.bare("of a writer that ended well"));
        InMemorySink sink = new InMemorySink();

        Recovery.Sent first = recover(sink);

        assertThat(first.journal()).isEqualTo(recovered(1, 1, 0));
        assertThat(first.sent().isComplete()).isTrue();
        assertThat(first.sent().runs()).isEqualTo(2);
        assertThat(of("open", sink))
                .startsWith(OPEN.toArray(new RunEvent[0]))
                .last()
                .isInstanceOf(RunEnded.class);
        assertThat(of("ended", sink)).isEqualTo(ended);
        assertThat(sink.events()).hasSize(OPEN.size() + 1 + ended.size());
        assertThat(Files.readAllLines(folder.resolve("recovery.jsonl")))
                .hasSize(2)
                .last()
                .asString()
                .contains("\"sink\":\"memory\"");

        assertThat(recover(sink).sent().events()).isZero();
        assertThat(sink.events()).hasSize(OPEN.size() + 1 + ended.size());
    }

    @Test
    void recoveryWithoutASink_isCompletedByALaterOne() {
        record(OPEN);
        Recovery.recover(directory);
        InMemorySink sink = new InMemorySink();
        Recovery.Sent later = recover(sink);
        assertThat(later.journal()).isEqualTo(recovered(1, 0, 0));
        assertThat(sink.events()).hasSize(OPEN.size() + 1);
    }

    @Test
    void whatHasNotArrived_isNotNoted_andSentAgain() {
        record(OPEN);
        Sink dead = new Sink() {
            @Override
            public void onEvent(Event event) {
                throw new UncheckedIOException(new IOException("no back end"));
            }
        };
        Recovery.Sent failed = recover(dead);
        assertThat(failed.sent().isComplete()).isFalse();
        assertThat(failed.sent().sinks())
                .singleElement()
                .satisfies(
                        sink -> assertThat(sink.problem()) // it may be given up before the last three are offered to it
                                .containsPattern("in quarantine .*; 1[0-3] of 13 events were lost"));

        InMemorySink sink = new InMemorySink();
        assertThat(recover(sink).sent().isComplete()).isTrue();
        assertThat(sink.events()).hasSize(OPEN.size() + 1);
    }

    @Test
    void deadFolder_thatIsBeingSent_isLeftAloneByOthers() throws Exception {
        record(OPEN);
        CountDownLatch gate = new CountDownLatch(1);
        Sink slow = new Sink() {
            @Override
            public void onEvent(Event event) {
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        CompletableFuture<Recovery.Sent> first = CompletableFuture.supplyAsync(() -> recover(slow));
        await().atMost(PATIENCE).until(() -> run("open").end() != null);
        InMemorySink sink = new InMemorySink();
        await().atMost(PATIENCE).until(() -> recover(sink).journal().living() == 1);
        gate.countDown();
        assertThat(first.get().sent().isComplete()).isTrue();
    }

    // ---- at a program's start

    @Test
    void start_writesEnds_andSends() {
        record(OPEN);
        InMemorySink sink = new InMemorySink();
        try (BackgroundRecovery recovery = Recovery.start(directory, () -> hub(sink))) {
            recovery.close(Duration.ofSeconds(60));
            assertThat(recovery.recovered()).isEqualTo(recovered(1, 1, 0));
            assertThat(run("open").state()).isEqualTo(RunState.ABANDONED);
            assertThat(recovery.isUnfinished()).isFalse();
            assertThat(recovery.resent()).map(Resent::runs).contains(1);
        }
        assertThat(sink.events()).hasSize(OPEN.size() + 1);
    }

    @Test
    @SuppressWarnings("LockOnNonEnclosingClassLiteral") // to hold another thread up
    void start_doesNotWait_untilARecordIsRead() {
        record(OPEN);
        BackgroundRecovery recovery;
        synchronized (WriterLock.class) { // which another thread needs to take the record
            recovery = Recovery.start(directory, () -> hub(new InMemorySink()));
            assertThat(recovery.isUnfinished()).isTrue();
            assertThat(recovery.recovered().isNothing()).isTrue();
        }
        try (recovery) {
            await().atMost(PATIENCE).until(() -> recovery.recovered().runs() == 1);
        }
    }

    @Test
    void start_withNothingToRecover_makesNoHub() {
        record(SampleEvents.bare("run"));
        try (BackgroundRecovery recovery = Recovery.start(directory, RecoveryTest::neverAsked)) {
            assertThat(recovery.recovered().isNothing()).isTrue();
        }
    }

    @Test
    void start_isStopped_withWhatItCouldNotSend() throws Exception {
        record(OPEN);
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch sending = new CountDownLatch(1);
        Sink stuck = new Sink() {
            @Override
            public void onEvent(Event event) {
                sending.countDown();
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        BackgroundRecovery recovery = Recovery.start(directory, () -> hub(stuck));
        assertThat(sending.await(1, TimeUnit.MINUTES)).isTrue();
        recovery.close(Duration.ofMillis(50));
        assertThat(recovery.isUnfinished()).isTrue();
        gate.countDown();
        await().atMost(PATIENCE).until(() -> recovery.resent().isPresent());
        assertThat(recover(new InMemorySink()).sent().runs()).isEqualTo(1);
    }

    private static Recovered recovered(int writers, int runs, int living) {
        return new Recovered(writers, runs, living, 0, List.of(), List.of());
    }

    private static Sinks neverAsked() {
        throw new AssertionError("there is nothing to send");
    }

    private Recovery.Sent recover(Sink sink) {
        try (Sinks sinks = hub(sink)) {
            return Recovery.recover(directory, sinks, runs -> {});
        }
    }

    private static Sinks hub(Sink sink) {
        return Sinks.builder().add("memory", sink).resending().build();
    }

    private static List<RunEvent> of(String runId, InMemorySink sink) {
        return sink.events().stream()
                .filter(RunEvent.class::isInstance)
                .map(RunEvent.class::cast)
                .filter(event -> event.run().runId().equals(runId))
                .toList();
    }

    private RunSummary run(String runId) {
        return Journal.open(directory).run(runId);
    }

    private static long endsIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith("events-"))
                    .flatMap(RecoveryTest::lines)
                    .filter(line -> line.startsWith("{\"type\":\"run_ended\""))
                    .count();
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private Map<Path, String> contents() throws IOException {
        Map<Path, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(file, file.endsWith("lock") ? "" : Files.readString(file));
            }
        }
        return contents;
    }

    private JsonlSink sink() {
        return JsonlSink.builder().directory(directory).build();
    }

    private Path record(List<? extends Event> events) {
        try (JsonlSink sink = sink()) {
            events.forEach(sink::onEvent);
            sink.onBatchEnd();
            return Path.of(sink.location("").orElseThrow());
        }
    }
}
