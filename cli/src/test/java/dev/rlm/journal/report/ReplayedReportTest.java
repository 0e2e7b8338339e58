package dev.rlm.journal.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.cli.launcher.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The program's own runs: what {@code rlm run} says of them, {@code rlm report} says too. */
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
        assertThat(reported.at("/pass/0/pass_at_k").asDouble())
                .isCloseTo(run.get("pass_at_1").asDouble(), within(1e-12));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0.1", "0.6"})
    void report_isWhatTheRunSaid(String errorRate) {
        JsonNode run = run("--samples", "10", "--error-rate", errorRate);
        JsonNode report = report();
        assertSame(report.get("all"), run);
        assertSame(report.at("/rows/0"), run.at("/models/0"));
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
        assertThat(report.at("/all/pass")).hasSize(1);
        assertThat(report.at("/worst_samples/0/sample").asString()).isEqualTo("recorded-6");
    }

    private static void model(StringBuilder lines, String name, int i, boolean right) {
        lines.append(", \"" + name + "\": {\"is_correct\": " + right + ", \"solution\": \"<<" + i + "+1=" + (i + 1)
                + ">>\\nA: " + (right ? i + 1 : -1) + "\"}");
    }
}
