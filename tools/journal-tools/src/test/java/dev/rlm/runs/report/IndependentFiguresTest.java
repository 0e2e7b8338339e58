package dev.rlm.runs.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RewardComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Figures held against those that SciPy and pandas compute of the journal's files. */
@Timeout(180)
class IndependentFiguresTest {
    private static final String PYTHON = "RLM_DATASETS_PYTHON";
    private static final double SAME = 1e-9;

    @TempDir
    Path folder;

    private static void record(Recorded recorded, Random random, String model, int sample, int attempt) {
        RunSpec.Builder spec = RunSpec.builder("shop")
                .model(model)
                .correlation(Correlation.builder()
                        .sample("s" + sample)
                        .trajectoryIndex(attempt)
                        .trainStep((long) (sample % 7))
                        .build());
        recorded.record(spec, run -> {
            double accuracy = random.nextInt(3) == 0 ? 0 : 1;
            double style = random.nextGaussian();
            run.reward("tests", accuracy, List.of());
            run.reward("judge", 0.25 * style, List.of(new RewardComponent("style", style, 0.25, null)));
            run.reward("answer", accuracy, List.of());
            run.metric("turns_used", random.nextInt(9));
            run.complete(null);
        });
    }

    @Test
    void figures_areThoseOfSciPyAndPandas() throws Exception {
        String python = System.getenv(PYTHON);
        assumeTrue(python != null && !python.isBlank(), PYTHON + " names no python with scipy and pandas");
        Recorded recorded = new Recorded(folder.resolve("journal"));
        Random random = new Random(20_261_126);
        for (int sample = 0; sample < 20; sample++) {
            for (int attempt = 0; attempt < 4; attempt++) {
                record(recorded, random, "a", sample, attempt);
                record(recorded, random, "b", sample, attempt);
            }
        }

        Map<String, Double> expected = python(python);
        Map<String, Double> figures = figures(recorded);

        assertThat(figures.keySet()).containsAll(expected.keySet());
        expected.forEach((name, value) ->
                assertThat(figures.get(name)).as(name).isCloseTo(value, within(SAME * Math.max(1, Math.abs(value)))));
        assertThat(expected).hasSizeGreaterThan(30);
    }

    /** The figures of the reports, by the names that the script gives its own. */
    private Map<String, Double> figures(Recorded recorded) {
        Map<String, Double> figures = new TreeMap<>();
        JsonNode report = recorded.json("--by", "model");
        for (String name : List.of("solved_rate", "solved_rate_se", "mean_reward", "mean_reward_se")) {
            figures.put(name, report.at("/all/" + name).asDouble());
            report.get("rows")
                    .forEach(row -> figures.put(
                            row.get("model").asString() + " " + name,
                            row.get(name).asDouble()));
        }
        report.at("/rows/0/pass").forEach(pass -> {
            figures.put(
                    "pass_at_" + pass.get("k").asInt(), pass.get("pass_at_k").asDouble());
            figures.put(
                    "pass_hat_" + pass.get("k").asInt(), pass.get("pass_hat_k").asDouble());
        });
        figures.put("p50", report.at("/all/duration_p50").asDouble());
        figures.put("p95", report.at("/all/duration_p95").asDouble());
        JsonNode against = recorded.json("--model", "a", "--against", "model=b").get("against");
        numbers("against", against, figures);
        recorded.json("--curves").get("curves").forEach(curve -> {
            String name =
                    curve.get("kind").asString() + " " + curve.path("source").asString("") + " "
                            + curve.get("name").asString();
            numbers(name, curve, figures);
            numbers(name + " first", curve.at("/points/0"), figures);
        });
        StreamSupport.stream(recorded.json("--rewards").at("/all/rewards").spliterator(), false)
                .forEach(given -> numbers(
                        "given " + given.get("source").asString() + " "
                                + given.get("name").asString(),
                        given,
                        figures));
        return figures;
    }

    private static void numbers(String prefix, JsonNode object, Map<String, Double> figures) {
        object.properties().forEach(field -> {
            if (field.getValue().isNumber()) {
                figures.put(prefix + " " + field.getKey(), field.getValue().asDouble());
            } else if (field.getValue().isObject()) {
                numbers(prefix + " " + field.getKey(), field.getValue(), figures);
            }
        });
    }

    private Map<String, Double> python(String python) throws Exception {
        Path script =
                Path.of(IndependentFiguresTest.class.getResource("figures.py").toURI());
        Process process = new ProcessBuilder(
                        python, script.toString(), folder.resolve("journal").toString())
                .redirectError(folder.resolve("python.err").toFile())
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as(printed + Files.readString(folder.resolve("python.err")))
                .isZero();
        Map<String, Double> expected = new TreeMap<>();
        new ObjectMapper()
                .readTree(printed)
                .properties()
                .forEach(field -> expected.put(field.getKey(), field.getValue().asDouble()));
        return expected;
    }
}
