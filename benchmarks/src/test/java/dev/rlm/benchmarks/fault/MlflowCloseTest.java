package dev.rlm.benchmarks.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.benchmarks.Agent;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That a hub closes in time whatever its MLflow is like, and says what became of every event. */
@Tag("thorough")
class MlflowCloseTest {
    private static final int RUNS = 60;
    private static final int STEPS = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration CLOSE = Duration.ofSeconds(2);
    private static final Duration GRACE = Duration.ofMillis(500); // for a call to come back, on a busy machine

    @ParameterizedTest
    @EnumSource
    void close_endsInTime(MlflowStandIn mlflow) {
        Agent agent = new Agent(1, STEPS, () -> {});
        Sinks hub = Sinks.builder().add("mlflow", mlflow.sink()).build();
        for (int i = 0; i < RUNS; i++) {
            agent.run(hub);
        }
        if (mlflow == MlflowStandIn.TAKES) {
            assertThat(hub.flush(PATIENCE).isComplete()).isTrue();
        }

        long start = System.nanoTime();
        hub.close(CLOSE);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(CLOSE.plus(GRACE));
        Ledger ledger = hub.statuses().get(0).ledger();
        assertThat(ledger.offered()).isEqualTo((long) RUNS * agent.events());
        assertThat(ledger.queued()).isZero();
        assertThat(ledger.delivered() + ledger.droppedTotal()).isEqualTo(ledger.offered());
        assertThat(ledger.delivered()).isEqualTo(mlflow == MlflowStandIn.TAKES ? ledger.offered() : 0);
    }
}
