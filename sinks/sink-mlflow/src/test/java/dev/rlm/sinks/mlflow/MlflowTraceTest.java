package dev.rlm.sinks.mlflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.otel.backend.MlflowServer;
import dev.rlm.sinks.otel.backend.MlflowSpan;
import dev.rlm.sinks.otel.backend.MlflowTrace;
import dev.rlm.sinks.testkit.Events;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** What a real MLflow shows of runs, held against the ledger. */
@Tag("thorough")
@DisabledOnOs(OS.WINDOWS)
@Timeout(60)
class MlflowTraceTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @RegisterExtension
    private static final MlflowServer mlflow = MlflowServer.create();

    @Tag("smoke")
    @Test
    void run_isATraceWithAllItsColumns() {
        try (Sinks sinks = hub("columns").build()) {
            Run run = sinks.startRun(RunSpec.builder("calc")
                    .runId("columns")
                    .task("What is 3 * 4?")
                    .model("m")
                    .correlation(Correlation.builder()
                            .sample("s7")
                            .rollout("rollout 7 " + "x".repeat(300)) // longer than a session may be
                            .build())
                    .build());
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(mlflow.traces(experiment("columns")))
                            .extracting(MlflowTrace::state)
                            .containsExactly("IN_PROGRESS"));
            record(run, 1);
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        }
        MlflowTrace trace = mlflow.traces(experiment("columns")).get(0);
        assertThat(trace.name()).isEqualTo("calc s7");
        assertThat(trace.request()).isEqualTo("What is 3 * 4?");
        assertThat(trace.response()).isEqualTo("12");
        assertThat(trace.state()).isEqualTo("OK");
        assertThat(trace.session()).startsWith("rollout 7 xxx").hasSizeLessThanOrEqualTo(250);
        assertThat(trace.tokens()).isEqualTo(Map.of("input_tokens", 100L, "output_tokens", 20L, "total_tokens", 120L));
        assertThat(trace.tags()).containsEntry("rlm.run_id", "columns").containsEntry("rlm.solved", "true");
        assertThat(mlflow.spans(trace.traceId()))
                .extracting(MlflowSpan::type)
                .contains("AGENT", "CHAIN", "CHAT_MODEL", "TOOL");
    }

    @Test
    void rewards_areFoundAsFeedback_onceEach_andTracesByTheJobsRun() {
        int runs = 20;
        Ledger ledger;
        try (Sinks sinks = hub("rewards").build()) {
            IntStream.range(0, runs)
                    .forEach(i -> record(sinks.startRun(spec("rewards-" + i)), i % 2 == 0 ? 0.75 : -0.25));
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
            ledger = sinks.statuses().get(0).ledger();
        }
        assertThat(ledger.dropped()).isEmpty();
        assertThat(ledger.delivered()).isEqualTo(ledger.offered());
        assertThat(found("rewards", "feedback.reward > 0.5")).hasSize(runs / 2);
        assertThat(found("rewards", ""))
                .hasSize(runs)
                .allSatisfy(trace -> assertThat(trace.path("assessments")).hasSize(1));
        String job = job("rewards").path("info").path("run_id").asString();
        assertThat(found("rewards", "run_id = '" + job + "'")).hasSize(runs);
    }

    @Test
    void runs_sentTwice_areThereOnce() {
        List<List<Event>> runs =
                IntStream.range(0, 5).mapToObj(i -> Events.full("twice-" + i)).toList();
        for (int i = 0; i < 2; i++) {
            try (Sinks sinks = hub("twice").resending().build()) {
                runs.forEach(events -> events.forEach(sinks::publish));
                assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
                assertThat(sinks.statuses().get(0).ledger().dropped()).isEmpty();
            }
        }
        assertThat(found("twice", "")).hasSize(runs.size()).allSatisfy(trace -> {
            assertThat(trace.path("state").asString()).isEqualTo("ERROR");
            assertThat(trace.path("assessments")).hasSize(1);
        });
    }

    @Test
    void reward_thatIsAbsent_isShownAsSuch() {
        try (Sinks sinks = hub("absent").build()) {
            try (Run run = sinks.startRun(spec("absent"))) {
                run.rewardAbsent("judge", "time-out");
                run.complete("");
            }
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        }
        JsonNode feedback =
                found("absent", "").get(0).path("assessments").path(0).path("feedback");
        assertThat(feedback.path("value").isNull()).isTrue();
        assertThat(feedback.path("error").path("error_message").asString()).isEqualTo("time-out");
    }

    private static Sinks.Builder hub(String experiment) {
        return Sinks.builder()
                .config(SinkConfig.of(
                        Map.of("MLFLOW_TRACKING_URI", mlflow.url(), "MLFLOW_EXPERIMENT_NAME", experiment)))
                .only(List.of("mlflow"));
    }

    private static RunSpec spec(String runId) {
        return RunSpec.builder("calc").runId(runId).task("1 + 1").build();
    }

    private static void record(Run run, double reward) {
        try (run) {
            try (Step step = run.startStep()) {
                try (ModelCall call = step.startModelCall("openai", "m")) {
                    call.usage(new Usage(100L, 20L, null, null));
                }
                step.startToolCall("calculator").close();
                step.reward(reward);
                step.complete("12");
            }
            run.complete("12");
        }
    }

    private static String experiment(String name) {
        return mlflow.ask("/api/2.0/mlflow/experiments/get-by-name", Map.of("experiment_name", name))
                .path("experiment")
                .path("experiment_id")
                .asString();
    }

    private static JsonNode job(String experiment) {
        return mlflow.search("/api/2.0/mlflow/runs/search", Map.of("experiment_ids", List.of(experiment(experiment))))
                .path("runs")
                .path(0);
    }

    private static List<JsonNode> found(String experiment, String filter) {
        Map<String, Object> place = Map.of(
                "type", "MLFLOW_EXPERIMENT", "mlflow_experiment", Map.of("experiment_id", experiment(experiment)));
        return mlflow.search(
                        "/api/3.0/mlflow/traces/search",
                        Map.of("locations", List.of(place), "filter", filter, "max_results", 100))
                .path("traces")
                .valueStream()
                .toList();
    }
}
