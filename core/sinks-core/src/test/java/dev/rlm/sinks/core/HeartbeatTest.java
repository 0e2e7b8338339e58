package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class HeartbeatTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration INTERVAL = Duration.ofMillis(100);

    private final AtomicLong nanos = new AtomicLong();
    private final Recorder sink = new Recorder();

    @Test
    void openRun_isSaidToGoOn_whileItsThreadDoesNothing() {
        try (Sinks sinks = hub(INTERVAL).build()) {
            Run run = start(sinks, "long");
            try (Step step = run.startStep()) {
                step.reward(0.5);
                step.complete("");
            }
            run.startStep();
            nanos.addAndGet(INTERVAL.toNanos());
            await().atMost(PATIENCE).until(() -> !beats("long").isEmpty());
            start(sinks, "short").complete("");
            nanos.addAndGet(INTERVAL.toNanos());
            await().atMost(PATIENCE).until(() -> beats("long").size() == 2);
            run.complete("");
        }

        Heartbeat first = beats("long").get(0);
        assertThat(first.seq()).isEqualTo(6);
        assertThat(first.nanos()).isEqualTo(INTERVAL.toNanos());
        assertThat(first.steps()).isEqualTo(1);
        assertThat(first.totalReward()).isEqualTo(0.5);
        assertThat(first.status().code()).isEqualTo(RunStatus.RUNNING);
        assertThat(beats("long")).hasSize(2);
        assertThat(beats("short")).isEmpty();
        assertThat(sink.events(RunEnded.class).get(1).seq()).isEqualTo(9); // with the open step's end
    }

    @Test
    void zero_meansNever() {
        Recorder quiet = new Recorder();
        try (Sinks sinks = hub(INTERVAL).build();
                Sinks off = Sinks.builder()
                        .add("x", quiet)
                        .clocks(Instant::now, nanos::get)
                        .heartbeat(Duration.ZERO)
                        .build()) {
            start(sinks, "beats");
            start(off, "beats not");
            for (int i = 1; i <= 3; i++) {
                int count = i;
                nanos.addAndGet(INTERVAL.toNanos());
                await().atMost(PATIENCE).until(() -> beats("beats").size() == count);
            }
        }

        assertThat(quiet.events(Heartbeat.class)).isEmpty();
    }

    @Test
    void run_whoseLockIsHeld_holdsUpNoOther() {
        try (Sinks sinks = hub(INTERVAL).build()) {
            Run held = start(sinks, "held");
            start(sinks, "free");
            StuckComponents stuck = new StuckComponents();
            stuck.holdTheLockOf(held);
            nanos.addAndGet(INTERVAL.toNanos());
            await().atMost(PATIENCE).until(() -> beats("free").size() == 1);
            nanos.addAndGet(INTERVAL.toNanos());
            await().atMost(PATIENCE).until(() -> beats("free").size() == 2);
            assertThat(beats("held")).isEmpty();
            stuck.open();
            await().atMost(PATIENCE).until(() -> beats("held").size() == 1);
        }
    }

    @Test
    void thousandsOfOpenRuns_allGoOn() {
        List<String> open = new ArrayList<>();
        try (Sinks sinks = hub(INTERVAL).build()) {
            for (int i = 0; i < 10_000; i++) {
                open.add("run " + i);
                start(sinks, open.get(i));
            }
            nanos.addAndGet(INTERVAL.toNanos());
            await().atMost(PATIENCE).until(() -> sink.events(Heartbeat.class).size() >= open.size());
            assertThat(sinks.reward("run 5000", "person", 1, List.of())).isTrue();
        }

        assertThat(sink.events(Heartbeat.class).stream()
                        .map(beat -> beat.run().runId())
                        .toList())
                .containsExactlyInAnyOrderElementsOf(new HashSet<>(open));
        assertThat(sink.events(RunEnded.class)).hasSameSizeAs(open);
    }

    @Test
    void interval_isCheckedAndRead() {
        assertThatThrownBy(() -> Sinks.builder().heartbeat(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Sinks.builder()
                        .config(SinkConfig.of(Map.of("RLM_HEARTBEAT", "often")))
                        .build())
                .isInstanceOf(SinkConfigException.class)
                .hasMessageStartingWith("RLM_HEARTBEAT=often is not valid: expected a time such as");
        try (Sinks sinks = hub(null)
                .config(SinkConfig.of(Map.of("RLM_HEARTBEAT", "100ms")))
                .build()) {
            start(sinks, "run");
            nanos.addAndGet(INTERVAL.toNanos());
            await().atMost(PATIENCE).until(() -> beats("run").size() == 1);
        }
    }

    private Sinks.Builder hub(@Nullable Duration interval) {
        Sinks.Builder builder = Sinks.builder().add("x", sink).clocks(Instant::now, nanos::get);
        return interval == null ? builder : builder.heartbeat(interval);
    }

    private List<Heartbeat> beats(String runId) {
        return sink.events(Heartbeat.class).stream()
                .filter(beat -> beat.run().runId().equals(runId))
                .toList();
    }

    private static Run start(Sinks sinks, String runId) {
        return sinks.startRun(RunSpec.builder("env").runId(runId).build());
    }
}
