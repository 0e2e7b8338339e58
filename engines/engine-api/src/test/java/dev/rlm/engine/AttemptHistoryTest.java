package dev.rlm.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.TraceContext;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Attempts at a rollout and what they came to, also as another process is told of them. */
class AttemptHistoryTest {
    private static EpisodeResult result(Outcome outcome, @Nullable String type, @Nullable String error) {
        return new EpisodeResult("r-1", "m", outcome, false, 2, 1, 0.5, false, Duration.ofSeconds(3), type, error);
    }

    private static AttemptHistory after(Outcome... outcomes) {
        AttemptHistory history = AttemptHistory.NEW;
        for (Outcome outcome : outcomes) {
            history = history.after(result(outcome, null, null));
        }
        return history;
    }

    @Test
    void rollout_isTriedAgain_untilItIsCompleted_orHasFailedTooOften() {
        assertThat(AttemptHistory.NEW.isOver(0)).isFalse();
        assertThat(AttemptHistory.NEW.wasRetried()).isFalse();
        assertThat(after(Outcome.COMPLETED).isOver(2)).isTrue();
        assertThat(after(Outcome.FAILED, Outcome.FAILED).isOver(2)).isFalse();
        assertThat(after(Outcome.FAILED, Outcome.FAILED, Outcome.FAILED).isOver(2))
                .isTrue();
        assertThat(after(Outcome.FAILED, Outcome.FAILED, Outcome.FAILED).hasFailed(2))
                .isTrue();
        assertThat(after(Outcome.FAILED, Outcome.COMPLETED).hasFailed(0)).isFalse();
        assertThat(after(Outcome.ABORTED).isOver(0)).isFalse();
        assertThat(after(Outcome.FAILED, Outcome.ABORTED).hasFailed(0)).isFalse();
    }

    @Test
    void rollout_wasRetried_whereAnAttemptCameAfterAFailure() {
        assertThat(after(Outcome.FAILED).wasRetried()).isFalse();
        assertThat(after(Outcome.FAILED, Outcome.FAILED).wasRetried()).isTrue();
        assertThat(after(Outcome.FAILED, Outcome.COMPLETED).wasRetried()).isTrue();
        assertThat(after(Outcome.ABORTED, Outcome.COMPLETED).wasRetried()).isFalse();
        assertThat(after(Outcome.FAILED).after(7, result(Outcome.FAILED, null, null)))
                .extracting(AttemptHistory::attempts, AttemptHistory::failures)
                .containsExactly(7, 2);
    }

    @Test
    void failure_isTheClassAndTheMessage_eachOnce() {
        assertThat(result(Outcome.FAILED, "java.io.IOException", "gone").failure())
                .isEqualTo("java.io.IOException: gone");
        assertThat(result(Outcome.FAILED, "java.io.IOException", "java.io.IOException")
                        .failure())
                .isEqualTo("java.io.IOException");
        assertThat(result(Outcome.FAILED, "java.io.IOException", null).failure())
                .isEqualTo("java.io.IOException");
        assertThat(result(Outcome.FAILED, null, "gone").failure()).isEqualTo("gone");
        assertThat(result(Outcome.COMPLETED, null, null).failure()).isEmpty();
        assertThat(result(Outcome.FAILED, null, "x".repeat(5_000)).failure()).hasSize(4_000);
    }

    @Test
    void result_isCountedAsItWas() {
        assertThat(result(Outcome.COMPLETED, null, null).counted()).satisfies(counted -> {
            assertThat(counted.outcome()).isEqualTo(Outcome.COMPLETED);
            assertThat(counted.steps()).isEqualTo(2);
            assertThat(counted.toolCalls()).isEqualTo(1);
            assertThat(counted.totalReward()).isEqualTo(0.5);
        });
    }

    @Test
    void job_comesToAnotherProcessAsItIs_andItsTextNamesNoSecret() throws Exception {
        String secret = "made" + "-up-secret";
        JobDescription job = JobDescription.of(
                "job-1",
                Map.of("--set", List.of("a=" + secret)),
                Map.of("RLM_KEY", secret),
                "digest",
                TraceContext.NONE,
                null,
                new JobLimits(4, Duration.ofMinutes(1), null, 2, 0));
        assertThat(copy(job)).isEqualTo(job).isNotSameAs(job);
        assertThat(job.toString()).contains("job-1").doesNotContain(secret);
        assertThat(copy(after(Outcome.FAILED))).isEqualTo(after(Outcome.FAILED));
    }

    private static Object copy(Object value) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            return in.readObject();
        }
    }
}
