package dev.rlm.sinks.mlflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sink.Acknowledged;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.delivery.BatchLimits;
import dev.rlm.sinks.delivery.DeliveryCounts;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.mlflow.rest.TrackingAccess;
import dev.rlm.sinks.mlflow.rest.TrackingServer;
import dev.rlm.sinks.otel.mapping.ContentCapture;
import dev.rlm.sinks.testkit.Events;
import dev.rlm.sinks.testkit.Waiting;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** What rewards become in MLflow. */
@Timeout(60)
class FeedbackTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private FakeMlflow mlflow;

    @BeforeEach
    void start() throws IOException {
        mlflow = new FakeMlflow();
    }

    @AfterEach
    void stop() {
        mlflow.close();
    }

    @Test
    void reward_isFeedback_withAllThatIsKnownOfIt() {
        RewardComponent component = new RewardComponent("time", 0.5, -0.5, "s");
        JsonNode told = only(reward(3, "judge", -0.25, null, List.of(component)), Map.of());

        assertThat(told.path("assessment_name").asString()).isEqualTo("reward");
        assertThat(told.path("feedback").toString()).isEqualTo("{\"value\":-0.25}");
        assertThat(told.path("source").toString()).isEqualTo("{\"source_type\":\"CODE\",\"source_id\":\"judge\"}");
        assertThat(told.path("metadata").toString())
                .isEqualTo("{\"rlm.run_id\":\"r\",\"rlm.scope\":\"step\",\"rlm.step\":\"3\","
                        + "\"rlm.reward.component.time\":\"0.5\",\"rlm.reward.weight.time\":\"-0.5\","
                        + "\"rlm.reward.unit.time\":\"s\"}");
        assertThat(told.path("create_time").asString()).isEqualTo("2026-01-02T03:04:05.129456789Z");
    }

    @Test
    void reward_ofAModel_hasItsReasons_andIsMarkedOutsideItsRange() {
        RewardGiven reward = RewardGivenBuilder.builder(reward(0, "judge", 1.5, null, List.of()))
                .label("good")
                .explanation(Content.redacted("It adds up."))
                .kind(RewardGiven.Kind.MODEL)
                .min(0.0)
                .max(1.0)
                .build();
        JsonNode told = only(reward, Map.of());
        assertThat(told.path("source").path("source_type").asString()).isEqualTo("LLM_JUDGE");
        assertThat(told.path("rationale").asString()).isEqualTo("It adds up.");
        assertThat(told.path("metadata").toString())
                .contains("\"rlm.reward.label\":\"good\",\"rlm.reward.min\":\"0.0\",\"rlm.reward.max\":\"1.0\","
                        + "\"rlm.reward.out_of_range\":\"true\"");
    }

    @Test
    void reward_withReasons_keepsThem_whereNoTextIsSent() {
        RewardGiven reward = RewardGivenBuilder.builder(reward(0, "judge", 1, null, List.of()))
                .explanation(Content.redacted("It adds up."))
                .kind(RewardGiven.Kind.PERSON)
                .build();
        JsonNode told = only(reward, Map.of("RLM_CAPTURE_CONTENT", "none"));
        assertThat(told.path("source").path("source_type").asString()).isEqualTo("HUMAN");
        assertThat(told.has("rationale")).isFalse();
    }

    @Test
    void reward_thatIsAbsent_isAnError() {
        RewardGiven reward = reward(0, "judge", 0, "no \uD800 answer", List.of());
        JsonNode error = only(reward, Map.of()).path("feedback").path("error");
        assertThat(error.path("error_code").asString()).isEqualTo("ABSENT");
        assertThat(error.path("error_message").asString()).isEqualTo("no \uFFFD answer");
    }

    @Test
    void reward_thatIsAbsent_saysNotWhy_whereNoTextIsSent() {
        JsonNode told = only(reward(0, "judge", 0, "a text", List.of()), Map.of("RLM_CAPTURE_CONTENT", "none"));
        assertThat(told.path("feedback").path("error").path("error_message").asString())
                .isEmpty();
    }

    @Test
    void reward_thatIsAbsent_saysTheHashOfWhy_whereHashesAreSent() {
        JsonNode told = only(reward(0, "judge", 0, "a text", List.of()), Map.of("RLM_CAPTURE_CONTENT", "hash"));
        assertThat(told.path("feedback").path("error").path("error_message").asString())
                .isEqualTo("sha256:734194ede5b063e654d63cb95a682ca1551b45e3cc86e88f1a85c1286eedd4ac length:6");
    }

    @Test
    void reward_thatIsInfinite_isAText() {
        RewardGiven reward = reward(0, "j", Double.NEGATIVE_INFINITY, null, List.of());
        assertThat(only(reward, Map.of()).path("feedback").toString()).isEqualTo("{\"value\":\"-Infinity\"}");
    }

    @Test
    void reward_sentAgain_isThereOnce_andDelivered() {
        for (int i = 0; i < 2; i++) {
            try (Sink sink = sink(Map.of())) {
                bring(sink, reward(1, "judge", 1, null, List.of()));
                assertThat(sink.acknowledged())
                        .extracting(Acknowledged::dropped)
                        .isEqualTo(Map.of());
            }
        }
        assertThat(mlflow.feedback()).hasSize(1);
        assertThat(mlflow.requests(FakeMlflow.FEEDBACK)).isGreaterThan(2);
    }

    @Test
    void rewards_ofAJournalThatIsSentAgain_areAskedForTogether() {
        publish(hub());
        int rewards = mlflow.feedback().size();
        assertThat(mlflow.requests(FakeMlflow.FEEDBACK)).isEqualTo(rewards).isPositive();

        publish(hub().resending());
        assertThat(mlflow.requests("/batchGetInfos")).isEqualTo(1);
        assertThat(mlflow.requests(FakeMlflow.FEEDBACK)).isEqualTo(rewards);
        assertThat(mlflow.feedback()).hasSize(rewards);
    }

    private Sinks.Builder hub() {
        return Sinks.builder()
                .config(SinkConfig.of(Map.of("MLFLOW_TRACKING_URI", mlflow.uri().toString())))
                .only(List.of("mlflow"));
    }

    /** A run, of which MLflow takes no span before all is handed over. */
    private void publish(Sinks.Builder hub) {
        mlflow.misbehave(FakeMlflow.TRACES, FakeMlflow.json(503, "{}"));
        try (Sinks sinks = hub.build()) {
            Events.full("r").forEach(sinks::publish);
            Waiting.await().until(() -> sinks.statuses().get(0).retained() == 0);
            mlflow.recover(FakeMlflow.TRACES);
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
            assertThat(sinks.statuses().get(0).ledger().dropped()).isEmpty();
        }
    }

    @Test
    void reward_thatIsRefused_isCounted() {
        mlflow.misbehave(
                FakeMlflow.FEEDBACK,
                FakeMlflow.json(400, "{\"error_code\":\"INVALID_PARAMETER_VALUE\",\"message\":\"\"}"));
        try (Sink sink = sink(Map.of())) {
            sink.onEvent(reward(1, "judge", 1, null, List.of()));
            assertThat(sink.flush(PATIENCE)).isFalse();
            assertThat(sink.acknowledged()).isEqualTo(new Acknowledged(0, Map.of("export_http_400", 1L)));
        }
    }

    @Test
    void reward_ofARunThatIsNotSampled_isNotSent() {
        try (Sink sink = sink(Map.of("OTEL_TRACES_SAMPLER", "always_off"))) {
            bring(sink, reward(1, "judge", 1, null, List.of()));
            assertThat(sink.acknowledged()).isEqualTo(new Acknowledged(0, Map.of("not_sampled", 1L)));
        }
        assertThat(mlflow.requests(FakeMlflow.FEEDBACK)).isZero();
    }

    @Test
    void reward_whoseTraceIsMissing_waits_andIsGivenUpAtTheClose() {
        mlflow.misbehave(FakeMlflow.TRACES, FakeMlflow.SILENT);
        mlflow.misbehave(
                FakeMlflow.FEEDBACK,
                FakeMlflow.json(404, "{\"error_code\":\"RESOURCE_DOES_NOT_EXIST\",\"message\":\"\"}"));
        Sink sink = sink(Map.of());
        sink.onEvent(reward(1, "judge", 1, null, List.of()));
        assertThat(sink.flush(Duration.ofSeconds(1))).isFalse();
        assertThat(sink.acknowledged()).isEqualTo(new Acknowledged(0, Map.of()));
        sink.close();
        assertThat(sink.acknowledged()).isEqualTo(new Acknowledged(0, Map.of("closed", 1L)));
    }

    /** As where a journal has more of them than may wait, and the server takes them slowly. */
    @Test
    void rewards_thatFindNoRoom_waitForIt_whereRunsAreSentAgain() {
        DeliveryCounts counts = new DeliveryCounts();
        BatchLimits small = Feedback.limits(Duration.ofMinutes(1)).inFlight(1).waiting(2);
        Feedback feedback = new Feedback(
                new TrackingServer(TrackingAccess.open(mlflow.uri())), counts, ContentCapture.PREVIEW, true, small);
        mlflow.misbehave(FakeMlflow.TRACES, FakeMlflow.SILENT); // so that it takes rewards of whatever trace
        for (int step = 1; step <= 50; step++) {
            feedback.give(rewardOf("r" + step), "a".repeat(32));
            feedback.arrived(Set.of("a".repeat(32)));
        }
        assertThat(feedback.flush(System.nanoTime() + PATIENCE.toNanos())).isTrue();
        feedback.close();
        assertThat(counts.current()).isEqualTo(new Acknowledged(50, Map.of()));
        assertThat(mlflow.feedback()).hasSize(50);
    }

    @Test
    void close_letsNobodyWaitForRoom() throws Exception {
        DeliveryCounts counts = new DeliveryCounts();
        BatchLimits small = Feedback.limits(Duration.ofDays(1)).inFlight(1).waiting(0);
        Feedback feedback = new Feedback(
                new TrackingServer(TrackingAccess.open(mlflow.uri())), counts, ContentCapture.PREVIEW, true, small);
        feedback.give(rewardOf("a"), "a".repeat(32)); // which waits for its trace
        Thread lane = new Thread(() -> feedback.give(rewardOf("b"), "b".repeat(32)));
        lane.start();
        Waiting.await().until(() -> lane.getState() == Thread.State.TIMED_WAITING);
        feedback.beginClose(System.nanoTime() + PATIENCE.toNanos());
        lane.join();
        assertThat(counts.current()).isEqualTo(new Acknowledged(0, Map.of("closed", 1L)));
        feedback.close();
        assertThat(counts.current()).isEqualTo(new Acknowledged(0, Map.of("closed", 2L)));
    }

    private JsonNode only(RewardGiven reward, Map<String, String> variables) {
        try (Sink sink = sink(variables)) {
            bring(sink, reward);
        }
        assertThat(mlflow.feedback()).hasSize(1);
        return mlflow.feedback().get(0);
    }

    private static void bring(Sink sink, RewardGiven reward) {
        sink.onEvent(reward);
        assertThat(sink.flush(PATIENCE)).isTrue();
    }

    private Sink sink(Map<String, String> variables) {
        Map<String, String> all = new HashMap<>(variables);
        all.put("MLFLOW_TRACKING_URI", mlflow.uri().toString());
        return new MlflowSinkProvider().create(SinkConfig.of(all).sink("mlflow"));
    }

    private static RewardGiven rewardOf(String run) {
        RunStarted start = Events.minimal(run, RunStarted.class);
        return RewardGivenBuilder.builder()
                .run(start.run())
                .seq(5)
                .nanos(6_000_000)
                .source("judge")
                .value(1)
                .startNanos(6_000_000)
                .build();
    }

    private static RewardGiven reward(
            int step, String source, double value, @Nullable String absence, List<RewardComponent> components) {
        RunStarted start = Events.minimal("r", RunStarted.class);
        return RewardGivenBuilder.builder()
                .run(start.run())
                .seq(5)
                .nanos(6_000_000)
                .step(step)
                .source(source)
                .value(value)
                .absence(absence)
                .components(components)
                .startNanos(6_000_000)
                .build();
    }
}
