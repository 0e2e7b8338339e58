package dev.rlm.sinks.core;

import static dev.rlm.sinks.core.Faults.LONG;
import static dev.rlm.sinks.core.Faults.assertAtRest;
import static dev.rlm.sinks.core.Faults.ledger;
import static dev.rlm.sinks.core.Faults.publish;
import static dev.rlm.sinks.core.Faults.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.TraceContext;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sinks whose methods do not return, or call back into the hub. */
@Timeout(120) // who waits for one of them waits for ever
class HangingSinkTest {
    private final Faults faults = new Faults();
    private final CountDownLatch never = new CountDownLatch(1);

    @AfterEach
    void release() {
        never.countDown();
        faults.close();
    }

    private void awaitHung(Sinks sinks, String detail) {
        await().atMost(LONG)
                .until(() -> faults.passUntil(status(sinks, "hanging").detail().contains(detail)));
    }

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
            awaitHung(sinks, "hangs in onEvent");
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
        awaitHung(sinks, "hangs in onEvent");
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

    // ---- made anew

    /** Makes sinks that hang, as many as it is told to, and then one that works. */
    private static final class Factory implements Supplier<Sink> {
        final List<GatedSink> made = new CopyOnWriteArrayList<>();
        private final int hanging;

        Factory(int hanging) {
            this.hanging = hanging;
        }

        @Override
        public Sink get() {
            GatedSink sink = new GatedSink(false);
            made.add(sink);
            if (made.size() > hanging) {
                sink.open();
            }
            return sink;
        }
    }

    @Test
    void hangingSink_isReplacedByANewOne_andClosedWhenItComesBack() {
        Factory factory = new Factory(1);
        try (Sinks sinks = faults.hub().add("hanging", factory).build()) {
            publish(sinks, 1);
            factory.made.get(0).awaitEntered();
            publish(sinks, 7);
            await().atMost(LONG).until(() -> faults.passUntil(factory.made.size() == 2));
            publish(sinks, 2);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertAtRest(sinks, "hanging", 9, Map.of("hung", 1L));
            assertThat(factory.made.get(1).events()).hasSize(9);
            assertThat(sinks.get("hanging")).containsSame(factory.made.get(1));
            assertThat(factory.made.get(0).isClosed()).isFalse();

            factory.made.get(0).open();
            await().until(factory.made.get(0)::isClosed);
            publish(sinks, 1);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertAtRest(sinks, "hanging", 10, Map.of("hung", 1L));
            assertThat(factory.made.get(0).events()).hasSize(1);
        }
        assertThat(factory.made.get(1).isClosed()).isTrue();
        assertThat(faults.said("hanging"))
                .containsExactly("hangs in onEvent: it is replaced by a new one", "1 events dropped in all: {hung=1}");
    }

    @Tag("thorough")
    @Test
    void secrets_ofAReplacementToo_areRedacted() {
        GatedSink first = new GatedSink(false) {
            @Override
            public Collection<String> secrets() {
                return List.of("the-first-secret");
            }
        };
        Recorder second = new Recorder() {
            @Override
            public Collection<String> secrets() {
                return List.of("the-second-secret");
            }
        };
        Iterator<Sink> made = List.<Sink>of(first, second).iterator();
        try (Sinks sinks = faults.hub().add("hanging", made::next).build()) {
            String text = "the-first-secret and the-second-secret";
            assertThat(sinks.content(text).text())
                    .doesNotContain("the-first-secret")
                    .contains("the-second-secret");
            publish(sinks, 1);
            first.awaitEntered();
            await().atMost(LONG)
                    .until(() -> faults.passUntil(
                            sinks.get("hanging").filter(sink -> sink == second).isPresent()));
            assertThat(sinks.content(text).text())
                    .doesNotContain("the-first-secret")
                    .doesNotContain("the-second-secret");
            first.open();
        }
    }

    @Tag("thorough")
    @Test
    void replacement_thatHangsToo_isGivenUp() {
        Factory factory = new Factory(2);
        try (Sinks sinks = faults.hub().add("hanging", factory).build()) {
            publish(sinks, 5);
            awaitHung(sinks, "hangs in onEvent");
            await().atMost(LONG)
                    .until(() -> faults.passUntil(ledger(sinks, "hanging").queued() == 0));
            assertThat(factory.made).hasSize(2);
            assertAtRest(sinks, "hanging", 0, Map.of("hung", 5L));
            factory.made.forEach(GatedSink::open);
            await().until(() -> status(sinks, "hanging").available());
            publish(sinks, 1);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertThat(ledger(sinks, "hanging").delivered()).isEqualTo(1);
        }
        await().until(factory.made.get(0)::isClosed);
        assertThat(factory.made.get(1).isClosed()).isTrue();
    }

    @Tag("thorough")
    @Test
    void replacement_thatCannotBeMade_isTheEnd() {
        GatedSink first = new GatedSink(false);
        AtomicInteger asked = new AtomicInteger();
        Supplier<Sink> factory = () -> {
            if (asked.incrementAndGet() > 1) {
                throw new IllegalStateException("no more of them");
            }
            return first;
        };
        try (Sinks sinks = faults.hub().add("hanging", factory).build()) {
            publish(sinks, 5);
            awaitHung(sinks, "is being replaced");
            await().atMost(LONG).until(() -> status(sinks, "hanging").detail(), detail -> detail.startsWith("dead"));
            assertThat(status(sinks, "hanging").detail())
                    .isEqualTo("dead after 4 errors, the last: java.lang.IllegalStateException: no more of them");
            assertThat(asked).hasValue(5);
            assertThat(ledger(sinks, "hanging").queued()).isZero();
            assertThat(ledger(sinks, "hanging").dropped()).containsOnlyKeys("hung", "sink_dead");
            first.open();
        }
        await().until(first::isClosed);
    }

    @Tag("thorough")
    @Test
    void replacement_whoseMakingHangs_isGivenUp_andGoesOnWhenItIsThere() {
        GatedSink first = new GatedSink(false);
        Recorder second = new Recorder();
        AtomicInteger asked = new AtomicInteger();
        Supplier<Sink> factory = () -> {
            if (asked.incrementAndGet() > 1) {
                Threads.await(never);
                return second;
            }
            return first;
        };
        try (Sinks sinks = faults.hub().add("hanging", factory).build()) {
            publish(sinks, 5);
            awaitHung(sinks, "hangs in its making");
            assertThat(ledger(sinks, "hanging")).isEqualTo(Ledger.of(5, 0, Map.of("hung", 5L)));
            never.countDown();
            await().until(() -> status(sinks, "hanging").available());
            publish(sinks, 1);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertThat(second.events()).hasSize(1);
            assertAtRest(sinks, "hanging", 1, Map.of("hung", 5L));
            first.open();
        }
    }

    @Test
    void sink_thatCannotBeMadeAtAll_becomesAStatus() {
        Supplier<Sink> factory = () -> {
            throw new NoClassDefFoundError("com/example/Missing");
        };
        Recorder other = new Recorder();
        try (Sinks sinks =
                faults.hub().add("missing", factory).add("other", other).build()) {
            publish(sinks, 1);
            assertThat(status(sinks, "missing").available()).isFalse();
            assertThat(status(sinks, "missing").detail()).contains("com/example/Missing");
        }
        assertThat(other.events()).hasSize(1);
    }

    @Test
    void sink_whoseMakingFailsForACauseThatIsItsOwn_becomesAStatus() {
        Supplier<Sink> factory = () -> {
            IllegalStateException cause = new IllegalStateException("the cause");
            IllegalStateException error = new IllegalStateException("the error", cause);
            cause.initCause(error);
            throw error;
        };
        try (Sinks sinks = faults.hub().add("missing", factory).build()) {
            assertThat(status(sinks, "missing").detail()).startsWith("the error");
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
            awaitHung(sinks, "hangs in onEvent");
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

    // ---- doors

    @Tag("thorough")
    @Test
    void questions_thatHang_holdNobodyUp() {
        Recorder hanging = new Recorder() {
            @Override
            public boolean isDurable() {
                Threads.await(never);
                return true;
            }

            @Override
            public Duration patience() {
                Threads.await(never);
                return Duration.ZERO;
            }

            @Override
            public Health status() {
                Threads.await(never);
                return super.status();
            }

            @Override
            public Optional<Path> recordPath() {
                Threads.await(never);
                return Optional.empty();
            }

            @Override
            public Optional<URI> location(String runId) {
                Threads.await(never);
                return Optional.empty();
            }

            @Override
            public Optional<TraceContext> traceContext(Place place) {
                Threads.await(never);
                return Optional.empty();
            }

            @Override
            public void beginClose(Duration timeout) {
                Threads.await(never);
            }
        };
        Recorder other = new Recorder() {
            @Override
            public Optional<Path> recordPath() {
                return Optional.of(Path.of("/tmp/record"));
            }
        };
        Sinks sinks = faults.hub().add("hanging", hanging).add("other", other).build();
        try (sinks) {
            await().until(() -> sinks.locations("run").containsKey("other")); // from now on it is asked directly
            try (Run run = sinks.startRun(RunSpec.builder("env").build())) {
                assertThat(run.traceContext()).isPresent();
                run.complete("");
            }
            assertThat(sinks.locations("run")).containsOnlyKeys("other");
            assertThat(status(sinks, "hanging").detail()).isEqualTo("its status gave no answer in time");
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
        }
        assertThat(other.only(RunEnded.class).runPath()).isEqualTo("/tmp/record");
        assertThat(hanging.events()).hasSize(2);
        assertThat(hanging.isClosed()).isTrue();
    }

    /** Its answers were prompt, so it is asked on the calling thread; meanwhile its lane takes the lock. */
    @Test
    void sink_thatHangsWithItsLockHeld_holdsUpNoThreadThatIsAskingIt() throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        Recorder hanging = new Recorder() {
            @Override
            public synchronized void onEvent(Event event) {
                if (event instanceof StepEnded) {
                    Threads.await(never);
                }
            }

            @Override
            public Optional<TraceContext> traceContext(Place place) {
                if (place.step() != null) {
                    asked.countDown();
                    LockSupport.parkNanos(20_000_000);
                }
                synchronized (this) {
                    return Optional.empty();
                }
            }
        };
        try (Sinks sinks = faults.hub().add("hanging", hanging).build()) {
            Run run = sinks.startRun(RunSpec.builder("env").build());
            Step step = run.startStep();
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            run.traceContext();
            Thread asking = new Thread(step::traceContext);
            asking.setDaemon(true);
            asking.start();
            asked.await();
            run.startStep().complete("");
            asking.join(LONG.toMillis());
            assertThat(asking.isAlive()).isFalse();
            never.countDown();
        }
    }

    @Test
    void runEnd_besideALaneInALongCall_asksItsSinkNothing() {
        AtomicInteger askedForPath = new AtomicInteger();
        AtomicInteger askedForLocation = new AtomicInteger();
        GatedSink busy = new GatedSink(true) {
            @Override
            public Optional<Path> recordPath() {
                askedForPath.incrementAndGet();
                return Optional.of(Path.of("/tmp/record"));
            }

            @Override
            public Optional<URI> location(String runId) {
                askedForLocation.incrementAndGet();
                return super.location(runId);
            }
        };
        try (Sinks sinks = faults.hub().add("busy", busy).build()) {
            Run run = sinks.startRun(RunSpec.builder("env").build());
            busy.awaitEntered();
            run.startStep().complete("");
            run.complete("");
            assertThat(askedForPath).hasValue(1);
            assertThat(askedForLocation).hasValue(0);
            busy.open();
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
        }
        assertThat(busy.only(RunEnded.class).runPath()).isEqualTo("/tmp/record");
    }

    @Test
    void lockedSink_whoseLaneHangs_holdsNobodyUp() {
        Sink hanging = new Sink() {
            @Override
            public synchronized void onEvent(Event event) {
                Threads.await(never);
            }

            @Override
            public synchronized Health status() {
                return Sink.super.status();
            }

            @Override
            public synchronized Optional<URI> location(String runId) {
                return Optional.of(URI.create("file:/tmp/locked"));
            }

            @Override
            public synchronized @Nullable Acknowledged acknowledged() {
                return null;
            }
        };
        Recorder other = new Recorder();
        Sinks sinks = faults.hub().add("hanging", hanging).add("other", other).build();
        await().until(() -> sinks.locations("run").containsKey("hanging")); // prompt until then
        publish(sinks, 1);
        await().until(() -> !status(sinks, "hanging").available());
        sinks.startRun(RunSpec.builder("env").build()).complete("");
        sinks.close(Duration.ofMillis(500));
        await().until(other::isClosed);
        assertThat(other.only(RunEnded.class).runPath()).isNull();
        assertAtRest(sinks, "hanging", 0, Map.of("hung", 3L));
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"1100, 4", "150, 7", "5, 201"})
    void scopes_thatTookLong_areNotAskedForAgain(int millis, int atMost) {
        AtomicInteger asked = new AtomicInteger();
        Sink slow = new Sink() {
            @Override
            public Scope openScope(Place place) {
                asked.incrementAndGet();
                for (long start = System.nanoTime(); System.nanoTime() - start <= millis * 1_000_000L; ) {
                    Thread.onSpinWait();
                }
                return Scope.NONE;
            }
        };
        try (Sinks sinks = faults.hub().add("slow", slow).build();
                Run run = sinks.startRun(RunSpec.builder("env").build())) {
            for (int i = 0; i < 300; i++) {
                run.makeCurrent().close();
            }
            assertThat(asked).hasValueBetween(1, atMost);
        }
        assertThat(faults.said("slow")).anyMatch(line -> line.startsWith("openScope took"));
    }

    /** As a cold start does on a machine that has other things to do: class loading, then a pause now and then. */
    @Test
    void scopes_heldUpByABusyMachine_areStillAskedFor() {
        AtomicInteger asked = new AtomicInteger();
        Sink cold = new Sink() {
            @Override
            public Scope openScope(Place place) {
                int call = asked.incrementAndGet();
                long nanos = TimeUnit.MILLISECONDS.toNanos(call <= 3 ? 350 : call % 20 == 0 ? 100 : 0);
                for (long start = System.nanoTime(); System.nanoTime() - start < nanos; ) {
                    Thread.onSpinWait();
                }
                return Scope.NONE;
            }
        };
        try (Sinks sinks = faults.hub().add("cold", cold).build();
                Run run = sinks.startRun(RunSpec.builder("env").build())) {
            for (int i = 0; i < 100; i++) {
                run.makeCurrent().close();
            }
        }
        assertThat(asked).hasValue(100);
        assertThat(faults.said("cold")).isEmpty();
    }

    @Tag("thorough")
    @Test
    void scopes_ofASinkThatHangs_areNotAskedFor() {
        AtomicInteger asked = new AtomicInteger();
        GatedSink hanging = new GatedSink(false) {
            @Override
            public Scope openScope(Place place) {
                asked.incrementAndGet();
                return Scope.NONE;
            }
        };
        try (Sinks sinks = faults.hub().add("hanging", hanging).build()) {
            Run run = sinks.startRun(RunSpec.builder("env").build());
            awaitHung(sinks, "hangs in onEvent");
            run.makeCurrent().close();
            assertThat(asked).hasValue(0);
            hanging.open();
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
