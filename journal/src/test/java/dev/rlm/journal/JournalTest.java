package dev.rlm.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.journal.format.segment.WriterLock;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.journal.recovery.LockLooker;
import dev.rlm.journal.recovery.Replay;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.KilledWriter;
import dev.rlm.sinks.jsonl.SampleEvents;
import dev.rlm.sinks.testkit.InMemorySink;
import io.airlift.compress.zstd.ZstdOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class JournalTest {
    @TempDir
    Path directory;

    @Test
    void run_thatHasEnded_isSummedUp() {
        Path folder = record(SampleEvents.rich("run", "x"));
        RunSummary run = Journal.open(directory).run("run");
        assertThat(run.state()).isEqualTo(RunState.FAILED);
        assertThat(run.isSolved()).isTrue();
        assertThat(run.steps()).isEqualTo(2);
        assertThat(run.totalReward()).isEqualTo(-0.1);
        assertThat(run.duration()).isEqualTo(Duration.ofNanos(130));
        assertThat(run.folders()).containsExactly(folder);
        assertThat(run.run()).isEqualTo(SampleEvents.richRun("run", "x"));
    }

    @Test
    void folderOfAWriter_isAJournalToo() {
        Path folder = record(SampleEvents.bare("run"));
        assertThat(Journal.open(folder).events("run")).isEqualTo(SampleEvents.bare("run"));
    }

    @Test
    void writers_inOneFolder_areReadTogether() {
        try (JsonlSink one = sink();
                JsonlSink two = sink()) {
            record(one, SampleEvents.bare("b"));
            record(two, SampleEvents.bare("a"));
            Journal journal = Journal.open(directory);
            assertThat(journal.runs()).extracting(run -> run.run().runId()).containsExactly("a", "b");
            assertThat(journal.events("a")).isEqualTo(SampleEvents.bare("a"));
            assertThat(journal.damagedLines()).isZero();
        }
    }

    @Test
    void run_whoseEndAnotherWriterRecorded_isOne() {
        List<RunEvent> events = SampleEvents.rich("run", "x");
        Path one = record(SampleEvents.withoutEnd(events).toList());
        Path two = record(events.subList(events.size() - 2, events.size()));
        Journal journal = Journal.open(directory);
        assertThat(journal.runs()).hasSize(1);
        assertThat(journal.run("run").folders()).containsExactlyInAnyOrder(one, two);
        assertThat(journal.events("run")).isEqualTo(events);
    }

    @Test
    void events_outOfOrderAndRepeated_comeOnceAndInOrder() {
        List<RunEvent> events = SampleEvents.bare("run");
        List<RunEvent> shuffled = new ArrayList<>(events);
        Collections.reverse(shuffled);
        shuffled.addAll(events);
        record(shuffled);
        assertThat(Journal.open(directory).events("run"))
                .extracting(RunEvent::seq)
                .containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    }

    @Test
    void runs_areReadWholeInOnePass_withWhatCameLate() {
        try (JsonlSink one = sink(SampleEvents.START);
                JsonlSink two = sink(SampleEvents.START.plusSeconds(1))) {
            List<RunEvent> a = SampleEvents.rich("a", "x");
            List<RunEvent> b = SampleEvents.bare("b");
            record(one, a.subList(0, 5));
            record(one, b);
            record(two, a.subList(5, a.size()));
            Journal journal = Journal.open(directory);
            Map<String, List<RunEvent>> read = new LinkedHashMap<>();
            long damaged = journal.read(
                    journal.runs(), (run, events) -> read.put(run.run().runId(), events));
            assertThat(damaged).isZero();
            assertThat(read).containsEntry("a", a).containsEntry("b", b).hasSize(2);
            assertThat(read.keySet()).containsExactly("b", "a"); // as each has become whole
        }
    }

    /** As after all runs of a journal were scored again. */
    @Test
    void fewRuns_areReadWhole_whereLateRewardsOfAllLieInOneFolder() {
        Map<String, List<RunEvent>> recorded = new LinkedHashMap<>();
        try (JsonlSink one = sink(SampleEvents.START);
                JsonlSink two = sink(SampleEvents.START.plusSeconds(1));
                JsonlSink late = sink(SampleEvents.START.plusSeconds(2))) {
            for (int i = 0; i < 10; i++) {
                List<RunEvent> events = new ArrayList<>(SampleEvents.rich("run-" + i, "x"));
                record(i % 2 == 0 ? one : two, events);
                RunEvent given = events.stream()
                        .filter(RewardGiven.class::isInstance)
                        .findFirst()
                        .orElseThrow();
                RewardGiven again = RewardGivenBuilder.builder((RewardGiven) given)
                        .seq(1_000_000)
                        .build();
                record(late, List.of(again));
                events.add(again);
                recorded.put("run-" + i, events);
            }
            Journal journal = Journal.open(directory);
            Map<String, List<RunEvent>> read = new LinkedHashMap<>();
            journal.read(
                    List.of(journal.run("run-0"), journal.run("run-1")),
                    (run, events) -> read.put(run.run().runId(), events));
            assertThat(read)
                    .containsOnlyKeys("run-0", "run-1")
                    .allSatisfy((id, events) -> assertThat(events).isEqualTo(recorded.get(id)));
        }
    }

    @Test
    void events_ofSomeKindsAlone_areReadWhereTheyAreAskedFor() {
        List<RunEvent> events = SampleEvents.rich("run", "x");
        record(events);
        Journal journal = Journal.open(directory);
        List<RunEvent> read = new ArrayList<>();
        journal.read(journal.runs(), Set.of(RewardGiven.class, StepStarted.class), (run, some) -> read.addAll(some));
        assertThat(read)
                .isNotEmpty()
                .isEqualTo(events.stream()
                        .filter(event -> event instanceof RewardGiven || event instanceof StepStarted)
                        .toList());
        assertThat(journal.run("run").events()).isEqualTo(events.size());
        assertThat(journal.run("run").isIncomplete()).isFalse();
    }

    @Test
    void folderThatIsDeleted_whileTheJournalIsRead_isNoDamage_andNobodysFailure() throws IOException {
        List<RunEvent> other = SampleEvents.rich("other", "x");
        Path gone;
        try (JsonlSink one = sink(SampleEvents.START);
                JsonlSink two = sink(SampleEvents.START.plusSeconds(1))) {
            gone = record(one, SampleEvents.bare("gone"));
            record(two, other);
        }
        Journal journal = Journal.open(directory);
        RunTail tail = journal.follow("gone");
        Replay replay = Replay.of(directory);
        for (String file : List.of("events-1.jsonl", "runs.jsonl")) {
            Files.delete(gone.resolve(file));
        }
        Files.delete(gone); // as retention does
        Map<String, List<RunEvent>> read = new LinkedHashMap<>();
        assertThat(journal.read(
                        journal.runs(), (run, events) -> read.put(run.run().runId(), events)))
                .isZero();
        assertThat(read).containsOnly(Map.entry("other", other), Map.entry("gone", List.of()));
        assertThat(tail.isLive()).isFalse();
        assertThat(tail.poll()).isEmpty();
        try (Sinks sinks =
                Sinks.builder().add("memory", new InMemorySink()).resending().build()) {
            assertThat(replay.sendTo(sinks, runs -> {}).damagedLines()).isZero();
        }
        assertThat(WriterLock.take(gone)).isEmpty();
    }

    @Test
    void run_isHandedOverWhole_whateverIsRecordedMeanwhile_orHasOnlyAGoodBeginning() throws IOException {
        List<RunEvent> events = SampleEvents.rich("run", "x");
        try (JsonlSink first = sink(SampleEvents.START);
                JsonlSink second = sink(SampleEvents.START.plusSeconds(1))) {
            Path folder = record(first, events.subList(0, 5));
            record(second, events.subList(5, events.size()));
            Files.writeString(
                    folder.resolve("events-1.jsonl"),
                    "{\"type\":\"step_ended\",\"run_id\":\"run\",\"seq\":9,\"time\":\"never\",\"nanos\":0}\n",
                    StandardOpenOption.APPEND);
            Journal journal = Journal.open(directory);
            record(first, List.of(SampleEvents.reward(events.get(0).run(), 14)));
            List<RunEvent> read = new ArrayList<>();
            long damaged = journal.read(journal.runs(), (run, its) -> read.addAll(its));
            assertThat(read).containsAll(events);
            assertThat(damaged).isEqualTo(1);
        }
    }

    @Test
    void endOfAStep_thatIsReadBeforeItsStart_knowsWhatTheAgentSaw() {
        List<RunEvent> events = SampleEvents.rich("run", "seen");
        try (JsonlSink first = sink(SampleEvents.START);
                JsonlSink second = sink(SampleEvents.START.plusSeconds(1))) {
            record(first, events.subList(5, events.size()));
            record(second, events.subList(0, 5));
        }
        Journal journal = Journal.open(directory);
        List<RunEvent> read = new ArrayList<>();
        journal.read(journal.runs(), (run, its) -> read.addAll(its));
        assertThat(read).isEqualTo(events);
        assertThat(journal.events("run")).isEqualTo(events);
    }

    @Test
    void compressedSegment_isReadLikeAPlainOne_alsoFromItsMiddle() throws IOException {
        List<RunEvent> events = SampleEvents.rich("run", "x");
        Path folder = record(events);
        RunTail tail = Journal.open(directory).follow("run");
        assertThat(tail.poll()).isEqualTo(events);
        compress(folder);
        Files.deleteIfExists(folder.resolve("runs.jsonl"));
        assertThat(tail.poll()).isEmpty();
        Journal journal = Journal.open(directory);
        assertThat(journal.damagedLines()).isZero();
        assertThat(journal.events("run")).isEqualTo(events);
    }

    @Test
    void compressedSegment_thatIsReadTwice_isDecompressedOnce() throws IOException {
        List<RunEvent> events = SampleEvents.rich("run", "x");
        Path compressed = compress(record(events));
        Journal once = Journal.open(directory);
        Journal twice = Journal.openToRead(directory, IndexCache.NONE);
        Files.writeString(compressed, "damage");

        assertThat(eventsOf(once)).isEmpty();
        assertThat(eventsOf(twice)).isEqualTo(events);
        assertThat(eventsOf(twice)).as("kept for one reading").isEmpty();
    }

    @Tag("thorough")
    @Test
    void whatIsMadeOfRuns_onAnyThread_comesInTheirOrder_onTheCallersThread() {
        for (int i = 0; i < 100; i++) {
            record(SampleEvents.rich("run-" + i, "x".repeat(i * 100)));
        }
        Journal journal = Journal.open(directory);
        List<List<RunEvent>> one = new ArrayList<>();
        journal.read(journal.runs(), (run, events) -> one.add(events));
        Set<Thread> takers = new HashSet<>();
        List<List<RunEvent>> made = new ArrayList<>();

        long damaged = journal.read(journal.runs(), (run, events) -> events, events -> {
            takers.add(Thread.currentThread());
            made.add(events);
        });

        assertThat(damaged).isZero();
        assertThat(made).hasSize(100).isEqualTo(one);
        assertThat(takers).containsExactly(Thread.currentThread());
    }

    private static List<RunEvent> eventsOf(Journal journal) {
        List<RunEvent> read = new ArrayList<>();
        journal.read(journal.runs(), (run, its) -> read.addAll(its));
        return read;
    }

    /** Puts a compressed file in the place of the first one. */
    private static Path compress(Path folder) throws IOException {
        Path plain = folder.resolve("events-1.jsonl");
        Path compressed = folder.resolve("events-1.jsonl.zst");
        try (OutputStream out = new ZstdOutputStream(Files.newOutputStream(compressed))) {
            out.write(Files.readAllBytes(plain));
        }
        Files.delete(plain);
        return compressed;
    }

    // ---- damage

    @Test
    void tornTail_isCounted_andTheRestRead() throws IOException {
        List<RunEvent> events = SampleEvents.bare("run");
        Path file = record(events).resolve("events-1.jsonl");
        String whole = Files.readString(file);
        Files.writeString(file, whole.substring(0, whole.length() - 10));
        Journal journal = Journal.open(directory);
        assertThat(journal.damagedLines()).isEqualTo(1);
        assertThat(journal.run("run").state()).isEqualTo(RunState.UNFINISHED);
        assertThat(journal.events("run"))
                .isEqualTo(SampleEvents.withoutEnd(events).toList());
    }

    @Test
    void folder_thatCannotBeRead_isCounted_andTheRestRead() throws IOException {
        List<RunEvent> events = SampleEvents.bare("run");
        record(events);
        Files.createDirectories(directory.resolve("20260101T000001Z-deadbeef/events-1.jsonl"));
        Journal journal = Journal.open(directory);
        assertThat(journal.damagedLines()).isEqualTo(1);
        assertThat(journal.events("run")).isEqualTo(events);
    }

    @Test
    void garbage_isCounted_andTheRestRead() throws IOException {
        List<RunEvent> events = SampleEvents.rich("run", "x");
        Path file = record(events).resolve("events-1.jsonl");
        byte[] garbage = new byte[1000];
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.add(3, "");
        lines.add(5, "{\"type\":\"step_ended\",\"run_id\":\"run\"");
        lines.add(6, "{\"type\":\"step_ended\",\"run_id\":7,,}");
        lines.add(7, "{\"type\":\"run_ended\",\"run_id\":\"run\",\"seq\":1}");
        lines.add(8, "plain text");
        lines.add(9, "{\"type\":\"of a later version\",\"run_id\":\"run\",\"seq\":99,\"nanos\":1}");
        Files.write(file, lines);
        Files.write(file, garbage, StandardOpenOption.APPEND);
        Journal journal = Journal.open(directory);
        assertThat(journal.damagedLines()).isEqualTo(6);
        assertThat(journal.run("run").state()).isEqualTo(RunState.FAILED);
        assertThat(journal.events("run")).isEqualTo(events);
    }

    @Test
    void journal_ofANewerVersion_isRefused() throws IOException {
        Path file = record(SampleEvents.bare("run")).resolve("events-1.jsonl");
        Files.writeString(file, Files.readString(file).replace("\"version\":2", "\"version\":3"));
        assertThatThrownBy(() -> Journal.open(directory))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining(file + " was written by a newer version");
    }

    @Test
    void reading_changesNothing() throws IOException {
        Path file = record(SampleEvents.bare("run")).resolve("events-1.jsonl");
        Files.writeString(file, "torn", StandardCharsets.UTF_8, StandardOpenOption.APPEND);
        byte[] before = Files.readAllBytes(file);
        Journal.open(directory).events("run");
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }

    @Test
    void folder_withoutJournal_isRefused() throws IOException {
        assertThatThrownBy(() -> Journal.open(directory.resolve("none")))
                .isInstanceOf(JournalException.class)
                .hasMessage("there is no journal at " + directory.resolve("none") + ": there is no such folder");
        assertThatThrownBy(() -> Journal.open(Files.createFile(directory.resolve("file"))))
                .hasMessageContaining("it is not a folder");
        assertThatThrownBy(() -> Journal.open(directory)).hasMessageContaining("no run was recorded there");
    }

    // ---- finding a run

    @Test
    void run_isFoundByAUniquePrefix() {
        record(SampleEvents.bare("abc"));
        record(SampleEvents.bare("abcd"));
        record(SampleEvents.bare("xyz"));
        Journal journal = Journal.open(directory);
        assertThat(journal.run("x").run().runId()).isEqualTo("xyz");
        assertThat(journal.run("abc").run().runId()).isEqualTo("abc");
        assertThatThrownBy(() -> journal.run("ab"))
                .isInstanceOf(JournalException.class)
                .hasMessage("'ab' fits 2 runs: abc, abcd");
        assertThatThrownBy(() -> journal.run("q"))
                .isInstanceOf(JournalException.class)
                .hasMessage("no run 'q' in " + directory + "; its latest are abc, abcd, xyz");
    }

    @Test
    void last_isTheRunThatStartedLast_unlessARunIsCalledSo() {
        record(SampleEvents.bare("lasting"));
        record(SampleEvents.bare("xyz"));
        assertThat(Journal.open(directory).run("last").run().runId()).isEqualTo("xyz");
        record(SampleEvents.bare("last"));
        record(SampleEvents.bare("zzz"));
        assertThat(Journal.open(directory).run("last").run().runId()).isEqualTo("last");
    }

    // ---- living and dead writers

    @Test
    void run_ofALivingWriterInThisProcess_isRunning_evenIfAskedAgain() {
        JsonlSink sink = sink();
        record(sink, SampleEvents.withoutEnd(SampleEvents.rich("run", "x")).toList());
        assertThat(Journal.open(directory).run("run").state()).isEqualTo(RunState.RUNNING);
        assertThat(Journal.open(directory).run("run").state()).isEqualTo(RunState.RUNNING);
        sink.close();
        assertThat(Journal.open(directory).run("run").state()).isEqualTo(RunState.UNFINISHED);
    }

    @Test
    void run_ofAnotherProcess_isRunning_untilThatIsKilled() throws Exception {
        Process writer = KilledWriter.start(directory, "run");
        try {
            assertThat(writer.getInputStream().read()).isEqualTo('!');
            RunSummary running = Journal.open(directory).run("run");
            assertThat(running.state()).isEqualTo(RunState.RUNNING);
            assertThat(running.steps()).isEqualTo(2);
            assertThat(running.duration()).isEqualTo(Duration.ofNanos(120));
        } finally {
            writer.destroyForcibly().waitFor();
        }
        RunSummary killed = Journal.open(directory).run("run");
        assertThat(killed.state()).isEqualTo(RunState.UNFINISHED);
        assertThat(killed.end()).isNull();
        assertThat(Journal.open(directory).events("run"))
                .isEqualTo(SampleEvents.withoutEnd(SampleEvents.rich("run", "text"))
                        .toList());
    }

    @Test
    void looking_takesTheLockFromNobody() throws Exception {
        try (JsonlSink sink = sink()) {
            record(sink, SampleEvents.withoutEnd(SampleEvents.bare("run")).toList());
            Path folder = Path.of(sink.location("run").orElseThrow());
            assertThat(Journal.open(directory).run("run").state()).isEqualTo(RunState.RUNNING);
            assertThat(isLockedForOthers(folder)).isTrue();
        }
    }

    private static boolean isLockedForOthers(Path folder) throws Exception {
        Process looker = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockLooker.class.getName(),
                        folder.toString())
                .inheritIO()
                .start();
        return looker.waitFor() == 1;
    }

    // ---- following

    @Test
    void tail_givesWhatHasCome_eachOnce() {
        List<RunEvent> events = SampleEvents.rich("run", "x");
        try (JsonlSink sink = sink()) {
            record(sink, events.subList(0, 1));
            RunTail tail = Journal.open(directory).follow("run");
            assertThat(tail.poll()).isEqualTo(events.subList(0, 1));
            assertThat(tail.poll()).isEmpty();
            record(sink, SampleEvents.bare("other"));
            record(sink, events.subList(1, events.size()));
            assertThat(tail.isLive()).isTrue();
            assertThat(tail.poll()).isEqualTo(events.subList(1, events.size()));
            sink.close();
            assertThat(tail.isLive()).isFalse();
        }
    }

    @Test
    void tail_waitsForTheRestOfALine() throws IOException {
        List<RunEvent> events = SampleEvents.bare("run");
        Path file = record(events).resolve("events-1.jsonl");
        byte[] whole = Files.readAllBytes(file);
        int part = whole.length - 20;
        Files.write(file, Arrays.copyOf(whole, part));
        RunTail tail = Journal.open(directory).follow("run");
        assertThat(tail.poll()).hasSize(events.size() - 1);
        Files.write(file, Arrays.copyOfRange(whole, part, whole.length), StandardOpenOption.APPEND);
        assertThat(tail.poll()).singleElement().isInstanceOf(RunEnded.class);
    }

    @Tag("thorough")
    @Test
    void manyRuns_areAllListed() {
        try (JsonlSink sink = sink()) {
            for (int i = 0; i < 2_000; i++) {
                List<RunEvent> run = new ArrayList<>(SampleEvents.rich("run-" + i, "x".repeat(500)));
                record(sink, run);
            }
        }
        Journal journal = Journal.open(directory);
        assertThat(journal.runs()).hasSize(2_000);
        assertThat(journal.runs()).allMatch(run -> run.state() == RunState.of(Outcome.FAILED));
    }

    private JsonlSink sink(Instant start) {
        return SampleEvents.sink(directory, InstantSource.fixed(start));
    }

    private JsonlSink sink() {
        return JsonlSink.builder().directory(directory).build();
    }

    private Path record(List<? extends Event> events) {
        try (JsonlSink sink = sink()) {
            return record(sink, events);
        }
    }

    private static Path record(JsonlSink sink, List<? extends Event> events) {
        events.forEach(sink::onEvent);
        sink.onBatchEnd();
        return Path.of(sink.location("").orElseThrow());
    }
}
