package dev.rlm.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.journal.recovery.Replay;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.LedgerReported.SinkLedger;
import dev.rlm.sinks.jsonl.JsonlSink;
import dev.rlm.sinks.jsonl.SampleEvents;
import dev.rlm.sinks.testkit.InMemorySink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a journal tells of what its process has lost. */
@Timeout(60)
class LedgerLinesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    @Test
    void ledger_comesBackEqual_andTheLastOfAWriterCounts() {
        LedgerReported first = new LedgerReported(SampleEvents.START, Map.of("jsonl", account(1, 1, Map.of(), 0)));
        try (JsonlSink sink = JsonlSink.builder().directory(directory).build()) {
            sink.onEvent(first);
            sink.onEvent(SampleEvents.ledger());
            sink.onBatchEnd();
        }
        Journal journal = Journal.open(directory);
        assertThat(journal.ledgers().values()).containsExactly(SampleEvents.ledger());
        assertThat(journal.damagedLines()).isZero();
        assertThat(journal.runs()).isEmpty();
    }

    @Test
    void close_tellsWhatBecameOfEachSink() throws IOException {
        Sink broken = new Sink() {
            @Override
            public void onEvent(Event event) {
                throw new IllegalStateException("down");
            }
        };
        try (Sinks sinks =
                hub().add("kept", new InMemorySink()).add("broken", broken).build()) {
            record(sinks, "run");
        }
        assertThat(ledgers()).hasSize(1);
        assertThat(last().sinks())
                .containsOnly(
                        entry("broken", account(2, 0, Map.of("sink_error", 2L), 0)),
                        entry("jsonl", account(2, 2, Map.of(), 0)),
                        entry("kept", account(2, 2, Map.of(), 0)));
    }

    @Test
    void sink_thatWasTakenAway_isStillToldOf() throws IOException {
        try (Sinks sinks = hub().add("kept", new InMemorySink()).build()) {
            record(sinks, "one");
            sinks.remove("kept");
            record(sinks, "two");
        }
        assertThat(last().sinks()).containsEntry("kept", account(2, 2, Map.of(), 0));
    }

    @Test
    void flushes_addALine_onlyWhereSomethingWasRecorded() throws IOException {
        try (Sinks sinks = hub().build()) {
            sinks.flush(PATIENCE);
            assertThat(Journal.isAt(directory)).isFalse();
            record(sinks, "one");
            for (int i = 0; i < 5; i++) {
                sinks.flush(PATIENCE);
            }
            assertThat(ledgers()).hasSize(1);
            record(sinks, "two");
            sinks.flush(PATIENCE);
            sinks.flush(PATIENCE);
            assertThat(ledgers()).hasSize(2);
        }
        assertThat(ledgers()).hasSize(2);
        assertThat(last().sinks()).containsOnly(entry("jsonl", account(5, 5, Map.of(), 0)));
    }

    @Test
    void flushesOfTheRecordAlone_addNone() throws IOException {
        try (Sinks sinks = hub().build()) {
            for (int i = 0; i < 5; i++) {
                record(sinks, "run-" + i);
                assertThat(sinks.flushDurable(PATIENCE).isComplete()).isTrue();
            }
            assertThat(ledgers()).isEmpty();
        }
        assertThat(ledgers()).hasSize(1);
    }

    @Test
    void whatComesOfEventsAfterAFlush_isToldAtTheClose() throws IOException {
        HeldSink held = new HeldSink();
        try (Sinks sinks = hub().add("held", held).build()) {
            record(sinks, "run");
            sinks.flush(PATIENCE);
            sinks.flush(PATIENCE); // so that what the first one told is there: a process that is killed now leaves it
            assertThat(last().sinks()).containsEntry("held", account(2, 0, Map.of(), 2));
            held.arrived = 2;
        }
        assertThat(last().sinks()).containsEntry("held", account(2, 2, Map.of(), 0));
    }

    @Test
    void resending_sendsNoLedger_andWritesNone(@TempDir Path copy) throws IOException {
        try (Sinks sinks = hub().build()) {
            record(sinks, "run");
        }
        InMemorySink kept = new InMemorySink();
        try (Sinks sinks = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(copy).build())
                .add("kept", kept)
                .resending()
                .build()) {
            assertThat(Replay.of(directory).sendTo(sinks, count -> {}).isComplete())
                    .isTrue();
        }
        assertThat(kept.events()).hasSize(2).noneMatch(LedgerReported.class::isInstance);
        assertThat(Journal.open(copy).runs()).hasSize(1);
        assertThat(Journal.open(copy).ledgers()).isEmpty();
    }

    @Test
    void ledgerOfAnotherHub_isNotTaken() throws IOException {
        try (Sinks sinks = hub().build()) {
            record(sinks, "run");
            sinks.publish(SampleEvents.ledger());
        }
        assertThat(ledgers()).hasSize(1);
        assertThat(last().sinks()).containsOnly(entry("jsonl", account(3, 2, Map.of("invalid", 1L), 0)));
    }

    @Test
    void recovery_passesLedgersOver() throws IOException {
        JsonlSink sink = JsonlSink.builder().directory(directory).build();
        SampleEvents.withoutEnd(SampleEvents.rich("run", "x")).forEach(sink::onEvent);
        sink.onEvent(SampleEvents.ledger());
        sink.close();
        assertThat(Recovery.recover(directory).problems()).isEmpty();
        Journal journal = Journal.open(directory);
        assertThat(journal.run("run").state()).isEqualTo(RunState.ABANDONED);
        assertThat(journal.ledgers().values()).containsExactly(SampleEvents.ledger());
    }

    private Sinks.Builder hub() {
        return Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(directory).build());
    }

    private static void record(Sinks sinks, String runId) {
        try (Run run = sinks.startRun(RunSpec.builder("calc").runId(runId).build())) {
            run.complete("done");
        }
    }

    private static SinkLedger account(long offered, long delivered, Map<String, Long> dropped, long queued) {
        return new SinkLedger(offered, delivered, new TreeMap<>(dropped), queued);
    }

    private LedgerReported last() {
        return Journal.open(directory).ledgers().values().iterator().next();
    }

    /** The lines of all ledgers, as they stand in the one file that is written. */
    private List<String> ledgers() throws IOException {
        Path writer = JournalFolder.writers(directory).get(0);
        return Files.readAllLines(writer.resolve("events-1.jsonl")).stream()
                .filter(line -> line.startsWith("{\"type\":\"ledger_reported\""))
                .toList();
    }

    /** A sink that says late what has arrived. */
    private static final class HeldSink implements Sink {
        private volatile long arrived;

        @Override
        public Acknowledged acknowledged() {
            return new Acknowledged(arrived, Map.of());
        }
    }
}
