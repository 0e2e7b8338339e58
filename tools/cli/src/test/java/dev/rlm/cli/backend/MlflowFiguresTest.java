package dev.rlm.cli.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.launcher.SampleAgent;
import dev.rlm.sinks.otel.backend.MlflowServer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A job's figures in the table of runs of a real MLflow are those of the report. */
@Tag("thorough")
@DisabledOnOs(OS.WINDOWS)
class MlflowFiguresTest {
    private static final double EXACT = 1e-9;

    @RegisterExtension
    private static final MlflowServer mlflow = MlflowServer.create();

    @TempDir
    private Path folder;

    @Test
    void job_hasTheFiguresOfTheReport_andItsSummaryLeadsThere() throws Exception {
        MlflowExperiment experiment = new MlflowExperiment(mlflow, "figures of a job");
        String out = output(
                experiment.variables(), Main.class, "run", "--samples", "12", "--rollouts", "4", "--error-rate", "0.3");

        Map<String, Double> shown = experiment.shown();
        isThatOf(report().path("all"), shown, "");
        assertThat(shown).containsKey("pass_at_4").containsEntry("episodes", 48.0);
        assertThat(experiment.run().path("run_name").asString()).startsWith("rlm calc scripted ");
        assertThat(out.lines())
                .anyMatch(line -> line.startsWith("mlflow ") && line.endsWith(", see " + experiment.page()));
    }

    @Test
    void runsThatEndInEveryWay_haveTheFiguresOfTheReport_byModelToo() throws Exception {
        MlflowExperiment experiment = new MlflowExperiment(mlflow, "figures of an agent");
        output(experiment.variables(), SampleAgent.class, "0.1");

        Map<String, Double> shown = experiment.shown();
        JsonNode report = report();
        isThatOf(report.path("all"), shown, "");
        assertThat(report.path("rows"))
                .hasSize(3)
                .allSatisfy(row -> isThatOf(row, shown, "/" + row.path("model").asString()));
        assertThat(shown.get("failed")).isPositive();
        assertThat(shown.get("without_usable_reward")).isPositive();
    }

    private static void isThatOf(JsonNode figures, Map<String, Double> shown, String part) {
        is(
                shown,
                "episodes" + part,
                figures.path("completed").asDouble() + figures.path("failed").asDouble());
        is(shown, "failed" + part, figures.path("failed").asDouble());
        is(shown, "undecided" + part, figures.path("undecided").asDouble());
        is(
                shown,
                "without_usable_reward" + part,
                figures.path("runs_without_usable_reward").asDouble()
                        + figures.path("unrewarded_runs").asDouble());
        is(shown, "solved_rate" + part, figures.path("solved_rate").asDouble());
        is(shown, "reward_mean" + part, figures.path("mean_reward").asDouble());
        figures.path("pass")
                .forEach(pass -> is(
                        shown,
                        "pass_at_" + pass.path("k").asInt() + part,
                        pass.path("pass_at_k").asDouble()));
    }

    private static void is(Map<String, Double> shown, String metric, double figure) {
        assertThat(shown).containsKey(metric);
        assertThat(shown.get(metric)).as(metric).isCloseTo(figure, within(EXACT));
    }

    private JsonNode report() throws Exception {
        return new JsonMapper().readTree(output(Map.of(), Main.class, "report", "--json", "--by", "model"));
    }

    private String output(Map<String, String> variables, Class<?> program, String... arguments) throws Exception {
        try (RlmProcess process = RlmProcess.start(folder, variables, program, arguments)) {
            return process.awaitSuccess().out();
        }
    }
}
