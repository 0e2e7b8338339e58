package dev.rlm.sinks.mlflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.otel.backend.MlflowServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** What a real MLflow has of 100,000 numbers of training after it was killed, twice, while they came. */
@Tag("thorough")
@DisabledOnOs(OS.WINDOWS)
@Timeout(180)
class KilledServerTest {
    private static final String EXPERIMENT = "killed";
    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final int REPORTS = 1_000;
    private static final int NUMBERS = 100; // of a report, its step among them
    private static final int KEYS = NUMBERS - 1;
    private static final double SCALE = 10_000; // tells a key by its values
    private static final List<String> HOSTILE = List.of(
            "loss@ppo",
            "loss#ppo",
            "loss\tppo",
            "loss_ppo",
            "..",
            "../loss",
            "/loss",
            "loss/",
            "a//b",
            "é",
            "x".repeat(300));

    /** In the order of reports: some at which no MLflow can keep a number, and says that it has. */
    private static final int EVERY = 50;

    @RegisterExtension
    private static final MlflowServer mlflow = MlflowServer.create();

    private final Tracked tracked = new Tracked(mlflow.url());
    private final Sinks sinks = Sinks.builder()
            .config(SinkConfig.of(Map.of("MLFLOW_TRACKING_URI", mlflow.url(), "MLFLOW_EXPERIMENT_NAME", EXPERIMENT)))
            .only(List.of("mlflow"))
            .build();

    @Test
    void whatTheServerHas_isWhatTheLedgerSays_pointByPoint() throws Exception {
        report(0, 300);
        awaitSent(10_000);
        mlflow.kill();
        report(300, 600);
        mlflow.startAgain();
        awaitSent(35_000);
        mlflow.kill();
        report(600, REPORTS);
        mlflow.startAgain();
        boolean complete = sinks.flush(PATIENCE).isComplete();
        sinks.close();

        int refused = REPORTS / EVERY;
        SinkStatus status = sinks.statuses().get(0);
        assertThat(status.ledger())
                .isEqualTo(Ledger.of(REPORTS, REPORTS - refused, Map.of("step_not_whole", (long) refused)));
        assertThat(complete).isTrue();
        assertThat(status.facts())
                .containsEntry("points_sent", (long) (REPORTS - refused) * NUMBERS)
                .containsEntry("points_lost.step_not_whole", (long) refused * NUMBERS);
        assertThat(shown()).isEqualTo(expected());
    }

    /** Hands over these reports, by their steps. */
    private void report(int from, int to) {
        for (int step = from; step < to; step++) {
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("step", isRefused(step) ? step + 0.5 : (double) step);
            for (int key = 0; key < KEYS; key++) {
                values.put(name(key), value(key, step));
            }
            values.put("host", "no number, so no part of it");
            assertThat(sinks.metrics("trainer", values)).isTrue();
        }
    }

    private static boolean isRefused(int step) {
        return step % EVERY == EVERY - 1;
    }

    private static String name(int key) {
        return key < HOSTILE.size() ? HOSTILE.get(key) : "number" + key;
    }

    private static double value(int key, int step) {
        return switch ((key + step) % 10) {
            case 7 -> Double.NaN;
            case 8 -> Double.POSITIVE_INFINITY;
            case 9 -> Double.NEGATIVE_INFINITY;
            default -> key * SCALE + step;
        };
    }

    private void awaitSent(long points) {
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(sinks.statuses().get(0).facts())
                        .hasEntrySatisfying(
                                "points_sent", sent -> assertThat((Long) sent).isGreaterThanOrEqualTo(points)));
    }

    /** What is to be there of each number: steps with values, as MLflow gives them back. */
    private static Map<Integer, List<String>> expected() {
        Map<Integer, List<String>> expected = new HashMap<>();
        for (int key = 0; key < KEYS; key++) {
            List<String> points = new ArrayList<>();
            for (int step = 0; step < REPORTS; step++) {
                if (!isRefused(step)) {
                    double value = value(key, step);
                    points.add(
                            step + "=" + (Double.isInfinite(value) ? Math.copySign(Double.MAX_VALUE, value) : value));
                }
            }
            expected.put(key, points.stream().sorted().toList());
        }
        return expected;
    }

    /** What MLflow has of each number; which one it is only the values tell, whatever its name has become. */
    private Map<Integer, List<String>> shown() {
        JsonNode run = tracked.run(EXPERIMENT);
        Map<Integer, List<String>> shown = new HashMap<>();
        for (JsonNode metric : run.path("data").path("metrics")) {
            String name = metric.path("key").asString();
            assertThat(name).startsWith("trainer/");
            if (!name.equals("trainer/step")) {
                List<String> points =
                        tracked.points(run, name).stream().sorted().toList();
                assertThat(shown.put(key(points), points))
                        .as("a second number like %s", name)
                        .isNull();
            }
        }
        return shown;
    }

    private static int key(List<String> points) {
        return points.stream()
                .mapToDouble(point -> Double.parseDouble(point.substring(point.indexOf('=') + 1)))
                .filter(value -> Math.abs(value) < KEYS * SCALE)
                .mapToInt(value -> (int) (value / SCALE))
                .findFirst()
                .orElseThrow();
    }
}
