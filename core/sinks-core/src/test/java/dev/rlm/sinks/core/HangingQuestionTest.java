package dev.rlm.sinks.core;

import static dev.rlm.sinks.core.Faults.LONG;
import static dev.rlm.sinks.core.Faults.assertAtRest;
import static dev.rlm.sinks.core.Faults.publish;
import static dev.rlm.sinks.core.Faults.status;
import static dev.rlm.sinks.core.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.TraceContext;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sinks that do not answer what threads of the program ask them. */
@Timeout(120) // who waits for one of them waits for ever
class HangingQuestionTest {
    @RegisterExtension
    private final Faults faults = new Faults();

    @Tag("thorough")
    @Test
    void questions_thatHang_holdNobodyUp() {
        Recorder hanging = new Recorder() {
            @Override
            public boolean isDurable() {
                Threads.await(faults.never);
                return true;
            }

            @Override
            public Duration patience() {
                Threads.await(faults.never);
                return Duration.ZERO;
            }

            @Override
            public Health status() {
                Threads.await(faults.never);
                return super.status();
            }

            @Override
            public Optional<Path> recordPath() {
                Threads.await(faults.never);
                return Optional.empty();
            }

            @Override
            public Optional<URI> location(String runId) {
                Threads.await(faults.never);
                return Optional.empty();
            }

            @Override
            public Optional<TraceContext> traceContext(Place place) {
                Threads.await(faults.never);
                return Optional.empty();
            }

            @Override
            public void beginClose(Duration timeout) {
                Threads.await(faults.never);
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
                    Threads.await(faults.never);
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
            faults.never.countDown();
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
                Threads.await(faults.never);
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
            faults.awaitHung(sinks, "hangs in onEvent");
            run.makeCurrent().close();
            assertThat(asked).hasValue(0);
            hanging.open();
        }
    }
}
