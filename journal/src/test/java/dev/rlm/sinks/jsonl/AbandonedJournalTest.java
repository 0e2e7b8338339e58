package dev.rlm.sinks.jsonl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.testkit.fault.Gate;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A journal whose disk hangs until the hub has lost its patience and writes another: both can be read. */
@Tag("thorough")
@Timeout(120)
class AbandonedJournalTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int RUNS = 20;

    private final Gate gate = new Gate();
    private final FaultyDisk hanging = new FaultyDisk();
    private final AtomicLong ahead = new AtomicLong();
    private final AtomicLong made = new AtomicLong();

    @TempDir
    private Path directory;

    @AfterEach
    void open() {
        gate.open();
    }

    @Test
    void journal_thatHangs_isFollowedByAnother_andNoEventIsThereTwice() throws IOException {
        hanging.fault((operation, file) -> {
            if (operation.equals("sync")) {
                gate.pass();
            }
        });
        Sinks sinks = Sinks.builder()
                .clocks(InstantSource.system(), () -> System.nanoTime() + ahead.get())
                .add("jsonl", this::journal)
                .build();
        try (sinks) {
            record(sinks, "before");
            await().atMost(LONG).until(() -> gate.waiting() == 1);
            awaitReplacement(sinks);
            record(sinks, "after");
            await().atMost(LONG).until(() -> sinks.flush(Duration.ofSeconds(1)).isComplete());
            gate.open();
            await().atMost(LONG).until(() -> gate.waiting() == 0);
        }

        Ledger ledger = sinks.statuses().get(0).ledger();
        assertThat(ledger.queued()).isZero();
        assertThat(ledger.dropped()).containsOnlyKeys("hung");
        assertThat(JournalFolder.writers(directory)).hasSize(2);
        await().atMost(LONG).untilAsserted(() -> isReadable(ledger)); // the first may still be closing
    }

    private JsonlSink journal() {
        JsonlSink.Builder builder = JsonlSink.builder().directory(directory);
        return made.getAndIncrement() == 0 ? builder.disk(hanging).build() : builder.build();
    }

    /** Puts the clock forward until the hub has seen twice that the call takes too long. */
    private void awaitReplacement(Sinks sinks) {
        await().atMost(LONG).until(() -> {
            ahead.addAndGet(Duration.ofMinutes(11).toNanos());
            return made.get() == 2 && sinks.statuses().get(0).ledger().dropped().containsKey("hung");
        });
    }

    private static void record(Sinks sinks, String name) {
        for (int i = 0; i < RUNS; i++) {
            try (Run run =
                    sinks.startRun(RunSpec.builder("calc").runId(name + "-" + i).build())) {
                run.startStep().complete("output");
                run.complete("");
            }
        }
    }

    private void isReadable(Ledger ledger) {
        Journal journal = Journal.open(directory);
        assertThat(journal.damagedLines()).isZero();
        long events = 0;
        for (RunSummary run : journal.runs()) {
            List<RunEvent> all = journal.events(run.run().runId());
            events += all.size();
            assertThat(all).extracting(RunEvent::seq).doesNotHaveDuplicates().isSorted();
            if (run.run().runId().startsWith("after")) {
                assertThat(all).hasSize(4).last().isInstanceOf(RunEnded.class);
            }
        }
        assertThat(events).isBetween(4L * RUNS, ledger.offered());
    }
}
