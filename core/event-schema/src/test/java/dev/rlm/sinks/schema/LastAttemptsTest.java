package dev.rlm.sinks.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LastAttemptsTest {
    private static RunInfo run(String rollout, @Nullable Integer attempt) {
        return RunInfoBuilder.builder()
                .runId(rollout + "-" + attempt)
                .startedAt(Instant.EPOCH)
                .task(Content.EMPTY)
                .environment("shop")
                .correlation(CorrelationBuilder.builder()
                        .rollout(rollout)
                        .attempt(attempt)
                        .build())
                .build();
    }

    @Test
    void earlierAttempts_areSuperseded() {
        LastAttempts last = new LastAttempts();
        last.add(run("a", 3));
        last.add(run("a", 2));
        last.add(run("b", 1));

        assertThat(last.isSuperseded(run("a", 2))).isTrue();
        assertThat(last.isSuperseded(run("a", 3))).isFalse();
        assertThat(last.isSuperseded(run("a", null))).isFalse();
        assertThat(last.isSuperseded(run("b", 1))).isFalse();
    }
}
