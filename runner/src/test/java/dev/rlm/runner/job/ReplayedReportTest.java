package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The program's own runs: what {@code rlm run} says of them, {@code rlm report} says too, and what it evaluates is read as that. */
class ReplayedReportTest {
    private static final List<String> COUNTS =
            List.of("runs", "completed", "failed", "aborted", "solved", "steps", "tool_calls");

    @TempDir
    Path folder;

    private Path journal;

    @BeforeEach
    void prepare() {
        journal = folder.resolve("journal");
    }

    private JsonNode rlm(String... arguments) {
        Cli cli = Cli.with(Map.of(), arguments);
        assertThat(cli.exitCode()).as(cli.err()).isZero();
        return new ObjectMapper().readTree(cli.out());
    }

    private JsonNode run(String... options) {
        String[] arguments = new String[options.length + 6];
        System.arraycopy(
                new String[] {"run", "--json", "--sink", "jsonl", "--journal", journal.toString()}, 0, arguments, 0, 6);
        System.arraycopy(options, 0, arguments, 6, options.length);
        return rlm(arguments);
    }

    private JsonNode report() {
        return rlm("report", "--json", "--by", "model", "--journal", journal.toString());
    }

    private static void assertSame(JsonNode reported, JsonNode run) {
        for (String name : COUNTS) {
            assertThat(reported.get(name).asLong())
                    .as(name)
                    .isEqualTo(run.get(name).asLong());
        }
        assertThat(reported.get("total_reward").asDouble())
                .isCloseTo(run.get("total_reward").asDouble(), within(1e-9));
        assertThat(reported.get("mean_reward").asDouble())
                .isCloseTo(run.get("mean_reward").asDouble(), within(1e-12));
        assertThat(reported.get("solved_rate").asDouble())
                .isEqualTo(run.get("pass_at_1").asDouble());
    }

    /** Over groups, which are not all as large: a failed run has no reward, and is in none. */
    private static void assertSamePass(JsonNode reported, JsonNode run) {
        assertThat(reported.at("/pass/0/pass_at_k").asDouble())
                .isCloseTo(run.at("/pass/0/pass_at_k").asDouble(), within(1e-12));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0.1", "0.6"})
    void report_isWhatTheRunSaid(String errorRate) {
        JsonNode run = run("--samples", "10", "--error-rate", errorRate);
        JsonNode report = report();
        assertSame(report.get("all"), run);
        assertSame(report.at("/rows/0"), run.at("/models/0"));
        assertSamePass(report.get("all"), run);
        assertSamePass(report.at("/rows/0"), run); // of one model
    }

    /** Recorded solutions: of 7 questions large solves 5, medium 3 and small 0. */
    @Test
    void passAt1_ofRecordedModels_isTheirShareOfSolvedSamples() throws IOException {
        Path file = folder.resolve("recorded.jsonl");
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 7; i++) {
            lines.append("{\"question\": \"q" + i + "\", \"ground_truth\": \"<<" + i + "+1=" + (i + 1) + ">>\\nA: "
                    + (i + 1) + "\"");
            model(lines, "large", i, i < 5);
            model(lines, "medium", i, i < 3);
            model(lines, "small", i, false);
            lines.append("}\n");
        }
        Files.writeString(file, lines);
        JsonNode run = run("--policy", "recorded", "--dataset", file.toString());
        JsonNode report = report();
        assertThat(report.get("rows"))
                .extracting(row -> row.get("model").asString() + " "
                        + row.at("/pass/0/pass_at_k").asDouble() + " "
                        + row.at("/pass/0/samples").asInt())
                .containsExactly("large " + 5.0 / 7 + " 7", "medium " + 3.0 / 7 + " 7", "small 0.0 7");
        assertSame(report.get("all"), run);
        assertSamePass(report.get("all"), run);
        assertThat(report.at("/all/pass")).hasSize(1);
        assertThat(report.at("/worst_samples/0/sample").asString()).isEqualTo("recorded-6");
    }

    private static void model(StringBuilder lines, String name, int i, boolean right) {
        lines.append(", \"" + name + "\": {\"is_correct\": " + right + ", \"solution\": \"<<" + i + "+1=" + (i + 1)
                + ">>\\nA: " + (right ? i + 1 : -1) + "\"}");
    }

    @ParameterizedTest
    @CsvSource({"validation, 12, policy_version, 12", "test, v12, step, 7"})
    void job_onASplitThatIsEvaluated_reportsTheNumbersOfAnEvaluator(
            String split, String version, String field, int progress) {
        evaluate("--split", split, "--policy-version", version, "--train-step", "7", "--error-rate", "0");

        JsonNode metrics = metrics();

        assertThat(metrics)
                .extracting(metric -> metric.get("name").asString())
                .containsAll(MetricsReported.EVALUATOR_VALUES);
        assertThat(metrics).allSatisfy(metric -> {
            assertThat(metric.get("category").asString()).isEqualTo("evaluator");
            assertThat(metric.get("step_field").asString()).isEqualTo(field);
            assertThat(metric.at("/steps/0").asInt()).isEqualTo(progress);
        });
        JsonNode all = report().get("all");
        assertThat(value(metrics, "episodes")).isEqualTo(6);
        assertThat(value(metrics, "mean_return"))
                .isCloseTo(all.get("mean_reward").asDouble(), within(1e-12));
        assertThat(value(metrics, "min_return")).isEqualTo(all.get("min_reward").asDouble());
        assertThat(value(metrics, "max_return")).isEqualTo(all.get("max_reward").asDouble());
        assertThat(value(metrics, "episode_length_mean"))
                .isEqualTo(all.get("steps").asDouble() / 6);
        assertThat(value(metrics, "duration_ms")).isNotNegative();
    }

    private static double value(JsonNode metrics, String name) {
        return StreamSupport.stream(metrics.spliterator(), false)
                .filter(metric -> metric.get("name").asString().equals(name))
                .findFirst()
                .orElseThrow()
                .at("/values/0")
                .asDouble();
    }

    @Test
    void job_thatEvaluatesNothing_reportsNothing() {
        evaluate("--split", "train", "--train-step", "7");
        evaluate();
        assertThat(metrics()).isEmpty();
    }

    @Test
    void evaluation_withoutAPlaceInTraining_isAtStep0() {
        evaluate("--split", "validation");
        assertThat(metrics().at("/0/steps").toString()).isEqualTo("[0.0]");
    }

    private void evaluate(String... options) {
        run(Stream.concat(Stream.of("--samples", "3", "--rollouts", "2"), Stream.of(options))
                .toArray(String[]::new));
    }

    private JsonNode metrics() {
        return rlm("report", "--json", "--metrics", "--journal", journal.toString())
                .get("metrics");
    }

    @Test
    void recordedReplay_importedElsewhere_isExportedTheSame() throws IOException {
        Path data = Files.writeString(
                folder.resolve("solutions.jsonl"),
                "{\"question\":\"3+4, then 7/0?\",\"ground_truth\":\"<<3+4=7>>7\\nA: 7\",\"m\":{\"solution\":"
                        + "\"It is <<3+4=7>>7 and <<7/0=1>>1\\nA: 7\"}}\n");
        run("--policy", "recorded", "--dataset", data.toString());
        Path first = export(journal, "first.jsonl");
        assertThat(first).content().contains("\"is_error\":true");
        Path other = folder.resolve("other");
        Cli.with(Map.of("RLM_JSONL_DIR", other.toString()), "import", first.toString());
        assertThat(export(other, "second.jsonl")).hasSameTextualContentAs(first);
        Journal imported = Journal.open(other);
        assertThat(imported.events(imported.runs().get(0).runId()).stream()
                        .filter(event -> event instanceof ToolCalled tool && tool.failed()))
                .hasSize(1);
    }

    private Path export(Path from, String name) {
        Path file = folder.resolve(name);
        Cli.with(Map.of("RLM_JSONL_DIR", from.toString()), "export", "--format", "chat", "--output", file.toString());
        return file;
    }
}
