package dev.rlm.sinks.core;

import static dev.rlm.sinks.core.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepStarted;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class SinksTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final RunInfo FOREIGN = RunInfoBuilder.builder()
            .runId("foreign")
            .startedAt(Instant.EPOCH)
            .environment("env")
            .model("")
            .build();

    @Test
    void addAndRemove_whileRunsGoOn() {
        Recorder first = new Recorder();
        Recorder second = new Recorder();
        try (Sinks sinks = Sinks.builder().add("first", first).build()) {
            Run early = start(sinks, "early");
            sinks.add("second", second);
            Run late = start(sinks, "late");
            assertThat(sinks.remove("first")).isTrue();
            assertThat(first.isClosed()).isTrue();
            assertThat(sinks.remove("first")).isFalse();
            early.complete("");
            late.complete("");
            assertThat(sinks.get("second")).containsSame(second);
            assertThat(sinks.get(Recorder.class)).containsSame(second);
            assertThat(sinks.get("first")).isEmpty();
        }

        assertThat(first.events()).hasOnlyElementsOfType(RunStarted.class).hasSize(2);
        assertThat(second.of("early")).isEmpty();
        assertThat(second.of("late")).hasSize(2);
    }

    @Test
    void add_ofANameInUse_isRefused() {
        try (Sinks sinks = Sinks.builder().add("x", new Recorder()).build()) {
            assertThatThrownBy(() -> sinks.add("x", new Recorder()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'x'");
        }
    }

    @Test
    void add_afterTheClose_closesTheSink() {
        Sinks sinks = Sinks.builder().build();
        sinks.close();
        Recorder late = new Recorder();
        sinks.add("late", late);

        await().until(late::isClosed);
        assertThat(sinks.get("late")).isEmpty();
    }

    @Test
    void close_abortsOpenRuns_andCountsWhatComesAfter() {
        Recorder sink = new Recorder();
        Sinks sinks = Sinks.builder().add("x", sink).build();
        Run run = start(sinks, "open");
        run.startStep();
        sinks.close();
        sinks.close();
        run.reward(1);
        run.close();
        start(sinks, "too late").complete("");
        sinks.publish(new Heartbeat(FOREIGN, 1, 0, 0, 0));

        assertThat(sink.isClosed()).isTrue();
        assertThat(sink.only(RunEnded.class).outcome()).isEqualTo(Outcome.ABORTED);
        assertThat(sink.only(RunEnded.class).status().message()).isEqualTo("the sinks were closed");
        Ledger ledger = ledger(sinks);
        assertThat(ledger.delivered()).isEqualTo(4);
        assertThat(ledger.dropped()).containsOnly(Map.entry("after_end", 1L), Map.entry("closed", 2L));
        assertThat(ledger.queued()).isZero();
        assertThat(sinks.flush(LONG).isComplete()).isFalse();
    }

    @Test
    void close_onAnInterruptedThread_stillDelivers() {
        GatedSink sink = new GatedSink(false);
        Sinks sinks = Sinks.builder().add("x", sink).build();
        start(sinks, "run").complete("");
        sink.awaitEntered();
        Thread closer = Thread.currentThread();
        Thread opener = new Thread(() -> {
            while (closer.getState() != Thread.State.TIMED_WAITING) { // until it waits for the sink
                Thread.onSpinWait();
            }
            sink.open();
        });
        opener.setDaemon(true);
        opener.start();
        closer.interrupt();
        sinks.close(LONG);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(sink.isClosed()).isTrue();
        assertThat(sink.events()).hasSize(2);
    }

    @Test
    void close_whileAnotherCloses_waitsForIt() {
        GatedSink sink = new GatedSink(false);
        Sinks sinks = Sinks.builder().add("x", sink).build();
        start(sinks, "run").complete("");
        sink.awaitEntered();
        CountDownLatch closing = new CountDownLatch(1);
        Threads.together(
                () -> {
                    closing.countDown();
                    sinks.close(LONG);
                },
                () -> {
                    Threads.await(closing);
                    sinks.close(LONG);
                    assertThat(sink.isClosed()).isTrue();
                },
                () -> {
                    Threads.await(closing);
                    sink.open();
                });
    }

    /** That sink's own lane, which the first close cannot wait for, still has what was queued. */
    @Test
    void close_afterASinkHasClosedTheHub_waitsForThatSink() throws InterruptedException {
        CountDownLatch offered = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        CountDownLatch goingOn = new CountDownLatch(1);
        Sinks sinks = Sinks.builder().build();
        Recorder sink = new Recorder() {
            @Override
            public void onEvent(Event event) {
                super.onEvent(event);
                if (closed.getCount() > 0) {
                    Threads.await(offered);
                    sinks.close();
                    closed.countDown();
                    Threads.await(goingOn);
                }
            }
        };
        sinks.add("x", sink);
        start(sinks, "run").complete("");
        offered.countDown();
        Threads.await(closed);
        Thread closing = new Thread(() -> sinks.close());
        closing.start();
        await().until(() -> closing.getState() != Thread.State.RUNNABLE && closing.getState() != Thread.State.NEW);

        assertThat(closing.isAlive()).isTrue();
        goingOn.countDown();
        closing.join();
        assertThat(sinks.statuses().get(0).ledger().queued()).isZero();
        assertThat(sink.only(RunEnded.class).outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    @Timeout(60) // it would wait for a day
    void close_afterOneThatGaveUp_doesNotWaitAgain() {
        GatedSink hanging = new GatedSink(false);
        Sinks sinks = Sinks.builder().add("hanging", hanging).build();
        sinks.startRun(RunSpec.builder("env").build());
        hanging.awaitEntered();
        try {
            sinks.close(Duration.ofMillis(1));
            sinks.close(Duration.ofDays(1));
        } finally {
            hanging.open();
        }
    }

    @Test
    void close_whileASinkIsRemoved_doesNotWaitForThat() {
        GatedSink hanging = new GatedSink(false);
        Sinks sinks = Sinks.builder().add("x", hanging).build();
        start(sinks, "run");
        hanging.awaitEntered();
        Thread remover = new Thread(() -> sinks.remove("x"));
        remover.start();
        await().until(() -> sinks.get("x").isEmpty());
        sinks.close(Duration.ofMillis(1));

        assertThat(remover.isAlive()).isTrue();
        hanging.open();
        await().until(() -> !remover.isAlive());
    }

    @Tag("thorough")
    @Test
    void runs_thatStartWhileTheHubCloses_endOrNeverStart() {
        for (int i = 0; i < 100; i++) {
            Recorder sink = new Recorder();
            Sinks sinks = Sinks.builder().add("x", sink).build();
            Threads.Task runner = () -> {
                for (int n = 0; n < 50; n++) {
                    start(sinks, "run-" + Thread.currentThread().getName() + "-" + n);
                }
            };
            Threads.together(runner, runner, () -> {
                sink.awaitFirst();
                sinks.close(LONG);
            });
            sinks.close(LONG);

            List<String> started = runIds(sink.events(RunStarted.class));
            assertThat(runIds(sink.events(RunEnded.class))).containsExactlyInAnyOrderElementsOf(started);
            assertThat(ledger(sinks).queued()).isZero();
        }
    }

    private static List<String> runIds(List<? extends RunEvent> events) {
        return events.stream().map(event -> event.run().runId()).toList();
    }

    @Tag("thorough")
    @Test
    void events_offeredWhileTheHubCloses_areAccountedFor() {
        for (int i = 0; i < 100; i++) {
            Recorder sink = new Recorder();
            Sinks sinks = Sinks.builder().add("x", sink).build();
            AtomicBoolean closed = new AtomicBoolean();
            AtomicLong published = new AtomicLong();
            Threads.Task publisher = () -> {
                while (!closed.get()) {
                    sinks.publish(new Heartbeat(FOREIGN, 1, 0, 0, 0));
                    published.incrementAndGet();
                }
            };
            Threads.together(publisher, publisher, () -> {
                sink.awaitFirst();
                sinks.close(LONG);
                closed.set(true);
            });

            Ledger ledger = ledger(sinks);
            assertThat(ledger.offered()).isEqualTo(published.get());
            assertThat(ledger.delivered()).isEqualTo(sink.events().size());
            assertThat(ledger.queued()).isZero();
        }
    }

    @Tag("thorough")
    @Test
    void flush_racingAClose_returns() {
        for (int i = 0; i < 300; i++) {
            Sinks sinks = Sinks.builder().add("x", new Recorder()).build();
            Threads.together(() -> sinks.flush(Duration.ofMinutes(10)), () -> sinks.close(LONG));
        }
    }

    @Test
    void ledger_underLoad_losesNoEvent() {
        AtomicLong received = new AtomicLong();
        Sink counting = new Sink() {
            @Override
            public void onEvent(Event event) {
                if (received.incrementAndGet() % 1000 == 0) {
                    throw new IllegalStateException("now and then");
                }
            }
        };
        Sinks sinks = Sinks.builder().add("x", counting).build();
        Threads.Task runner = () -> {
            for (int n = 0; n < 1000; n++) {
                try (Run run = start(sinks, "r" + n)) {
                    for (int s = 0; s < 33; s++) {
                        try (Step step = run.startStep()) {
                            step.reward(1);
                            step.complete("");
                        }
                    }
                    run.complete("");
                }
            }
        };
        Threads.together(runner, runner, runner, runner, () -> {
            for (int n = 0; n < 1000; n++) {
                Ledger ledger = ledger(sinks);
                assertThat(ledger.queued()).isNotNegative();
            }
        });
        sinks.close(LONG);

        Ledger ledger = ledger(sinks);
        assertThat(ledger.offered()).isEqualTo(4 * 1000 * (2 + 33 * 3L));
        assertThat(ledger.queued()).isZero();
        assertThat(ledger.delivered() + ledger.dropped().getOrDefault("sink_error", 0L))
                .isEqualTo(received.get());
    }

    // ---- events from elsewhere

    @Test
    void publishedEvents_keepTheirTimesAndNumbers() {
        Recorder sink = new Recorder();
        List<Event> events = List.of(
                new RunStarted(FOREIGN, 1),
                new StepStarted(FOREIGN, 2, 5, 1, 0, Content.EMPTY),
                end(3),
                new MetricsReported(Instant.EPOCH, "misc", "step", Map.of("step", 1.0)));
        try (Sinks sinks = Sinks.builder().add("x", sink).build()) {
            events.forEach(sinks::publish);
        }

        assertThat(sink.events()).isEqualTo(events);
    }

    @Test
    void publishedEvents_withoutStartOrTwice_arrive() {
        Recorder sink = new Recorder();
        try (Sinks sinks = Sinks.builder().add("x", sink).build()) {
            sinks.publish(end(9));
            sinks.publish(new Heartbeat(FOREIGN, 3, 0, 0, 0));
            sinks.publish(new RunStarted(FOREIGN, 1));
            sinks.publish(new RunStarted(FOREIGN, 1));
            sinks.publish(end(9));
            sinks.publish(end(9));
        }

        assertThat(sink.events()).hasSize(6);
    }

    @Test
    void publish_byManyThreads_bringsAll() {
        Recorder sink = new Recorder();
        try (Sinks sinks = Sinks.builder().add("x", sink).build()) {
            Threads.Task whole = () -> {
                for (int i = 0; i < 5000; i++) {
                    sinks.publish(new RunStarted(FOREIGN, 1));
                    sinks.publish(new Heartbeat(FOREIGN, 2, 0, 0, 0));
                    sinks.publish(end(3));
                }
            };
            Threads.together(whole, whole, whole);
            assertThat(sinks.flush(Duration.ofSeconds(60)).isComplete()).isTrue();
            assertThat(sinks.statuses().get(0).ledger()).isEqualTo(Ledger.of(45_000, 45_000, Map.of()));
        }
        assertThat(sink.events()).hasSize(45_000);
    }

    private static RunEnded end(long seq) {
        RunStatus status = RunStatus.of(RunStatus.FINISHED, "");
        return RunEndedBuilder.builder()
                .run(FOREIGN)
                .seq(seq)
                .nanos(9)
                .outcome(Outcome.COMPLETED)
                .status(status)
                .build();
    }

    // ---- sinks that answer nonsense

    @Test
    void nullAnswers_hurtNobody() {
        Recorder other = new Recorder();
        try (Sinks sinks =
                Sinks.builder().add("null", new NullSink()).add("other", other).build()) {
            assertThatCode(() -> {
                        Run run = start(sinks, "run");
                        run.makeCurrent().close();
                        assertThat(sinks.locations("run")).isEmpty();
                        assertThat(sinks.statuses().get(0).available()).isFalse();
                        run.complete("");
                    })
                    .doesNotThrowAnyException();
        }
        assertThat(other.of("run")).hasSize(2);
    }

    @SuppressWarnings("NullAway") // a sink that was compiled without a null checker
    private static final class NullSink implements Sink {
        @Override
        public Scope openScope(Place place) {
            return null;
        }

        @Override
        public Optional<Path> recordPath() {
            return null;
        }

        @Override
        public Optional<URI> location(String runId) {
            return null;
        }

        @Override
        public Health status() {
            return null;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"file:relative", "file://host/path?query", "file:/tmp/run%20one"})
    void location_ofAnyKind_doesNotCostTheEnd(String location) {
        Recorder sink = new Recorder() {
            @Override
            public Optional<URI> location(String runId) {
                return Optional.of(URI.create(location));
            }
        };
        try (Sinks sinks = Sinks.builder().add("x", sink).build()) {
            start(sinks, "run").complete("");
            assertThat(sinks.locations("run")).containsEntry("x", URI.create(location));
        }

        assertThat(sink.only(RunEnded.class).runPath()).isNull();
    }

    @Test
    void recordPath_isThatOfTheSinkThatKeepsTheRecord() {
        try (Sinks sinks = Sinks.builder()
                .add("page", new Located("/tmp/page", false))
                .add("record", new Located("/tmp/record", true))
                .build()) {
            start(sinks, "run").complete("");
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            Located page = sinks.get(Located.class).orElseThrow();
            assertThat(page.only(RunEnded.class).runPath()).isEqualTo("/tmp/record");
            assertThat(sinks.recordPaths())
                    .containsExactly(entry("page", Path.of("/tmp/page")), entry("record", Path.of("/tmp/record")));
            assertThat(sinks.locations("run")).containsEntry("page", URI.create("file:///tmp/page"));
        }
    }

    private static final class Located extends Recorder {
        private final String path;
        private final boolean durable;

        Located(String path, boolean durable) {
            this.path = path;
            this.durable = durable;
        }

        @Override
        public boolean isDurable() {
            return durable;
        }

        @Override
        public Optional<Path> recordPath() {
            return Optional.of(Path.of(path));
        }
    }

    @Test
    void scopes_closeInReverse_whateverASinkThrows() {
        StringBuilder log = new StringBuilder();
        try (Sinks sinks = Sinks.builder()
                .add("a", new ScopedSink("a", log))
                .add("b", new ScopedSink("b", log))
                .build()) {
            Run run = start(sinks, "run");
            try (Scope outer = run.makeCurrent();
                    Scope inner = run.startStep().makeCurrent()) {
                log.append("| ");
            }
        }

        assertThat(log).hasToString("+a +b +a1 +b1 | -b1 -a1 -b -a ");
    }

    private record ScopedSink(String name, StringBuilder log) implements Sink {
        @Override
        public Scope openScope(Place place) {
            StepStarted step = place.step();
            String what = name + (step == null ? "" : step.step()) + " ";
            log.append('+').append(what);
            return () -> {
                log.append('-').append(what);
                throw new IllegalStateException("while closing");
            };
        }
    }

    private static Run start(Sinks sinks, String runId) {
        return sinks.startRun(RunSpec.builder("env").runId(runId).build());
    }

    private static Ledger ledger(Sinks sinks) {
        return sinks.statuses().get(0).ledger();
    }
}
