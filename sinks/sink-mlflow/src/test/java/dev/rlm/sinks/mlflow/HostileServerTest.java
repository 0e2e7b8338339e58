package dev.rlm.sinks.mlflow;

import static dev.rlm.sinks.testkit.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Sink.Health;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.mlflow.rest.TrackingAccess;
import dev.rlm.sinks.otel.backend.HostileServer.Behaviour;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of figures while the server is in trouble. */
@Timeout(60)
class HostileServerTest {
    private static final Duration SHORT = Duration.ofMillis(300);

    private FakeMlflow mlflow;

    @BeforeEach
    void start() throws IOException {
        mlflow = new FakeMlflow();
    }

    @AfterEach
    void stop() {
        mlflow.close();
    }

    private Rig rig() {
        return Rig.live(MlflowSettings.of(mlflow.access()));
    }

    private static MetricsReported metrics(int step, int count) {
        Map<String, Double> values = new LinkedHashMap<>(Map.of("step", (double) step));
        for (int i = 1; i < count; i++) {
            values.put("m" + i, (double) i);
        }
        return new MetricsReported(Episode.START, "trainer", "step", values);
    }

    private static Health awaitOff(Rig rig) {
        rig.flush(Duration.ZERO); // has it sent at once
        await().until(() -> !rig.figures.part().health().available());
        return rig.figures.part().health();
    }

    static List<Arguments> passing() {
        return List.of(
                Arguments.of(
                        "HTTP status 503",
                        FakeMlflow.json(
                                503,
                                "{\"error_code\":\"TEMPORARILY_UNAVAILABLE\",\"message\":\"database is locked\"}")),
                Arguments.of(
                        "HTTP status 400",
                        FakeMlflow.json(
                                400,
                                "{\"error_code\":\"BAD_REQUEST\",\"message\":\"QueuePool limit of size 5 reached\"}")),
                Arguments.of(
                        "HTTP status 500",
                        FakeMlflow.json(500, "{\"error_code\":\"INTERNAL_ERROR\",\"message\":\"oops\"}")),
                Arguments.of(
                        "HTTP status 502: out of order or overloaded",
                        Behaviour.status(502, "text/html", "<h1>Bad gateway</h1>", Map.of())),
                Arguments.of(
                        "the connection was cut before there was an answer", (Behaviour) exchange -> exchange.reset()));
    }

    @ParameterizedTest
    @MethodSource("passing")
    void trouble_thatPasses_losesNothing(String detail, Behaviour trouble) throws IOException {
        for (String at : List.of("runs/create", "log-batch")) {
            mlflow.misbehave(at, trouble);
            int before = mlflow.points().size();
            try (Rig rig = rig()) {
                rig.send(metrics(1, 3));
                Health health = awaitOff(rig);
                assertThat(health.detail()).startsWith(detail); // of which part is said by the sink
                assertThat(rig.flush(Duration.ZERO)).isFalse();
                mlflow.behaveWell();
                assertThat(rig.flush()).isTrue();
                assertThat(rig.figures.part().health().available()).isTrue();
                assertThat(rig.heard.delivered).hasSize(1);
            }
            assertThat(mlflow.points()).hasSize(before + 3);
        }
    }

    @Test
    void cutConnection_thatWasIdle_isNoTrouble() {
        try (Rig rig = rig()) {
            for (int i = 1; i <= 3; i++) {
                rig.send(metrics(i, 2));
                assertThat(rig.flush()).isTrue();
                mlflow.server().hangUp();
            }
            assertThat(rig.figures.part().health().facts()).doesNotContainKey("metrics_last_failure");
        }
        assertThat(mlflow.points()).hasSize(6);
    }

    @Tag("thorough")
    @Test
    void badEntry_isLostAlone() throws IOException {
        AtomicInteger refusals = new AtomicInteger();
        Behaviour refuse = FakeMlflow.json(400, "{\"error_code\":\"INVALID_PARAMETER_VALUE\",\"message\":\"no m7\"}");
        mlflow.misbehave(path -> true, exchange -> {
            boolean bad = new String(exchange.sent(), StandardCharsets.UTF_8).contains("trainer/m7\"");
            if (exchange.path().contains("log-batch") && bad) {
                refusals.incrementAndGet();
                refuse.answer(exchange);
            } else {
                mlflow.answer(exchange);
            }
        });
        MetricsReported bad = metrics(1, 20);
        List<Event> good = List.of(metrics(2, 5), metrics(3, 5));
        try (Rig rig = rig()) {
            rig.send(good.get(0), bad, good.get(1));
            assertThat(rig.flush()).isFalse();
            assertThat(rig.heard.delivered).containsExactlyInAnyOrderElementsOf(good);
            assertThat(rig.heard.dropped).containsExactly(Map.entry(bad, "export_http_400"));
            assertThat(rig.figures.part().health().facts())
                    .containsEntry("points_sent", 29L)
                    .containsEntry("points_lost.export_http_400", 1L);
        }
        assertThat(refusals).hasValueLessThan(10);
    }

    @Test
    void refusalOfEverything_isNotAskedForPointByPoint() throws IOException {
        mlflow.misbehave("log-batch", Behaviour.status(500, "text/html", "<h1>Error</h1>", Map.of()));
        MetricsReported event = metrics(1, 1_000);
        try (Rig rig = rig()) {
            rig.send(event);
            assertThat(rig.flush()).isFalse();
            assertThat(rig.heard.dropped).containsExactly(Map.entry(event, "export_http_500"));
            assertThat(rig.figures.part().health().available()).isFalse();
            assertThat(rig.figures.part().health().facts()).containsEntry("points_lost.export_http_500", 1_000L);
        }
        assertThat(mlflow.paths()).hasSizeLessThan(150);
    }

    @Test
    void refusedParameters_doNotStopFigures() throws IOException {
        Behaviour refuse = FakeMlflow.json(400, "{\"error_code\":\"INVALID_PARAMETER_VALUE\",\"message\":\"no\"}");
        mlflow.misbehave(path -> true, exchange -> {
            boolean params = new String(exchange.sent(), StandardCharsets.UTF_8).contains("\"params\"");
            (params ? refuse : (Behaviour) mlflow::answer).answer(exchange);
        });
        try (Rig rig = rig()) {
            rig.send(new Episode("a", "inv", 0, 1).events());
            assertThat(rig.flush()).isTrue();
            assertThat(rig.heard.delivered).hasSize(1);
            assertThat(rig.figures.part().health().facts()).containsEntry("params_refused", 1L);
        }
    }

    static List<Behaviour> silent() {
        return List.of(
                exchange -> exchange.stall(),
                exchange -> {
                    exchange.halfAHead();
                    exchange.stall();
                },
                exchange -> {
                    exchange.head(200, Map.of("content-type", "application/json"));
                    exchange.body(new byte[] {'{'});
                    exchange.stall();
                });
    }

    @ParameterizedTest
    @MethodSource("silent")
    void silence_endsWithTheClose_andEveryEventHasItsVerdict(Behaviour silence) throws IOException {
        for (String at : List.of("experiments", "log-batch")) {
            mlflow.behaveWell();
            mlflow.misbehave(at, silence);
            Rig rig = rig().closingWithin(SHORT);
            rig.send(new Episode("a", "inv", 0, 1).events())
                    .send(new Episode("open", "inv", 1, 1).start())
                    .send(metrics(1, 3));
            rig.flush(Duration.ZERO); // has it sent at once
            await().until(() -> mlflow.paths().stream().anyMatch(path -> path.contains(at)));
            rig.close();
            assertThat(rig.heard.outcomes()).isEqualTo(3);
            assertThat(rig.heard.dropped).hasSizeGreaterThanOrEqualTo(2);
            assertThat(rig.heard.dropped.values()).isSubsetOf("closed", "export_timeout");
            mlflow.paths().clear();
        }
    }

    @Test
    void endlessAnswer_isCutOff() throws IOException {
        mlflow.misbehave("experiments", exchange -> {
            exchange.head(200, Map.of("content-type", "application/json"));
            while (true) {
                exchange.body(new byte[1 << 16]);
            }
        });
        try (Rig rig = rig().closingWithin(SHORT)) {
            rig.send(metrics(1, 1));
            assertThat(awaitOff(rig).available()).isFalse();
        }
    }

    @Test
    void refusalForGood_letsNobodyWait_andPasses() throws IOException {
        mlflow.misbehave("runs/", Behaviour.status(403, "text/plain", "Invalid Host header", Map.of()));
        try (Rig rig = rig()) {
            rig.send(metrics(1, 1));
            assertThat(awaitOff(rig).detail()).contains("--allowed-hosts");
            assertThat(rig.flush(Duration.ofMinutes(5))).isFalse();
            mlflow.behaveWell();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> rig.figures.part().health().available());
            assertThat(rig.flush()).isTrue();
            assertThat(rig.heard.delivered).hasSize(1);
        }
    }

    @Tag("thorough")
    @Test
    void deadServer_neverHoldsTheLaneUpForLong_andWhatFindsNoRoomIsCounted() throws IOException {
        mlflow.server().refuse();
        List<Event> events = new ArrayList<>();
        for (int i = 1; i <= 150; i++) {
            events.add(metrics(i, 1_000));
        }
        Rig rig = rig().closingWithin(SHORT).send(events);
        rig.close();
        assertThat(rig.heard.delivered).isEmpty();
        assertThat(rig.heard.dropped).hasSize(150);
        assertThat(rig.heard.dropped.values())
                .contains("buffer_full", "export_unreachable")
                .hasSize(150);
        assertThat(rig.heard.dropped.values().stream().filter("buffer_full"::equals))
                .hasSizeBetween(45, 50);
    }

    @Test
    void end_isSentBeforeWhatIsLeft() throws IOException {
        try (Rig rig = rig()) {
            rig.send(new Episode("a", "inv", 0, 1).events());
            assertThat(rig.flush()).isTrue();
            mlflow.misbehave("log-batch", FakeMlflow.json(503, "{}"));
            for (int i = 1; i <= 10; i++) {
                rig.send(metrics(i, 1_000));
            }
            awaitOff(rig);
            rig.figures.beginClose(System.nanoTime() + Duration.ofMinutes(1).toNanos());
            await().until(() -> mlflow.runs().contains("FINISHED"));
            assertThat(mlflow.points()).as("of the episode and its job alone").hasSize(6 + 7);
            mlflow.behaveWell();
        }
        assertThat(mlflow.points()).hasSize(10_000 + 6 + 7);
    }

    @Test
    void end_isSentWhileAnotherRequestTakesAllTheTime() throws IOException {
        try (Rig rig = rig().closingWithin(Duration.ofSeconds(2))) {
            rig.send(new Episode("a", "inv", 0, 1).events());
            assertThat(rig.flush()).isTrue();
            mlflow.misbehave("log-batch", FakeMlflow.SILENT);
            rig.send(new Episode("b", "inv", 1, 1).events());
            rig.flush(Duration.ZERO); // has it sent at once
            await().until(() -> mlflow.requests("log-batch") == 3); // parameters and figures, and now these
        }
        assertThat(mlflow.runs()).containsExactly("FINISHED");
    }

    @Test
    void raceForTheExperiment_isWonByEither() throws IOException {
        AtomicBoolean made = new AtomicBoolean();
        mlflow.misbehave("experiments", exchange -> {
            if (exchange.path().contains("create")) {
                made.set(true);
                FakeMlflow.json(400, "{\"error_code\":\"RESOURCE_ALREADY_EXISTS\",\"message\":\"it exists\"}")
                        .answer(exchange);
            } else if (made.get()) {
                mlflow.answer(exchange);
            } else {
                FakeMlflow.json(404, "{\"error_code\":\"RESOURCE_DOES_NOT_EXIST\",\"message\":\"no such\"}")
                        .answer(exchange);
            }
        });
        try (Rig rig = rig()) {
            rig.send(metrics(1, 1));
            assertThat(rig.flush()).isTrue();
        }
    }

    @Test
    void raceForTheJobsRun_isWonByTheFirst() throws IOException {
        mlflow.misbehave("runs/search", exchange -> {
            boolean made = mlflow.paths().contains("/api/2.0/mlflow/runs/create");
            FakeMlflow.json(200, made ? "{\"runs\":[{\"info\":{\"run_id\":\"first\",\"status\":\"RUNNING\"}}]}" : "{}")
                    .answer(exchange);
        });
        Episode episode = new Episode("a", "inv", 0, 1);
        try (Rig rig = rig()) {
            rig.send(episode.events());
            assertThat(rig.flush()).isTrue();
            assertThat(rig.heard.found).containsEntry("a", "first");
        }
        assertThat(mlflow.paths()).containsOnlyOnce("/api/2.0/mlflow/runs/create", "/api/2.0/mlflow/runs/delete");
    }

    @Test
    void secrets_areShownNowhere() throws IOException {
        URI uri = URI.create(mlflow.access().address().replace("//", "//me:pass%2Fword123@"));
        mlflow.misbehave(
                path -> true,
                Behaviour.status(
                        401, "text/plain", "no pass/word123, pass%2Fword123, bWU6cGFzcy93b3JkMTIz here", Map.of()));
        TrackingAccess access = new TrackingAccess(uri, null, null, "tok-abcdefgh", null);
        try (Rig rig = Rig.live(MlflowSettings.of(access))) {
            rig.send(metrics(1, 1));
            Health health = awaitOff(rig);
            String shown = health + access.toString();
            assertThat(shown)
                    .contains("401", "MLFLOW_TRACKING_USERNAME")
                    .doesNotContain("word123", "bWU6cGFzcy93b3JkMTIz", "tok-abcdefgh");
        }
        assertThat(access.secrets()).contains("pass/word123", "pass%2Fword123", "tok-abcdefgh");
    }

    @Test
    void whatIsNoMlflow_isSaidSo() throws IOException {
        mlflow.misbehave(path -> true, Behaviour.status(200, "text/html", "<h1>Welcome to nginx</h1>", Map.of()));
        try (Rig rig = rig().closingWithin(Duration.ofMinutes(5))) { // which it does not take
            rig.send(metrics(1, 1));
            assertThat(awaitOff(rig).detail()).contains("no MLflow");
        }
    }
}
