package dev.rlm.sinks.otel.spans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.otel.Published;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import io.opentelemetry.api.trace.Span;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What comes of runs that ended so long ago that the sink has forgotten them. */
class ForgottenRunTest {
    private static final int RUNS = 4_200;

    private Rig rig;
    private Run first;

    @BeforeEach
    void forgetTheFirst() throws IOException {
        rig = Rig.by(Rig.GRPC);
        first = rig.startRun("first");
        first.complete("");
        for (int i = 0; i < RUNS; i++) {
            rig.clock().advanceMillis(1);
            rig.startRun("run-" + i).complete("");
            if (i % 1_000 == 0) {
                rig.flush();
            }
        }
        rig.flush();
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void event_ofAForgottenRun_isLate() {
        rig.sinks().publish(new Published("first").step(2, 1));
        rig.sinks().publish(new Published("first").ended(9));
        rig.flush();

        assertThat(rig.ledger().dropped()).isEqualTo(Map.of("late", 2L));
        assertThat(spansOfTheFirst()).isEqualTo(2);
    }

    @Test
    void reward_ofAForgottenRun_isInItsTrace() {
        rig.sinks().publish(new Published("first").reward(9, 0.5));

        OtlpSpan reward = rig.span("rlm.reward");
        assertThat(reward.traceId()).isEqualTo(Ids.of("first").traceId());
        assertThat(spansOfTheFirst()).isEqualTo(3);
    }

    @Test
    void scope_ofAForgottenRun_opensNone() {
        try (Scope scope = first.makeCurrent()) {
            assertThat(scope).isNotNull();
            assertThat(Span.current().getSpanContext().getTraceId())
                    .isEqualTo(Ids.of("first").traceId());
        }
        rig.sinks().close();

        assertThat(spansOfTheFirst()).isEqualTo(2);
        assertThat(rig.receiver().numbers("rlm.runs.active")).last().returns(0L, point -> point.value());
    }

    private long spansOfTheFirst() {
        return rig.receiver().spans().stream()
                .filter(span -> span.traceId().equals(Ids.of("first").traceId()))
                .count();
    }
}
