package dev.rlm.benchmarks.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.benchmarks.Agent;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That a hub waits for no answer of its MLflow when it closes, and says what became of every event. Figure 16 tells how long it takes. */
@Tag("thorough")
class MlflowCloseTest {
    private static final int RUNS = 60;
    private static final int STEPS = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration CLOSE = Duration.ofSeconds(2);

    @ParameterizedTest
    @EnumSource
    void close_endsBeforeAnAnswer(MlflowStandIn mlflow) {
        Agent agent = new Agent(1, STEPS, () -> {});
        Sinks hub = Sinks.builder().add("mlflow", mlflow.sink()).build();
        for (int i = 0; i < RUNS; i++) {
            agent.run(hub);
        }
        if (mlflow == MlflowStandIn.TAKES) {
            assertThat(hub.flush(PATIENCE).isComplete()).isTrue();
        }

        hub.close(CLOSE);

        assertThat(mlflow.answers() > 0).isEqualTo(mlflow == MlflowStandIn.TAKES);
        // On a busy machine the lane may count what it gives up a moment later.
        await().atMost(PATIENCE).until(() -> hub.statuses().get(0).ledger().queued() == 0);
        Ledger ledger = hub.statuses().get(0).ledger();
        assertThat(ledger.offered()).isEqualTo((long) RUNS * agent.events());
        assertThat(ledger.delivered() + ledger.droppedTotal()).isEqualTo(ledger.offered());
        assertThat(ledger.delivered()).isEqualTo(mlflow == MlflowStandIn.TAKES ? ledger.offered() : 0);
    }
}
