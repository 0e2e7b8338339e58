package dev.rlm.sinks.core;

import static dev.rlm.sinks.core.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hub that sends events again. */
@Timeout(120)
class ResendingTest {
    private static final int MORE_THAN_A_QUEUE = 70_000;
    private static final RunInfo RUN = RunInfoBuilder.builder()
            .runId("run")
            .startedAt(Instant.EPOCH)
            .environment("env")
            .model("")
            .build();

    @Test
    void fullQueue_isWaitedFor_andNothingIsDropped() throws Exception {
        GatedSink slow = new GatedSink(false);
        try (Sinks sinks = Sinks.builder().add("slow", slow).resending().build()) {
            CompletableFuture<Void> publisher = CompletableFuture.runAsync(() -> publish(sinks));
            slow.awaitEntered();
            await().until(() -> ledger(sinks).queued() > 4_000);
            assertThat(publisher).isNotDone();

            slow.open();
            publisher.get();
            assertThat(sinks.flush(Duration.ofSeconds(60)).isComplete()).isTrue();

            assertThat(ledger(sinks).dropped()).isEmpty();
            assertThat(slow.of("run"))
                    .extracting(RunEvent::seq)
                    .containsExactlyElementsOf(IntStream.rangeClosed(1, MORE_THAN_A_QUEUE + 2)
                            .mapToObj(Long::valueOf)
                            .toList());
        }
    }

    @Test
    void runs_openAtOnce_areNotLimited() {
        Recorder sink = new Recorder();
        try (Sinks sinks = Sinks.builder().add("sink", sink).resending().build()) {
            for (int i = 0; i < MORE_THAN_A_QUEUE; i++) {
                sinks.publish(new RunStarted(named("run-" + i), 1));
            }
            for (int i = 0; i < MORE_THAN_A_QUEUE; i++) {
                sinks.publish(end(named("run-" + i), 2));
            }
        }
        assertThat(sink.events(RunEnded.class)).hasSize(MORE_THAN_A_QUEUE);
    }

    @Test
    void waiting_endsWithTheHub() {
        GatedSink stuck = new GatedSink(false);
        Sinks sinks = Sinks.builder().add("stuck", stuck).resending().build();
        CompletableFuture<Void> publisher = CompletableFuture.runAsync(() -> publish(sinks));
        await().until(() -> ledger(sinks).queued() > 4_000);

        sinks.close(Duration.ofMillis(100));

        await().until(publisher::isDone);
        assertThat(ledger(sinks).dropped()).containsOnlyKeys("closed", "hung");
        assertThat(ledger(sinks).queued()).isZero();
        stuck.open();
    }

    @Test
    void waiting_endsWithAnInterrupt_andIsCounted() throws Exception {
        GatedSink stuck = new GatedSink(false);
        try (Sinks sinks = Sinks.builder().add("stuck", stuck).resending().build()) {
            Thread publisher = new Thread(() -> publish(sinks));
            publisher.start();
            await().until(() -> ledger(sinks).queued() > 4_000);

            publisher.interrupt();
            publisher.join();

            Ledger ledger = ledger(sinks);
            assertThat(ledger.dropped()).containsOnlyKeys("interrupted");
            assertThat(ledger.offered()).isEqualTo(MORE_THAN_A_QUEUE + 2);
            stuck.open();
        }
    }

    @Test
    void ledger_countsWhatASamplerLeavesOut_asDroppedButNotAsLost() {
        Ledger ledger = Ledger.of(10, 5, Map.of(Ledger.NOT_SAMPLED, 3L, "closed", 2L));
        assertThat(ledger.droppedTotal()).isEqualTo(5);
        assertThat(ledger.lost()).isEqualTo(2);
    }

    private static void publish(Sinks sinks) {
        sinks.publish(new RunStarted(RUN, 1));
        for (int i = 0; i < MORE_THAN_A_QUEUE; i++) {
            sinks.publish(new Heartbeat(RUN, i + 2, i, 0, 0));
        }
        sinks.publish(end(RUN, MORE_THAN_A_QUEUE + 2));
    }

    private static RunInfo named(String runId) {
        return RunInfoBuilder.builder()
                .runId(runId)
                .startedAt(Instant.EPOCH)
                .environment("env")
                .model("")
                .build();
    }

    private static RunEnded end(RunInfo run, long seq) {
        return RunEndedBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(seq)
                .outcome(Outcome.COMPLETED)
                .status(RunStatus.of(RunStatus.FINISHED, ""))
                .build();
    }

    private static Ledger ledger(Sinks sinks) {
        return sinks.statuses().get(0).ledger();
    }
}
