package dev.rlm.sinks.mlflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.otel.backend.HostileServer.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Parts of the sink that fail, whose failure is nothing to the others, and that come back by themselves. */
@Timeout(60)
class PartsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long EVENTS = 6; // of a run, see record
    private static final Behaviour OUT_OF_ORDER =
            FakeMlflow.json(503, "{\"error_code\":\"TEMPORARILY_UNAVAILABLE\",\"message\":\"database is locked\"}");
    private static final Behaviour BROKEN =
            Behaviour.status(500, "text/html", "<html>Internal Server Error</html>", Map.of());

    private FakeMlflow mlflow;
    private Sinks sinks;

    @BeforeEach
    void start() throws IOException {
        mlflow = new FakeMlflow();
        SinkConfig config =
                SinkConfig.of(Map.of("MLFLOW_TRACKING_URI", mlflow.uri().toString()));
        sinks = Sinks.builder()
                .add("mlflow", new MlflowSinkProvider().create(config.sink("mlflow")))
                .build();
    }

    @AfterEach
    void stop() {
        sinks.close();
        mlflow.close();
    }

    @Test
    void allParts_thatWork_bringAll() {
        record("r");

        assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        assertThat(mlflow.feedback()).hasSize(1);
        assertThat(mlflow.linked()).hasSize(1);
        assertThat(mlflow.points()).isNotEmpty();
        assertThat(status().available()).isTrue();
        assertThat(status().detail())
                .isEqualTo(mlflow.uri() + ", 4 spans and 1 rewards arrived, see " + mlflow.uri()
                        + "/#/experiments/1/runs/run0");
        assertThat(ledger().delivered()).isEqualTo(EVENTS);
        sinks.close();
        assertThat(mlflow.runs()).containsExactly("FINISHED");
        addsUp();
    }

    @Test
    void runWithoutReward_hasNoPointOfOne_untilOneComes() {
        sinks.startRun(RunSpec.builder("calc")
                        .runId("r")
                        .correlation(Correlation.builder().invocation("inv").build())
                        .build())
                .complete("");
        assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        assertThat(keys())
                .contains("episode/steps", "episodes", "undecided")
                .doesNotContain("episode/reward", "episode/solved", "reward_mean", "solved_rate", "pass_at_1");

        assertThat(sinks.reward("r", "judge", 1, List.of())).isTrue();
        assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        assertThat(keys()).contains("reward_mean", "solved_rate", "pass_at_1");
    }

    private List<String> keys() {
        return mlflow.points().stream()
                .map(point -> point.path("key").asString())
                .toList();
    }

    @Test
    void resumedJob_sentAgain_staysFinished_asItsLastAttemptsDid() {
        List<Event> events = new ArrayList<>();
        events.addAll(attempt(1, "stopped", 1).outcome(Outcome.ABORTED).events());
        events.addAll(attempt(2, "done", 2).events());
        sinks.close();
        resend(events);
        assertThat(mlflow.runs()).containsExactly("FINISHED");

        events.addAll(attempt(3, "stopped again", 3).outcome(Outcome.ABORTED).events());
        resend(events);
        assertThat(mlflow.runs()).as("another, since this server finds none").containsExactly("FINISHED", "KILLED");
    }

    private void resend(List<Event> events) {
        try (Sinks again = Sinks.builder().config(config()).resending().build()) {
            events.forEach(again::publish);
        }
    }

    private static Episode attempt(int number, String id, int second) {
        return new Episode(
                id, second, 1, "m", ids -> ids.invocation("job").rollout("s-0").attempt(number));
    }

    private SinkConfig config() {
        return SinkConfig.of(Map.of("MLFLOW_TRACKING_URI", mlflow.uri().toString(), "RLM_MLFLOW_ENABLED", "true"));
    }

    @Test
    void recordOfAnEpisode_isNeitherReadNorSent(@TempDir Path journal) throws IOException {
        Files.writeString(
                journal.resolve("events-1.jsonl"),
                "{\"type\":\"run_started\",\"run_id\":\"r\",\"task\":\"recorded\"}\n");
        Episode episode = new Episode("r", "job", 0, 1);
        episode.runPath = journal.toString();
        Map<String, String> perEpisode =
                Map.of("MLFLOW_TRACKING_URI", mlflow.uri().toString(), "RLM_MLFLOW_RUNS", "episode");
        try (Sinks others = Sinks.builder()
                .add(
                        "mlflow",
                        new MlflowSinkProvider()
                                .create(SinkConfig.of(perEpisode).sink("mlflow")))
                .build()) {
            episode.events().forEach(others::publish);
            assertThat(others.flush(PATIENCE).isComplete()).isTrue();
        }
        assertThat(mlflow.runs()).containsExactly("FINISHED");
        assertThat(mlflow.everything()).contains("\"r\"").doesNotContain("recorded", "artifact");
    }

    @Test
    void runs_thatCannotBeMade_leaveTracesAndFeedbackAlone() {
        mlflow.misbehave(FakeMlflow.NEW_RUNS, OUT_OF_ORDER);
        record("r");

        await().until(() -> mlflow.feedback().size() == 1 && mlflow.spans() == 4);
        await().until(() -> status().detail().contains("metrics off: HTTP status 503"));
        assertThat(status().detail()).endsWith("; traces, feedback go on");
        assertThat(status().available()).isFalse();
        assertThat(mlflow.points()).isEmpty();
        assertThat(ledger().dropped()).isEmpty();

        mlflow.recover(FakeMlflow.NEW_RUNS);
        await().until(() -> ledger().delivered() == EVENTS);
        assertThat(mlflow.linked()).hasSize(1);
        assertThat(mlflow.points()).isNotEmpty();
        assertThat(status().available()).isTrue();
    }

    @Tag("thorough")
    @Test
    void traces_thatAreRefused_leaveMetricsAndFeedbackAlone() {
        mlflow.misbehave(FakeMlflow.TRACES, BROKEN);
        record("r");

        await().until(() -> mlflow.feedback().size() == 1
                && !mlflow.points().isEmpty()
                && mlflow.linked().size() == 1);
        await().until(() -> ledger().queued() == 0);
        assertThat(status().detail())
                .contains("traces off: HTTP status 500")
                .endsWith("; feedback, metrics go on, see " + mlflow.uri() + "/#/experiments/1/runs/run0");
        assertThat(ledger().delivered()).as("the start and the reward").isEqualTo(2);
        assertThat(ledger().dropped()).containsOnly(Map.entry("export_http_500", EVENTS - 2));

        assertThat(sinks.flush(PATIENCE).isComplete()).as("what was lost").isFalse();
        mlflow.recover(FakeMlflow.TRACES);
        record("s");
        assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        assertThat(mlflow.spans()).isEqualTo(4);
        assertThat(status().available()).isTrue();
    }

    @Test
    void feedback_thatIsNotTakenNow_leavesTheOthersAlone_andIsBroughtLater() {
        mlflow.misbehave(FakeMlflow.FEEDBACK, OUT_OF_ORDER);
        record("r");

        await().until(() -> ledger().delivered() == EVENTS - 1 && mlflow.requests(FakeMlflow.FEEDBACK) > 1);
        assertThat(status().detail()).contains("feedback off: HTTP status 503");

        mlflow.recover(FakeMlflow.FEEDBACK);
        assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        assertThat(mlflow.feedback()).hasSize(1);
        assertThat(ledger().delivered()).isEqualTo(EVENTS);
        assertThat(status().available()).isTrue();
    }

    /** A request may take 40 seconds; the test may not. */
    @Tag("thorough")
    @Test
    @Timeout(30)
    void server_thatNeverAnswers_holdsUpNeitherTheLaneNorTheClose() {
        mlflow.misbehave("", FakeMlflow.SILENT);
        for (int i = 0; i < 2_000; i++) {
            record("r" + i);
        }
        await().until(() -> status().retained() == 0); // the lane has handed all over
        sinks.close();

        assertThat(ledger().offered()).isEqualTo(2_000 * EVENTS);
        assertThat(ledger().delivered()).isZero();
        addsUp();
    }

    @Tag("thorough")
    @Test
    @Timeout(30)
    void server_thatIsNotThere_losesAllAndSaysWhy() {
        mlflow.close();
        record("r");
        SinkStatus off = await().until(
                        this::status, now -> !now.available() && !now.detail().contains("go on"));
        assertThat(off.detail())
                .startsWith(mlflow.uri() + ", ")
                .contains("traces off: ", "feedback off: ", "metrics off: ");
        sinks.close();
        assertThat(ledger().delivered()).isZero();
        addsUp();
    }

    @Test
    void openRun_atTheClose_isKnown() {
        Run run = sinks.startRun(RunSpec.builder("calc").runId("r").build());
        await().until(() -> mlflow.linked().size() == 1);
        sinks.close();
        assertThat(mlflow.spans())
                .as("the marker and the run, which the close ends")
                .isEqualTo(2);
        assertThat(ledger().delivered()).isEqualTo(ledger().offered());
        run.close();
    }

    /** Six events: start, step, call, reward, the step's end and the run's; four spans. */
    private void record(String runId) {
        try (Run run = sinks.startRun(
                RunSpec.builder("calc").runId(runId).task("1 + 1").model("m").build())) {
            try (var step = run.startStep()) {
                step.startToolCall("calculator").close();
                step.reward(1);
                step.complete("2");
            }
            run.complete("2");
        }
    }

    private SinkStatus status() {
        return sinks.statuses().get(0);
    }

    private Ledger ledger() {
        return status().ledger();
    }

    private void addsUp() {
        Ledger ledger = ledger();
        assertThat(ledger.queued()).isZero();
        assertThat(ledger.delivered() + ledger.droppedTotal()).isEqualTo(ledger.offered());
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20));
    }
}
