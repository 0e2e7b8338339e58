package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What sinks say of themselves, by themselves and when asked. */
@Timeout(30)
class CheckTest {
    @Test
    void sink_withoutACheck_answersWithItsStatus() {
        Sink sink = new Sink() {
            @Override
            public Health status() {
                return new Health(false, "out of paper");
            }
        };
        try (Sinks sinks = Sinks.builder().add("x", sink).build()) {
            assertThat(sinks.check(Duration.ofSeconds(10))).isEqualTo(sinks.statuses());
            assertThat(sinks.statuses().get(0)).returns("out of paper", SinkStatus::detail);
        }
    }

    @Test
    void facts_areToldInOrderAndWithoutSecrets() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("z", "with sesame-opens in it");
        facts.put("a", 7L);
        Sink sink = new Sink() {
            @Override
            public Health check(Duration timeout) {
                return new Health(true, "", facts);
            }
        };
        try (Sinks sinks = Sinks.builder().secret("sesame-opens").add("x", sink).build()) {
            Map<String, Object> told =
                    sinks.check(Duration.ofSeconds(10)).get(0).facts();

            assertThat(told).hasSize(2).contains(entry("a", 7L));
            assertThat(told.keySet()).containsExactly("z", "a");
            assertThat(String.valueOf(told.get("z"))).contains("REDACTED").doesNotContain("sesame-opens");
            assertThat(sinks.statuses().get(0).facts()).isEmpty();
        }
    }

    @Test
    void check_thatHangsOrThrows_isSaidSoAndHoldsNobodyUp() {
        CountDownLatch never = new CountDownLatch(1);
        Sink hanging = new Sink() {
            @Override
            public Health check(Duration timeout) {
                Threads.await(never);
                return status();
            }
        };
        Sink throwing = new Sink() {
            @Override
            public Health check(Duration timeout) {
                throw new LinkageError("for a test");
            }
        };
        try (Sinks sinks = Sinks.builder()
                .add("hanging", hanging)
                .add("throwing", throwing)
                .add("good", new Recorder())
                .build()) {
            assertThat(sinks.check(Duration.ofSeconds(2)))
                    .extracting(SinkStatus::available, SinkStatus::detail)
                    .containsExactly(
                            tuple(false, "its check gave no answer in time"),
                            tuple(false, "its check failed"),
                            tuple(true, ""));
        } finally {
            never.countDown();
        }
    }

    @Test
    void sink_isToldOfItsClose_beforeItIsFlushed() {
        AtomicReference<@Nullable Duration> told = new AtomicReference<>();
        StringBuilder order = new StringBuilder();
        Sink sink = new Sink() {
            @Override
            public void beginClose(Duration timeout) {
                told.set(timeout);
                order.append("begin ");
            }

            @Override
            public boolean flush(Duration timeout) {
                order.append("flush ");
                return true;
            }

            @Override
            public void close() {
                order.append("close");
            }
        };
        Sinks sinks = Sinks.builder().add("x", sink).build();
        sinks.close(Duration.ofSeconds(7));

        assertThat(told.get()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(7));
        assertThat(order).hasToString("begin flush close");
    }
}
