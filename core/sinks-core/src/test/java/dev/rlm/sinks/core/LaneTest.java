package dev.rlm.sinks.core;

import static dev.rlm.sinks.core.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rlm.sinks.FlushResult;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TokenTrace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@Timeout(120)
class LaneTest {
    private static final int MORE_THAN_A_QUEUE = 70_000;
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final RunInfo FOREIGN = RunInfoBuilder.builder()
            .runId("foreign")
            .startedAt(Instant.EPOCH)
            .environment("env")
            .model("")
            .build();
    private static final Event HEARTBEAT = new Heartbeat(FOREIGN, 1, 0, 0, 0);

    @Test
    void hangingSink_slowsNeitherTheRunnerNorOtherSinks() {
        GatedSink hanging = new GatedSink(false);
        Recorder other = new Recorder();
        try (Sinks sinks =
                Sinks.builder().add("hanging", hanging).add("other", other).build()) {
            recordRun(sinks);
            hanging.awaitEntered();
            recordRun(sinks);
            await().until(() -> other.events(RunEnded.class).size() == 2);
            assertThat(hanging.events()).isEmpty();
            hanging.open();
        }
        assertThat(hanging.events()).hasSameSizeAs(other.events());
    }

    @Test
    void hangingSink_closesInBoundedTime_andOthersComplete() {
        GatedSink hanging = new GatedSink(false);
        Recorder other = new Recorder();
        Sinks sinks =
                Sinks.builder().add("hanging", hanging).add("other", other).build();
        recordRun(sinks);
        hanging.awaitEntered();
        sinks.close(Duration.ofMillis(200));

        await().until(other::isClosed);
        assertThat(other.events(RunEnded.class)).hasSize(1);
        assertThat(ledger(sinks, "hanging")).isEqualTo(Ledger.of(2, 0, Map.of("hung", 2L)));
        assertThat(hanging.isClosed()).isFalse();
        hanging.open();
        await().until(hanging::isClosed);
        assertThat(ledger(sinks, "hanging")).isEqualTo(Ledger.of(2, 0, Map.of("hung", 2L)));
    }

    @Test
    void throwingSink_isCountedAndLoggedOnce() {
        Sink throwing = new Sink() {
            @Override
            public void onRunStarted(RunStarted event) {
                throw new AssertionError("broken by a-secret-value");
            }
        };
        Sinks sinks = Sinks.builder()
                .add("throwing", throwing)
                .secret("a-secret-value")
                .build();
        List<String> log = logged(() -> {
            try (sinks) {
                for (int i = 0; i < 10; i++) {
                    recordRun(sinks);
                }
            }
        });

        assertThat(ledger(sinks, "throwing").dropped()).containsExactly(Map.entry("sink_error", 10L));
        assertThat(ledger(sinks, "throwing").delivered()).isEqualTo(10);
        assertThat(log)
                .filteredOn(line -> line.contains("broken by"))
                .hasSize(1)
                .allMatch(line -> line.contains("throwing") && !line.contains("a-secret-value"));
    }

    /** What is logged of sinks in the meantime. */
    private static List<String> logged(Runnable recording) {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger("dev.rlm.sinks");
        log.start();
        logger.addAppender(log);
        try {
            recording.run();
        } finally {
            logger.detachAppender(log);
        }
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void close_saysHowMuchWasDropped_evenSoonAfterTheFirstWasLogged() {
        Sink throwing = new Sink() {
            @Override
            public void onRunStarted(RunStarted event) {
                throw new IllegalStateException("broken");
            }
        };
        List<String> log = logged(() -> {
            try (Sinks sinks = Sinks.builder().add("forgetful", throwing).build()) {
                for (int i = 0; i < 3; i++) {
                    recordRun(sinks);
                    assertThat(sinks.flush(LONG).isComplete()).isTrue();
                }
            }
        });

        assertThat(log)
                .filteredOn(line -> line.contains("forgetful"))
                .containsExactly(
                        "sink forgetful: onEvent failed: java.lang.IllegalStateException: broken",
                        "sink forgetful: 3 events dropped in all: {sink_error=3}");
    }

    @Test
    void sinkWhoseErrorsCannotBePrinted_staysInUse() {
        Sink throwing = new Sink() {
            @Override
            public void onRunStarted(RunStarted event) {
                throw new RuntimeException() {
                    @Override
                    public String getMessage() {
                        throw new IllegalStateException("unprintable");
                    }
                };
            }
        };
        Sinks sinks = Sinks.builder().add("throwing", throwing).build();
        try (sinks) {
            recordRun(sinks);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
        }

        assertThat(ledger(sinks, "throwing").delivered()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fullQueue_dropsAndCounts(boolean durable) {
        GatedSink hanging = new GatedSink(durable);
        Sinks sinks = Sinks.builder().add("hanging", hanging).build();
        try (sinks) {
            publish(sinks, MORE_THAN_A_QUEUE);
            Ledger full = ledger(sinks, "hanging");
            assertThat(full.offered()).isEqualTo(MORE_THAN_A_QUEUE);
            assertThat(full.dropped()).containsOnlyKeys("queue_full");
            assertThat(full.queued()).isBetween(1L << 16, (1L << 16) + 1);
            hanging.open();
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
        }

        Ledger rest = ledger(sinks, "hanging");
        assertThat(rest.queued()).isZero();
        assertThat(rest.delivered()).isEqualTo(hanging.events().size());
        assertThat(rest.offered()).isEqualTo(rest.delivered() + rest.droppedTotal());
    }

    @Test
    void fullOfText_dropsAndCounts() {
        GatedSink hanging = new GatedSink(false);
        try (Sinks sinks = Sinks.builder().add("hanging", hanging).build()) {
            Event large = new StepStarted(FOREIGN, 1, 0, 1, 0, Content.redacted("x".repeat(1 << 20)));
            sinks.publish(large);
            hanging.awaitEntered(); // what the sink has in hand is in no queue
            for (int i = 1; i < 100; i++) {
                sinks.publish(large);
            }
            publish(sinks, 10);
            assertThat(ledger(sinks, "hanging").dropped()).containsOnlyKeys("queue_full");
            assertThat(ledger(sinks, "hanging").queued()).isBetween(32L + 10, 33L + 10);
            assertThat(sinks.statuses().get(0).retained())
                    .isGreaterThan(64 << 20)
                    .isLessThan((64 << 20) + 2 * (1 << 20) + 100 * 128);
            hanging.open();
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            sinks.publish(large);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertThat(hanging.events()).last().isEqualTo(large);
        }
    }

    @Test
    void ends_ofManyRuns_areBoundedInBytesToo() {
        GatedSink hanging = new GatedSink(false);
        String answer = "x".repeat(1 << 20); // two MiB as they are counted
        int runs = 200;
        Sinks sinks = Sinks.builder().add("hanging", hanging).build();
        try (sinks) {
            List<Run> open = Stream.generate(
                            () -> sinks.startRun(RunSpec.builder("env").build()))
                    .limit(runs)
                    .toList();
            hanging.awaitEntered();
            open.forEach(run -> run.complete(answer));
            assertThat(sinks.statuses().get(0).retained()).isBetween(128L << 20, 131L << 20);
            assertThat(ledger(sinks, "hanging").dropped()).containsExactly(Map.entry("queue_full", runs - 64L));
            hanging.open();
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertThat(sinks.statuses().get(0).retained()).isZero();
        }
        assertThat(ledger(sinks, "hanging").delivered()).isEqualTo(runs + 64L);
    }

    @Test
    void fullOfTokens_dropsAndCounts() {
        List<Integer> ids = Collections.nCopies(4 << 20, 1);
        TokenTrace tokens = new TokenTrace(List.of(), ids, List.of(), null);
        Event large = ModelCalledBuilder.builder()
                .run(FOREIGN)
                .seq(1)
                .step(1)
                .provider("p")
                .model("m")
                .tokens(tokens)
                .build();
        GatedSink hanging = new GatedSink(false);
        try (Sinks sinks = Sinks.builder().add("hanging", hanging).build()) {
            for (int i = 0; i < 100; i++) {
                sinks.publish(large);
            }
            assertThat(ledger(sinks, "hanging").dropped()).containsOnlyKeys("queue_full");
            hanging.open();
        }
    }

    @Test
    void durableSink_thatIsOnlySlow_makesTheProducerWaitAndLosesNothing() {
        AtomicReference<Thread> producer = new AtomicReference<>();
        Sink slow = new Sink() {
            private boolean waited;

            @Override
            public boolean isDurable() {
                return true;
            }

            @Override
            public void onEvent(Event event) {
                while (!waited) { // until the queue is full and its producer waits
                    Thread known = producer.get();
                    waited = known != null && known.getState() == Thread.State.TIMED_WAITING;
                    Thread.onSpinWait();
                }
            }
        };
        Sinks sinks = Sinks.builder()
                .clocks(InstantSource.system(), () -> 0) // no stall takes too long
                .add("slow", slow)
                .build();
        try (sinks) {
            Threads.together(() -> {
                producer.set(Thread.currentThread());
                publish(sinks, MORE_THAN_A_QUEUE);
            });
        }

        assertThat(ledger(sinks, "slow").delivered()).isEqualTo(MORE_THAN_A_QUEUE + 1); // the report of the ledger too
        assertThat(ledger(sinks, "slow").dropped()).isEmpty();
    }

    @Test
    void queue_isAsLargeAsVariablesSay() {
        GatedSink hanging = new GatedSink(false);
        SinkConfig config = SinkConfig.of(Map.of("RLM_QUEUE_EVENTS", "256", "RLM_OBS_ENABLED", "false"));
        try (Sinks sinks =
                Sinks.builder().config(config).add("hanging", hanging).build()) {
            publish(sinks, 1);
            hanging.awaitEntered();
            publish(sinks, 1000);
            assertThat(ledger(sinks, "hanging").dropped()).isEqualTo(Map.of("queue_full", 1000L - 256));
            hanging.open();
        }
    }

    @ParameterizedTest
    @CsvSource({"RLM_QUEUE_EVENTS, 255, from 256 to 4194304", "RLM_QUEUE_BYTES, 1000KB, at least 1MiB"})
    void queue_ofASizeThatCannotBe_isRefused(String variable, String value, String expected) {
        SinkConfig config = SinkConfig.of(Map.of(variable, value));
        assertThatThrownBy(() -> Sinks.builder().config(config).build())
                .isInstanceOf(SinkConfigException.class)
                .hasMessageContainingAll(variable + "=" + value, expected);
    }

    @Test
    void runThatWasAdmitted_endsEvenInAFullQueue() {
        GatedSink hanging = new GatedSink(false);
        Sinks sinks = Sinks.builder().add("hanging", hanging).build();
        try (sinks) {
            Run admitted =
                    sinks.startRun(RunSpec.builder("env").runId("admitted").build());
            hanging.awaitEntered();
            publish(sinks, MORE_THAN_A_QUEUE);
            Run refused = sinks.startRun(RunSpec.builder("env").runId("refused").build());
            refused.startStep();
            refused.complete("");
            admitted.startStep();
            admitted.complete("");
            hanging.open();
        }

        assertThat(hanging.of("admitted"))
                .hasOnlyElementsOfTypes(RunStarted.class, RunEnded.class)
                .hasSize(2);
        assertThat(hanging.of("refused")).isEmpty();
        Ledger ledger = ledger(sinks, "hanging");
        assertThat(ledger.dropped())
                .containsOnlyKeys("queue_full", "run_refused")
                .containsEntry("run_refused", 3L);
        assertThat(ledger.queued()).isZero();
    }

    @Test
    void roomForEnds_isNeverLeaked() {
        GatedSink hanging = new GatedSink(false);
        try (Sinks sinks = Sinks.builder().add("hanging", hanging).build()) {
            publish(sinks, MORE_THAN_A_QUEUE);
            for (int i = 0; i < MORE_THAN_A_QUEUE; i++) {
                sinks.startRun(RunSpec.builder("env").runId("refused").build()).close();
            }
            hanging.open();
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            for (int i = 0; i < MORE_THAN_A_QUEUE; i++) {
                sinks.publish(new RunStarted(FOREIGN, 1));
                if (i % 1000 == 0) {
                    assertThat(sinks.flush(LONG).isComplete()).isTrue();
                }
            }
            Run last = sinks.startRun(RunSpec.builder("env").runId("last").build());
            last.complete("");
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
            assertThat(hanging.of("last")).hasSize(2);
        }
    }

    @Test
    void flush_ofAHangingSink_saysSo() {
        GatedSink hanging = new GatedSink(false);
        Recorder other = new Recorder();
        try (Sinks sinks =
                Sinks.builder().add("hanging", hanging).add("other", other).build()) {
            recordRun(sinks);
            other.awaitFirst();
            FlushResult result = sinks.flush(Duration.ofMillis(50));
            assertThat(result.sinks()).containsEntry("hanging", false);
            assertThat(result.isComplete()).isFalse();
            hanging.open();
            assertThat(sinks.flush(LONG).sinks()).containsEntry("hanging", true).containsEntry("other", true);
            assertThat(hanging.events()).hasSize(2);
        }
    }

    @Test
    void sinkThatAcknowledges_isAskedWhatArrived() {
        Sink sink = new Sink() {
            @Override
            public Acknowledged acknowledged() {
                return new Acknowledged(1, Map.of("refused_there", 1L));
            }
        };
        Sinks sinks = Sinks.builder().add("asked", sink).build();
        try (sinks) {
            publish(sinks, 5);
            assertThat(sinks.flush(LONG).isComplete()).isTrue();
        }

        Ledger ledger = ledger(sinks, "asked");
        assertThat(ledger.offered()).isEqualTo(5);
        assertThat(ledger.delivered()).isEqualTo(1);
        assertThat(ledger.dropped()).containsExactly(Map.entry("refused_there", 1L));
        assertThat(ledger.queued()).isEqualTo(3);
    }

    private static void recordRun(Sinks sinks) {
        sinks.startRun(RunSpec.builder("env").build()).complete("");
    }

    private static void publish(Sinks sinks, int events) {
        for (int i = 0; i < events; i++) {
            sinks.publish(HEARTBEAT);
        }
    }

    private static Ledger ledger(Sinks sinks, String name) {
        return sinks.statuses().stream()
                .filter(status -> status.name().equals(name))
                .findFirst()
                .orElseThrow()
                .ledger();
    }
}
