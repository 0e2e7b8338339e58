package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.MetricsReported;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TrainingMetricsTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    private final Recorder sink = new Recorder();
    private final Sinks sinks = Sinks.builder()
            .add("recorder", sink)
            .secret("a-secret-value")
            .clocks(() -> NOON, System::nanoTime)
            .build();

    @AfterEach
    void close() {
        sinks.close();
    }

    @Test
    void numbers_areTold_andNothingElse() {
        Map<String, @Nullable Object> values = new HashMap<>();
        values.put("global_step", 7);
        values.put("loss", 0.25f);
        values.put("infinite", Double.POSITIVE_INFINITY);
        values.put("note", "warming up");
        values.put("done", false);
        values.put("missing", null);

        assertThat(sinks.metrics("trainer", values)).isTrue();

        sinks.close();
        assertThat(sink.only(MetricsReported.class))
                .isEqualTo(new MetricsReported(
                        NOON,
                        "trainer",
                        "global_step",
                        Map.of("global_step", 7.0, "loss", 0.25, "infinite", Double.POSITIVE_INFINITY)));
    }

    @Test
    void stepField_isTheFirstInOrder() {
        Map<String, Integer> values = new LinkedHashMap<>();
        MetricsReported.STEP_FIELDS.forEach(field -> values.put(field, 1));
        while (!values.isEmpty()) {
            assertThat(sinks.metrics("misc", values)).isTrue();
            values.remove(values.keySet().iterator().next());
        }

        sinks.close();
        assertThat(sink.events(MetricsReported.class))
                .extracting(MetricsReported::stepField)
                .containsExactly("timesteps", "policy_version", "step", "global_step", "update");
    }

    @Test
    void step_isAFiniteNumber() {
        assertThat(sinks.metrics("trainer", Map.of("timesteps", Double.NaN, "update", 3, "loss", 1)))
                .isTrue();
        assertThat(sinks.metrics("trainer", Map.of("step", Double.POSITIVE_INFINITY, "loss", 1)))
                .isFalse();

        sinks.close();
        assertThat(sink.only(MetricsReported.class).stepField()).isEqualTo("update");
    }

    @ParameterizedTest
    @ValueSource(strings = {"trainer", "actor", "evaluator", "misc"})
    void category_isOneOfFour_inAnyCase(String category) {
        assertThat(sinks.metrics(category, Map.of("step", 1))).isTrue();
        assertThat(sinks.metrics(category.toUpperCase(Locale.ROOT), Map.of("step", 1)))
                .isTrue();
        assertThat(sinks.metrics(" ", Map.of("step", 1))).isFalse();
        assertThat(sinks.metrics(category, Map.of("loss", 1, "step", "one"))).isFalse();
        assertThat(sinks.metrics(category, Map.of())).isFalse();

        sinks.close();
        assertThat(sink.events(MetricsReported.class))
                .extracting(MetricsReported::category)
                .containsExactly(category, category);
        assertThat(sinks.statuses().get(0).ledger().dropped()).isEqualTo(Map.of("invalid", 3L));
    }

    @Test
    void categoryOfSomeoneElse_isMisc_andNamedBeforeItsNumbers() {
        assertThat(sinks.metrics("Critic", Map.of("global_step", 7, "loss", 0.25)))
                .isTrue();

        sinks.close();
        assertThat(sink.only(MetricsReported.class))
                .isEqualTo(new MetricsReported(
                        NOON, "misc", "global_step", Map.of("global_step", 7.0, "Critic/loss", 0.25)));
    }

    @Test
    void secrets_areRedacted() {
        sinks.metrics("misc", Map.of("step", 1, "a-secret-value", 2));

        sinks.close();
        assertThat(sink.only(MetricsReported.class).toString()).doesNotContain("a-secret-value");
    }
}
