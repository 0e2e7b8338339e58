package dev.rlm.sinks.core;

import static dev.rlm.sinks.core.Faults.LONG;
import static dev.rlm.sinks.core.Faults.assertAtRest;
import static dev.rlm.sinks.core.Faults.ledger;
import static dev.rlm.sinks.core.Faults.publish;
import static dev.rlm.sinks.core.Faults.status;
import static dev.rlm.sinks.core.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sinks whose methods do not return, or call back into the hub. */
@Timeout(120) // who waits for one of them waits for ever
class HangingSinkTest {
    @RegisterExtension
    private final Faults faults = new Faults();

    // ---- given up

    @Tag("thorough")
    @Test
    void hangingSink_thatCannotBeMadeAnew_isGivenUp_andGoesOnIfItComesBack() {
        GatedSink hanging = new GatedSink(false);
        Recorder other = new Recorder();
        try (Sinks sinks =
                faults.hub().add("hanging", hanging).add("other", other).build()) {
            Run run = sinks.startRun(RunSpec.builder("env").runId("early").build());
            hanging.awaitEntered();
            publish(sinks, 9);
            faults.awaitHung(sinks, "hangs in onEvent");
            assertThat(status(sinks, "hanging").available()).isFalse();
            assertAtRest(sinks, "hanging", 0, Map.of("hung", 10L));
            publish(sinks, 5);
            run.complete("");
            sinks.startRun(RunSpec.builder("env").runId("late").build()).complete("");
            assertAtRest(sinks, "hanging", 0, Map.of("hung", 18L));
            assertThat(status(sinks, "hanging").retained()).isZero();
            assertThat(sinks.flush(Duration.ofDays(1)).sinks())
                    .containsEntry("hanging", false)
                    .containsEntry("other", true);

            hanging.open();
            await().until(() -> status(sinks, "hanging").available());
            publish(sinks, 2);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertAtRest(sinks, "hanging", 2, Map.of("hung", 18L));
            assertThat(hanging.events()).hasSize(3); // the one that it hung with too
        }
        assertThat(hanging.isClosed()).isTrue();
        assertThat(other.events()).hasSize(20);
        assertThat(faults.said("hanging"))
                .contains("hangs in onEvent and is given up: its events are dropped")
                .contains("has come back and goes on; 18 events were dropped: {hung=18}");
    }

    @Tag("thorough")
    @Test
    void hub_doesNotWaitForASinkThatWasGivenUp_whenItCloses() {
        GatedSink hanging = new GatedSink(true);
        Sinks sinks = faults.hub().add("hanging", hanging).build();
        publish(sinks, 3);
        faults.awaitHung(sinks, "hangs in onEvent");
        sinks.close(Duration.ofDays(1));
        assertAtRest(sinks, "hanging", 0, Map.of("hung", 4L)); // with the report of the ledger
        hanging.open();
        await().until(hanging::isClosed);
    }

    @Tag("thorough")
    @Test
    void ownPatience_isHeeded() {
        GatedSink hanging = new GatedSink(false) {
            @Override
            public Duration patience() {
                return Duration.ofMillis(1);
            }
        };
        try (Sinks sinks = Sinks.builder().add("hanging", hanging).build()) {
            publish(sinks, 3);
            await().atMost(LONG).until(() -> !status(sinks, "hanging").available());
            hanging.open();
        }
    }

    @Test
    void flush_mayTakeItsTime() {
        CountDownLatch flushing = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        Recorder slow = new Recorder() {
            @Override
            public boolean flush(Duration timeout) {
                flushing.countDown();
                Threads.await(gate);
                return true;
            }
        };
        try (Sinks sinks = faults.hub().add("slow", slow).build()) {
            Threads.together(
                    () -> assertThat(sinks.flush(Duration.ofMinutes(10)).isComplete())
                            .isTrue(),
                    () -> {
                        Threads.await(flushing);
                        faults.pass(Duration.ofMinutes(10));
                        assertThat(status(sinks, "slow").available()).isTrue();
                        gate.countDown();
                    });
        }
    }

    // ---- what it has acknowledged

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hangingSink_isAskedWhatArrived_andLateAnswersDoNotCountTwice(boolean answers) {
        CountDownLatch gate = new CountDownLatch(1);
        AtomicInteger taken = new AtomicInteger();
        AtomicInteger delivered = new AtomicInteger();
        Recorder hanging = new Recorder() {
            @Override
            public void onEvent(Event event) {
                if (taken.incrementAndGet() == 5) {
                    Threads.await(gate);
                }
            }

            @Override
            public Acknowledged acknowledged() {
                if (taken.get() == 5 && gate.getCount() > 0 && !answers) {
                    Threads.await(gate);
                }
                return new Acknowledged(delivered.get(), Map.of("refused_there", 1L));
            }
        };
        try (Sinks sinks = faults.hub().add("hanging", hanging).build()) {
            publish(sinks, 4);
            delivered.set(2);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            await().until(() -> ledger(sinks, "hanging").delivered() == 2);
            publish(sinks, 3);
            faults.awaitHung(sinks, "hangs in onEvent");
            Map<String, Long> lost = Map.of("hung", 4L, "refused_there", 1L);
            assertAtRest(sinks, "hanging", 2, lost);

            delivered.set(4); // the two that were owed
            gate.countDown();
            await().until(() -> status(sinks, "hanging").available());
            assertAtRest(sinks, "hanging", 2, lost);
            publish(sinks, 1);
            delivered.set(5);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            delivered.set(6);
            await().until(() -> ledger(sinks, "hanging").delivered() == 3);
            assertAtRest(sinks, "hanging", 3, lost);
        }
    }

    // ---- sinks that call the hub

    /** Does something with the hub when an event comes, once. */
    private static final class Calling extends Recorder {
        final AtomicReference<@Nullable Runnable> action = new AtomicReference<>();
        final CountDownLatch done = new CountDownLatch(1);
        private final boolean durable;

        Calling(boolean durable) {
            this.durable = durable;
        }

        @Override
        public boolean isDurable() {
            return durable;
        }

        @Override
        public void onEvent(Event event) {
            super.onEvent(event);
            Runnable now = action.getAndSet(null);
            if (now != null) {
                now.run();
                done.countDown();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sink_thatClosesTheHub_doesNotWaitForItself(boolean durable) {
        Calling sink = new Calling(durable);
        Recorder other = new Recorder();
        Sinks sinks = faults.hub().add("x", sink).add("other", other).build();
        sink.action.set(() -> sinks.close(Duration.ofDays(1)));
        Run run = sinks.startRun(RunSpec.builder("env").build());
        await().until(sink::isClosed);
        run.complete("");
        sinks.close();
        assertThat(sink.events())
                .hasAtLeastOneElementOfType(RunStarted.class)
                .hasAtLeastOneElementOfType(RunEnded.class);
        assertThat(other.events()).hasSize(2);
        await().until(() -> ledger(sinks, "x").queued() == 0);
        assertThat(ledger(sinks, "x").dropped()).containsOnlyKeys("after_end");
    }

    @Test
    void sink_thatFlushesAndRemovesItself_doesNotWaitForItself() {
        Calling sink = new Calling(true);
        Map<String, Boolean> flushed = new ConcurrentHashMap<>();
        try (Sinks sinks =
                faults.hub().add("x", sink).add("other", new Recorder()).build()) {
            sink.action.set(() -> {
                flushed.putAll(sinks.flush(Duration.ofDays(1)).sinks());
                assertThat(sinks.awaitRoom(Duration.ofDays(1))).isTrue();
                assertThat(sinks.statuses()).hasSize(2);
                assertThat(sinks.remove("x")).isTrue();
            });
            publish(sinks, 2);
            await().until(sink::isClosed);
            assertThat(sink.done.getCount()).isZero();
            assertThat(flushed).containsEntry("x", false).containsEntry("other", true);
            assertThat(sinks.get("x")).isEmpty();

            Recorder again = new Recorder();
            sinks.add("x", again);
            publish(sinks, 1);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertThat(again.events()).hasSize(1);
            assertAtRest(sinks, "x", 1, Map.of());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sink_thatFillsItsOwnQueue_isRefusedAndNotHeldUp(boolean resending) {
        Calling sink = new Calling(true);
        Sinks.Builder hub = faults.hub().add("x", sink);
        Sinks sinks = (resending ? hub.resending() : hub).build();
        try (sinks) {
            sink.action.set(() -> publish(sinks, 70_000));
            publish(sinks, 1);
            Threads.await(sink.done);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertThat(ledger(sinks, "x").dropped()).containsOnlyKeys("queue_full");
        }
        assertThat(ledger(sinks, "x").queued()).isZero();
    }
}
