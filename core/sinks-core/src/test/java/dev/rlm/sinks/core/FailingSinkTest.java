package dev.rlm.sinks.core;

import static dev.rlm.sinks.core.Faults.LONG;
import static dev.rlm.sinks.core.Faults.assertAtRest;
import static dev.rlm.sinks.core.Faults.ledger;
import static dev.rlm.sinks.core.Faults.publish;
import static dev.rlm.sinks.core.Faults.status;
import static dev.rlm.sinks.core.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sinks whose methods throw. */
@Timeout(120)
class FailingSinkTest {
    @RegisterExtension
    private final Faults faults = new Faults();

    /** Takes events, or throws what it is told to. */
    private static class Failing extends Recorder {
        final AtomicInteger calls = new AtomicInteger();
        final AtomicInteger closed = new AtomicInteger();
        final Set<Thread> threads = ConcurrentHashMap.newKeySet();
        volatile Trouble onEvent = Trouble.NONE;
        volatile Trouble onBatchEnd = Trouble.NONE;

        @Override
        public void onEvent(Event event) {
            calls.incrementAndGet();
            threads.add(Thread.currentThread());
            onEvent.befall();
            super.onEvent(event);
        }

        @Override
        public void onBatchEnd() {
            onBatchEnd.befall();
        }

        @Override
        public void close() {
            closed.incrementAndGet();
            super.close();
        }
    }

    private enum Trouble {
        NONE,
        EXCEPTION,
        MEMORY,
        STACK,
        LINKAGE;

        void befall() {
            switch (this) {
                case EXCEPTION -> throw new IllegalStateException("broken");
                case MEMORY -> throw new OutOfMemoryError("for a test");
                case STACK -> recurse(0);
                case LINKAGE -> throw new NoClassDefFoundError("for a test");
                case NONE -> {}
            }
        }

        private static long recurse(long depth) {
            return depth < 0 ? 0 : 1 + recurse(depth + 1);
        }
    }

    // ---- quarantine

    @Test
    void tenFailuresInARow_meanQuarantine_untilAProbeSucceeds() {
        Failing failing = new Failing();
        Recorder other = new Recorder();
        try (Sinks sinks =
                faults.hub().add("failing", failing).add("other", other).build()) {
            failing.onEvent = Trouble.EXCEPTION;
            publish(sinks, 15);
            assertThat(sinks.flush(LONG).sinks())
                    .containsEntry("failing", false)
                    .containsEntry("other", true);
            assertThat(failing.calls).hasValue(10);
            assertAtRest(sinks, "failing", 0, Map.of("sink_error", 10L, "quarantined", 5L));
            assertThat(status(sinks, "failing").available()).isFalse();
            assertThat(status(sinks, "failing").detail()).contains("quarantine", "10 failures", "broken");

            faults.pass(Duration.ofMinutes(1));
            publish(sinks, 3);
            sinks.flush(LONG);
            assertThat(failing.calls).hasValue(11);
            assertAtRest(sinks, "failing", 0, Map.of("sink_error", 11L, "quarantined", 7L));

            failing.onEvent = Trouble.NONE;
            publish(sinks, 1);
            sinks.flush(LONG);
            assertThat(failing.events()).isEmpty();
            faults.pass(Duration.ofMinutes(1));
            publish(sinks, 4);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertAtRest(sinks, "failing", 4, Map.of("sink_error", 11L, "quarantined", 8L));
            assertThat(status(sinks, "failing").available()).isTrue();
            assertThat(other.events()).hasSize(23);
        }
        assertThat(faults.said("failing"))
                .filteredOn(line -> !line.contains("more events dropped"))
                .containsExactly(
                        "onEvent failed: java.lang.IllegalStateException: broken",
                        "is in quarantine after 10 failures in a row, the last: onEvent failed: "
                                + "java.lang.IllegalStateException: broken; one event a minute tries it, the others are"
                                + " dropped",
                        "works again after its quarantine; 19 events were dropped: {quarantined=8, sink_error=11}",
                        "19 events dropped in all: {quarantined=8, sink_error=11}");
    }

    @Test
    void tenFailedBatchesInARow_meanQuarantine_andTheirEventsAreLost() {
        Failing failing = new Failing();
        try (Sinks sinks = faults.hub().add("failing", failing).build()) {
            failing.onBatchEnd = Trouble.EXCEPTION;
            for (int i = 0; i < 11; i++) {
                publish(sinks, 1);
                sinks.flush(LONG);
            }
            assertAtRest(sinks, "failing", 0, Map.of("sink_error", 10L, "quarantined", 1L));

            faults.pass(Duration.ofMinutes(1));
            publish(sinks, 1);
            sinks.flush(LONG);
            assertAtRest(sinks, "failing", 0, Map.of("sink_error", 11L, "quarantined", 1L));
            assertThat(status(sinks, "failing").available()).isFalse();
            failing.onBatchEnd = Trouble.NONE;
            faults.pass(Duration.ofMinutes(1));
            publish(sinks, 1);
            sinks.flush(LONG);
            assertAtRest(sinks, "failing", 1, Map.of("sink_error", 11L, "quarantined", 1L));
            assertThat(status(sinks, "failing").available()).isTrue();
        }
    }

    @Test
    void nineFailures_andASuccess_areNoReason() {
        Failing failing = new Failing();
        try (Sinks sinks = faults.hub().add("failing", failing).build()) {
            for (int i = 0; i < 3; i++) {
                failing.onEvent = Trouble.EXCEPTION;
                publish(sinks, 9);
                sinks.flush(LONG);
                failing.onEvent = Trouble.NONE;
                publish(sinks, 1);
                sinks.flush(LONG);
            }
            assertAtRest(sinks, "failing", 3, Map.of("sink_error", 27L));
        }
    }

    @Test
    void runs_thatEndDuringAQuarantine_leaveNoRoomTaken() {
        Failing failing = new Failing();
        Recorder other = new Recorder();
        int runs = 1 << 16; // as many as may be open
        try (Sinks sinks =
                faults.hub().add("failing", failing).add("other", other).build()) {
            failing.onEvent = Trouble.EXCEPTION;
            publish(sinks, 10);
            sinks.flush(LONG);
            for (int i = 0; i < runs + 10; i++) {
                sinks.startRun(RunSpec.builder("env").runId("run").build()).complete("");
                if (i % 1000 == 0) {
                    sinks.flush(LONG);
                }
            }
            sinks.flush(LONG);
            assertAtRest(sinks, "failing", 0, Map.of("sink_error", 10L, "quarantined", 2L * (runs + 10)));
        }
        assertThat(other.events(RunEnded.class)).hasSize(runs + 10);
    }

    // ---- errors

    @ParameterizedTest
    @EnumSource(
            value = Trouble.class,
            names = {"MEMORY", "STACK", "LINKAGE"})
    void error_isFollowedByANewThread(Trouble trouble) {
        Failing failing = new Failing();
        Recorder other = new Recorder();
        try (Sinks sinks =
                faults.hub().add("failing", failing).add("other", other).build()) {
            publish(sinks, 1);
            sinks.flush(LONG);
            for (int i = 0; i < 3; i++) {
                failing.onEvent = trouble;
                publish(sinks, 1);
                long errors = i + 1L;
                await().until(() -> ledger(sinks, "failing").droppedTotal() == errors);
                failing.onEvent = Trouble.NONE;
                publish(sinks, 2);
                assertThat(sinks.flush(LONG).isComplete()).isTrue();
            }
            assertAtRest(sinks, "failing", 7, Map.of("sink_error", 3L));
            assertThat(failing.threads).hasSize(4);
            assertThat(status(sinks, "failing").available()).isTrue();
            faults.pass(Duration.ofMinutes(10));
            failing.onBatchEnd = trouble;
            publish(sinks, 1);
            await().until(() -> ledger(sinks, "failing").droppedTotal() == 4);
            failing.onBatchEnd = Trouble.NONE;
            publish(sinks, 1);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertAtRest(sinks, "failing", 8, Map.of("sink_error", 4L));
        }
        assertThat(failing.closed).hasValue(1);
        assertThat(other.events()).hasSize(12);
    }

    @Test
    void fourErrors_areTheEndOfASink_andItSaysSo() {
        Failing failing = new Failing();
        Recorder other = new Recorder();
        Sinks sinks = faults.hub().add("failing", failing).add("other", other).build();
        try (sinks) {
            failing.onEvent = Trouble.LINKAGE;
            publish(sinks, 10);
            await().until(() -> !status(sinks, "failing").available());
            await().until(() -> failing.closed.get() == 1);
            assertThat(failing.calls).hasValue(4);
            assertThat(status(sinks, "failing").detail())
                    .isEqualTo("dead after 4 errors, the last: java.lang.NoClassDefFoundError: for a test");
            recordRun(sinks);
            assertThat(sinks.flush(LONG).sinks())
                    .containsEntry("failing", false)
                    .containsEntry("other", true);
            assertAtRest(sinks, "failing", 0, Map.of("sink_error", 4L, "sink_dead", 10L));
        }
        assertThat(failing.closed).hasValue(1);
        assertThat(other.events()).hasSize(14);
        assertThat(faults.said("failing"))
                .filteredOn(line -> line.contains("dead"))
                .hasSize(1);
    }

    private static void recordRun(Sinks sinks) {
        try (Run run = sinks.startRun(RunSpec.builder("env").build())) {
            run.startStep().complete("");
            run.complete("");
        }
    }

    // ---- what counts as delivered

    @Test
    void events_areDeliveredOnceTheirBatchHasEnded() {
        CountDownLatch gate = new CountDownLatch(1);
        Recorder sink = new Recorder() {
            @Override
            public void onBatchEnd() {
                Threads.await(gate);
            }
        };
        try (Sinks sinks = faults.hub().add("x", sink).build()) {
            publish(sinks, 1);
            sink.awaitFirst();
            assertThat(ledger(sinks, "x")).isEqualTo(Ledger.of(1, 0, Map.of()));
            gate.countDown();
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertAtRest(sinks, "x", 1, Map.of());
        }
    }

    // ---- the log

    @Test
    void losses_thatHaveStopped_areFollowedByOneLineOfRecovery() {
        GatedSink slow = new GatedSink(false);
        try (Sinks sinks = faults.hub().add("slow", slow).build()) {
            publish(sinks, 70_000);
            await().until(() -> faults.said("slow").size() == 1);
            assertThat(faults.said("slow").get(0)).endsWith(" events dropped so far: queue_full");
            slow.open();
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            long lost = ledger(sinks, "slow").lost();
            await().until(() -> {
                faults.pass(Duration.ofSeconds(11));
                publish(sinks, 1);
                return faults.said("slow").stream().anyMatch(line -> line.startsWith("delivers again"));
            });
            assertThat(faults.said("slow"))
                    .last()
                    .isEqualTo("delivers again; " + lost + " events were dropped: {queue_full=" + lost + "}");
        }
        assertThat(faults.said("slow"))
                .filteredOn(line -> line.startsWith("delivers again"))
                .hasSize(1);
    }
}
