package dev.rlm.journal.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalException;
import dev.rlm.journal.JournalJson;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.index.IndexCache;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StandaloneSpanRecorded;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.SampleEvents;
import dev.rlm.sinks.testkit.Events;
import dev.rlm.sinks.testkit.InMemorySink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A journal that is sent again. */
@Timeout(120)
class ReplayTest {
    private final InMemorySink sink = new InMemorySink();

    @TempDir
    Path directory;

    @Test
    void everyEvent_comesAsItWasRecorded() throws IOException {
        List<Event> all = new ArrayList<>(Events.full("full"));
        all.addAll(Events.minimal("minimal"));
        all.addAll(SampleEvents.rich("rich", "text\u0000\ud83d\ude00"));
        record(all);
        byte[] before = Files.readAllBytes(file());

        Resent resent = send(Replay.of(directory));

        assertThat(sink.events().stream().map(JournalJson::event))
                .containsExactlyElementsOf(all.stream().map(JournalJson::event).toList());
        assertThat(resent.runs()).isEqualTo(3);
        assertThat(resent.events()).isEqualTo(all.size());
        assertThat(resent.isComplete()).isTrue();
        assertThat(resent.damagedLines()).isZero();
        assertThat(Files.readAllBytes(file())).isEqualTo(before);
    }

    @Test
    void interleavedRuns_comeInTheOrderInWhichTheyWereRecorded() {
        List<RunEvent> one = SampleEvents.rich("one", "x");
        List<RunEvent> two = SampleEvents.rich("two", "x");
        List<RunEvent> mixed = IntStream.range(0, one.size())
                .boxed()
                .flatMap(i -> Stream.of(one.get(i), two.get(i)))
                .toList();
        record(mixed);
        send(Replay.of(directory));
        assertThat(sink.events()).isEqualTo(mixed);
    }

    @Test
    void runs_areChosenByExactIds() {
        List.of("abc", "abcd", "xyz").forEach(id -> record(SampleEvents.bare(id)));
        record(List.of(metrics()));
        Replay chosen = Replay.of(directory).only(Set.of("abc", "nope"));
        send(chosen);
        assertThat(chosen.size()).isEqualTo(1);
        assertThat(runIds()).containsExactly("abc");
        assertThat(sink.events()).noneMatch(MetricsReported.class::isInstance);
        assertThat(Journal.isAt(directory)).isTrue();
        assertThat(Journal.isAt(directory.resolve("nowhere"))).isFalse();
    }

    @Test
    void runs_areChosenByIdOrBeginning() {
        List.of("abc", "abd", "xyz").forEach(id -> record(SampleEvents.bare(id)));
        record(List.of(metrics()));
        send(Replay.of(directory).runs(List.of("abc", "x")));
        assertThat(runIds()).containsExactlyInAnyOrder("abc", "xyz");
        assertThat(sink.events()).noneMatch(MetricsReported.class::isInstance);
        assertThatThrownBy(() -> Replay.of(directory).runs(List.of("ab")))
                .isInstanceOf(JournalException.class)
                .hasMessage("'ab' fits 2 runs: abc, abd");
        assertThatThrownBy(() -> Replay.of(directory).runs(List.of("q")))
                .hasMessage("no run 'q' in " + directory + "; its latest are abc, abd, xyz");
    }

    @Test
    void fewRunsOfMany_comeByTheirPlaces_asOfAPassOverAll(@TempDir Path index) {
        List<RunEvent> one = SampleEvents.rich("one", "x");
        List<RunEvent> two = SampleEvents.rich("two", "x");
        record(IntStream.range(0, one.size())
                .boxed()
                .flatMap(i -> Stream.of(one.get(i), two.get(i)))
                .toList());
        IntStream.range(0, 20).forEach(i -> record(SampleEvents.bare("other-" + i)));
        record(one); // as from a copy
        record(List.of(metrics()));
        for (int i = 0; i < 2; i++) { // without an index of it, and with one
            Journal journal = Journal.open(directory, IndexCache.in(index));
            Resent few = send(Replay.of(journal).only(Set.of("one", "two")));
            assertThat(few.runs()).isEqualTo(2);
            assertThat(few.damagedLines()).isZero();
        }
        List<Event> twice = sink.events();
        List<Event> once = twice.subList(0, twice.size() / 2);
        assertThat(twice.subList(once.size(), twice.size())).isEqualTo(once);
        assertThat(once)
                .filteredOn(event ->
                        event instanceof RunEvent of && of.run().runId().equals("one"))
                .isEqualTo(one);
        assertThat(once)
                .filteredOn(event ->
                        event instanceof RunEvent of && of.run().runId().equals("two"))
                .isEqualTo(two);
        assertThat(once).hasSize(one.size() + two.size());
    }

    @Test
    void fewRunsOfMany_areSentThoughTheirFileWasRewrittenSince() throws IOException {
        IntStream.range(0, 20).forEach(i -> record(SampleEvents.bare("run-" + i)));
        Replay replay = Replay.of(directory).only(Set.of("run-3"));
        for (String file : files()) {
            if (file.endsWith("events-1.jsonl")) {
                String lines = Files.readString(Path.of(file));
                Files.writeString(Path.of(file), lines.replaceFirst("\n", "\n\n"));
            }
        }
        send(replay);
        assertThat(sink.events()).isEqualTo(SampleEvents.bare("run-3"));
    }

    @Test
    void at_leavesOutWhatStartedAtOtherTimes() {
        record(SampleEvents.bare("later"));
        record(Events.minimal("earlier"));
        Replay replay = Replay.of(directory).at(time -> !time.isBefore(SampleEvents.START));
        assertThat(replay.size()).isEqualTo(1);
        send(replay);
        assertThat(sink.events()).isEqualTo(SampleEvents.bare("later"));
        assertThat(Replay.of(directory)
                        .at(time -> time.isAfter(SampleEvents.START))
                        .size())
                .isZero();
    }

    @Test
    void runs_thatGoOn_areLeftOut_andThoseOfTheSameWriterThatEndedAreNot() {
        try (JsonlSink writer = JsonlSink.builder().directory(directory).build()) {
            SampleEvents.withoutEnd(SampleEvents.bare("live")).forEach(writer::onEvent);
            SampleEvents.bare("ended").forEach(writer::onEvent);
            writer.onBatchEnd();
            Replay replay = Replay.of(directory);
            assertThat(replay.liveRuns()).isEqualTo(1);
            assertThat(send(replay).runs()).isEqualTo(1);
            assertThat(sink.events()).isEqualTo(SampleEvents.bare("ended"));
        }
    }

    @Test
    void run_ofADeadWriter_comesWithTheEndThatRecoveryWouldWrite() throws IOException {
        record(SampleEvents.withoutEnd(SampleEvents.rich("run", "x")).toList());
        List<String> before = files();
        send(Replay.of(directory));
        assertThat(files()).isEqualTo(before);

        Recovery.recover(directory);
        assertThat(sink.events()).isEqualTo(Journal.open(directory).events("run"));
    }

    @Test
    void whatIsRecordedTwice_comesOnce() {
        List<RunEvent> events = SampleEvents.rich("run", "x");
        record(events.subList(0, 5));
        record(events);
        record(events);
        send(Replay.of(directory));
        assertThat(sink.events()).isEqualTo(events);
    }

    @Test
    void rewardAfterTheEnd_comes_andCountsInTheTotal() {
        List<RunEvent> events = SampleEvents.bare("run");
        RewardGiven late = RewardGivenBuilder.builder()
                .run(events.get(0).run())
                .seq(7)
                .nanos(5_000_000_000L)
                .source("judge")
                .value(0.75)
                .startNanos(4_000_000_000L)
                .build();
        record(Stream.concat(events.stream(), Stream.of(late)).toList());
        send(Replay.of(directory));
        assertThat(sink.events()).hasSize(7).last().isEqualTo(late);
        RunSummary run = Journal.open(directory).run("run");
        assertThat(run.totalReward()).isEqualTo(0.75);
        assertThat(run.duration()).isEqualTo(Duration.ofMillis(6));
        assertThat(run.state()).isEqualTo(RunState.COMPLETED);
    }

    @Test
    void rewardAfterTheEnd_counts_whicheverFolderItIsIn() {
        List<RunEvent> events = SampleEvents.bare("run");
        RewardGiven late = RewardGivenBuilder.builder()
                .run(events.get(0).run())
                .seq(7)
                .nanos(5_000_000_000L)
                .source("judge")
                .value(-1)
                .startNanos(4)
                .build();
        record(List.of(late));
        record(events);
        assertThat(Journal.open(directory).run("run").totalReward()).isEqualTo(-1);
    }

    @Test
    void damagedLines_arePassedOverAndCounted() throws IOException {
        record(SampleEvents.bare("run"));
        List<String> lines = new ArrayList<>(Files.readAllLines(file(), StandardCharsets.UTF_8));
        lines.add(3, "garbage");
        lines.add(4, "{\"type\":\"step_ended\",\"run_id\":\"run\",\"seq\":5}");
        Files.write(file(), lines);
        assertThat(send(Replay.of(directory)).damagedLines()).isEqualTo(2);
        assertThat(sink.events()).isEqualTo(SampleEvents.bare("run"));
    }

    @Test
    void slowSink_getsEverything() {
        for (int i = 0; i < 4; i++) {
            int writer = i;
            record(IntStream.range(0, 500)
                    .boxed()
                    .flatMap(run -> SampleEvents.rich("run-" + writer + "-" + run, "x".repeat(300)).stream())
                    .toList());
        }
        CountDownLatch gate = new CountDownLatch(1);
        InMemorySink memory = new InMemorySink();
        Sink slow = new Sink() {
            @Override
            public void onEvent(Event event) {
                try {
                    gate.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                memory.onEvent(event);
            }
        };
        try (Sinks sinks = Sinks.builder().add("slow", slow).resending().build()) {
            CompletableFuture<Resent> sending =
                    CompletableFuture.supplyAsync(() -> Replay.of(directory).sendTo(sinks, runs -> gate.countDown()));
            Resent resent = sending.join();
            assertThat(resent.isComplete()).isTrue();
            assertThat(resent.sinks())
                    .singleElement()
                    .satisfies(one -> assertThat(one.ledger().delivered()).isEqualTo(26_000));
        }
        assertThat(memory.events()).hasSize(26_000);
    }

    @Test
    void sinkThatFails_isGivenUp_andAnotherGetsEverything() {
        record(IntStream.range(0, 10_000)
                .boxed()
                .flatMap(run -> SampleEvents.bare("run-" + run).stream())
                .toList());
        Sink dead = new DeadSink();
        InMemorySink other = new InMemorySink();
        try (Sinks sinks = Sinks.builder()
                .add("dead", dead)
                .add("other", other)
                .resending()
                .build()) {
            Resent resent = Replay.of(directory).sendTo(sinks, runs -> {});
            assertThat(resent.isComplete()).isFalse();
            assertThat(resent.runs()).isEqualTo(10_000);
            assertThat(resent.sinks())
                    .filteredOn(one -> !one.isComplete())
                    .singleElement()
                    .satisfies(one -> {
                        assertThat(one.name()).isEqualTo("dead");
                        assertThat(one.problem())
                                .startsWith("in quarantine after 10 failures in a row")
                                .contains("nobody answers");
                        assertThat(one.ledger().delivered()).isZero();
                    });
        }
        assertThat(other.events()).hasSize(60_000);
    }

    @Test
    void onlySinkFails_andTheRestIsNotTried() {
        record(IntStream.range(0, 10_000)
                .boxed()
                .flatMap(run -> SampleEvents.bare("run-" + run).stream())
                .toList());
        try (Sinks sinks =
                Sinks.builder().add("dead", new DeadSink()).resending().build()) {
            Resent resent = Replay.of(directory).sendTo(sinks, runs -> {});
            assertThat(resent.isComplete()).isFalse();
            assertThat(resent.interrupted()).isFalse();
            assertThat(resent.events()).isLessThan(60_000);
        }
    }

    @Test
    void interrupt_stopsIt() throws Exception {
        record(SampleEvents.bare("run"));
        CompletableFuture<Resent> result = new CompletableFuture<>();
        Thread sender = new Thread(() -> {
            try (Sinks sinks = Sinks.builder().add("memory", sink).resending().build()) {
                Replay replay = Replay.of(directory);
                Thread.currentThread().interrupt();
                result.complete(replay.sendTo(sinks, runs -> {}));
            }
        });
        sender.start();
        sender.join();
        assertThat(result.get().interrupted()).isTrue();
        assertThat(result.get().isComplete()).isFalse();
    }

    /** Takes a thousand events in its time and loses them all. */
    private static final class DeadSink implements Sink {
        private long lost;

        @Override
        public void onEvent(Event event) {
            if (++lost % 1_000 == 0) {
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            }
            throw new IllegalStateException("nobody answers");
        }

        @Override
        public Health status() {
            return new Health(false, "nobody answers");
        }
    }

    @Test
    void spansOfNoRun_areSentAgainWithTheirIdsAndAreNoDamage() {
        StandaloneSpanRecorded span = Events.full("x", StandaloneSpanRecorded.class);
        record(SampleEvents.bare("abc"));
        record(List.of(span));
        send(Replay.of(directory));
        assertThat(sink.events()).contains(span);
        assertThat(Journal.open(directory).damagedLines()).isZero();
        assertThat(Journal.open(directory).runs()).extracting(RunSummary::runId).containsExactly("abc");
    }

    @Test
    void spansOfNoRun_areLeftOutWhereRunsAreChosenOrTheyEndedBefore() {
        StandaloneSpanRecorded span = Events.full("x", StandaloneSpanRecorded.class);
        record(SampleEvents.bare("abc"));
        record(List.of(span));
        send(Replay.of(directory).only(Set.of("abc")));
        send(Replay.of(directory).at(span.time()::isBefore));
        assertThat(sink.events()).noneMatch(StandaloneSpanRecorded.class::isInstance);
        send(Replay.of(directory).at(span.time()::equals));
        assertThat(sink.events()).contains(span);
    }

    private static MetricsReported metrics() {
        return (MetricsReported) Events.minimal("x").get(10);
    }

    private Resent send(Replay replay) {
        try (Sinks sinks = Sinks.builder().add("memory", sink).resending().build()) {
            return replay.sendTo(sinks, runs -> {});
        }
    }

    private List<String> runIds() {
        return sink.events().stream()
                .filter(RunEnded.class::isInstance)
                .map(event -> ((RunEnded) event).run().runId())
                .toList();
    }

    private Path file() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(path -> path.endsWith("events-1.jsonl"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.map(Path::toString).sorted().toList();
        }
    }

    private void record(List<? extends Event> events) {
        try (JsonlSink writer = JsonlSink.builder().directory(directory).build()) {
            events.forEach(writer::onEvent);
            writer.onBatchEnd();
        }
    }
}
