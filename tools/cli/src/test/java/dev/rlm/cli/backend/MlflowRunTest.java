package dev.rlm.cli.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.backend.MlflowExperiment.Point;
import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.launcher.SampleAgent;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.otel.backend.MlflowServer;
import dev.rlm.sinks.otel.backend.MlflowSpan;
import dev.rlm.sinks.otel.backend.MlflowTrace;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What a person sees in the list of traces of a real MLflow, held against the journal. */
@Tag("thorough")
@DisabledOnOs(OS.WINDOWS)
class MlflowRunTest {
    @RegisterExtension
    private static final MlflowServer mlflow = MlflowServer.servingArtifacts(); // as it does where nothing else is said

    @TempDir
    private Path folder;

    @Test
    void job_isAListOfReadableTraces() throws Exception {
        String experiment = mlflow.createExperiment("job");

        JournalFigures figures = record(experiment, Main.class, "run", "--limit", "10", "--rollouts", "1");

        Map<String, MlflowTrace> traces = traces(experiment, figures);
        figures.all(RunEnded.class).forEach(end -> tells(Objects.requireNonNull(traces.get(id(end.run()))), end));
        figures.all(RunStarted.class)
                .forEach(start -> assertThat(traces.get(id(start.run())))
                        .extracting(MlflowTrace::request)
                        .isEqualTo(text(start.run().task())));
        assertThat(traces.values()).allSatisfy(trace -> {
            assertThat(trace.name()).startsWith("calc");
            assertThat(trace.session()).startsWith("calc-1-"); // the rollout's id
        });
    }

    private static void tells(MlflowTrace trace, RunEnded end) {
        assertThat(trace.state()).isEqualTo(end.outcome() == Outcome.COMPLETED ? "OK" : "ERROR");
        assertThat(trace.response()).isEqualTo(text(end.finalAnswer()));
        assertThat(seconds(trace)).isBetween(end.nanos() / 1e9 - 0.002, end.nanos() / 1e9 + 0.002);
        assertThat(trace.tags())
                .containsEntry("rlm.run_id", end.run().runId())
                .containsEntry("rlm.outcome", end.outcome().label())
                .containsEntry("rlm.solved", String.valueOf(end.solved()));
    }

    @Test
    void traces_areFoundByStateAndTag() throws Exception {
        String experiment = mlflow.createExperiment("found");

        JournalFigures figures = record(experiment, SampleAgent.class, "1");

        traces(experiment, figures);
        assertThat(mlflow.traces(experiment, "trace.status = 'ERROR'"))
                .extracting(MlflowTrace::traceId)
                .containsExactlyInAnyOrderElementsOf(
                        figures.traces(RunEnded.class, end -> end.outcome() != Outcome.COMPLETED));
        assertThat(mlflow.traces(experiment, "tags.`rlm.solved` = 'true'"))
                .extracting(MlflowTrace::traceId)
                .containsExactlyInAnyOrderElementsOf(figures.traces(RunEnded.class, RunEnded::solved));
    }

    @Test
    void modelCalls_giveTheTraceItsTokens() throws Exception {
        String experiment = mlflow.createExperiment("tokens");

        JournalFigures figures = record(experiment, SampleAgent.class, "1");

        traces(experiment, figures)
                .forEach((id, trace) -> assertThat(trace.tokens()).isEqualTo(tokens(figures, id)));
        String any = id(figures.all(RunStarted.class).findFirst().orElseThrow().run());
        assertThat(mlflow.spans(any)).extracting(MlflowSpan::type).contains("AGENT", "CHAIN", "CHAT_MODEL", "TOOL");
    }

    @Test
    void sinkOfItsOwn_showsAJob_andNothingTwiceThatIsSentAgain() throws Exception {
        Map<String, String> variables = Map.of(
                "RLM_MLFLOW_ENABLED",
                "true",
                "MLFLOW_TRACKING_URI",
                mlflow.url(),
                "MLFLOW_EXPERIMENT_NAME",
                "own sink");
        run(variables, "run", "--limit", "5", "--rollouts", "1");
        JournalFigures figures = JournalFigures.of(List.of(folder.resolve(".rlm")));
        run(variables, "resend", "--sink", "mlflow"); // also what found no time before the end
        run(variables, "resend", "--sink", "mlflow");

        String experiment = mlflow.ask("/api/2.0/mlflow/experiments/get-by-name", Map.of("experiment_name", "own sink"))
                .path("experiment")
                .path("experiment_id")
                .asString();
        traces(experiment, figures);
        Set<String> solved = figures.traces(RunEnded.class, RunEnded::solved);
        assertThat(mlflow.traces(experiment, "feedback.reward > 0.5"))
                .extracting(MlflowTrace::traceId)
                .containsExactlyInAnyOrderElementsOf(solved);
        JsonNode jobs = mlflow.search("/api/2.0/mlflow/runs/search", Map.of("experiment_ids", List.of(experiment)))
                .path("runs");
        assertThat(jobs).hasSize(1);
        assertThat(jobs.path(0).path("info").path("status").asString()).isEqualTo("FINISHED");
        String job = jobs.path(0).path("info").path("run_id").asString();
        assertThat(mlflow.traces(experiment, "run_id = '" + job + "'")).hasSize(5);
        assertThat(mlflow.ask(
                                "/api/2.0/mlflow/metrics/get-history",
                                Map.of("run_id", job, "metric_key", "episode/reward"))
                        .path("metrics"))
                .hasSize(5);
    }

    @Test
    void episodes_areRunsOfTheirOwn() throws Exception {
        MlflowExperiment experiment = new MlflowExperiment(mlflow, "episodes");
        Map<String, String> variables = new HashMap<>(experiment.variables());
        variables.put("RLM_MLFLOW_RUNS", "episode");
        run(variables, "run", "--limit", "3", "--rollouts", "1", "--drain-timeout", "2m");

        JournalFigures figures = JournalFigures.of(List.of(folder.resolve(".rlm")));
        Map<String, JsonNode> runs = new HashMap<>();
        experiment.runs().forEach(run -> runs.put(pairs(run, "tags").get("run_id"), run));
        assertThat(figures.all(RunEnded.class).map(end -> end.run().runId()))
                .containsExactlyInAnyOrderElementsOf(runs.keySet())
                .hasSize(3);
        figures.all(RunEnded.class)
                .forEach(end -> isWhole(
                        experiment, Objects.requireNonNull(runs.get(end.run().runId())), end, figures));
    }

    private void isWhole(MlflowExperiment experiment, JsonNode run, RunEnded end, JournalFigures figures) {
        RunInfo told = end.run();
        Map<String, String> params = new HashMap<>();
        told.params().forEach((name, value) -> params.put(name, String.valueOf(value)));
        params.put("environment", told.environment());
        params.put("model", told.model());
        params.put("max_steps", String.valueOf(told.maxSteps()));
        params.put("seed", String.valueOf(told.seed()));
        assertThat(pairs(run, "params")).isEqualTo(params);
        assertThat(pairs(run, "tags")).containsEntry("run_id", told.runId()).containsEntry("component", "rlm");
        assertThat(run.path("info").path("status").asString())
                .isEqualTo(end.outcome() == Outcome.COMPLETED ? "FINISHED" : "FAILED");

        List<StepEnded> steps = figures.all(StepEnded.class)
                .filter(step -> step.run().runId().equals(told.runId()))
                .toList();
        String id = run.path("info").path("run_id").asString();
        assertThat(experiment.points(id, "step_reward"))
                .containsExactlyElementsOf(steps.stream()
                        .map(step -> new Point(step.step(), step.time().toEpochMilli(), step.reward()))
                        .toList());
        assertThat(experiment.points(id, "cumulative_reward"))
                .containsExactlyElementsOf(steps.stream()
                        .map(step -> new Point(step.step(), step.time().toEpochMilli(), step.cumulativeReward()))
                        .toList());
        long time = end.time().toEpochMilli();
        assertThat(experiment.points(id, "completed"))
                .containsExactly(new Point(0, time, end.outcome() == Outcome.COMPLETED ? 1 : 0));
        assertThat(experiment.points(id, "steps")).containsExactly(new Point(0, time, end.steps()));
        assertThat(experiment.points(id, "total_reward")).containsExactly(new Point(0, time, end.totalReward()));

        assertThat(run.path("info").path("artifact_uri").asString()).startsWith("mlflow-artifacts:");
    }

    private static Map<String, String> pairs(JsonNode run, String kind) {
        Map<String, String> pairs = new HashMap<>();
        run.path("data")
                .path(kind)
                .forEach(pair -> pairs.put(
                        pair.path("key").asString(), pair.path("value").asString()));
        return pairs;
    }

    private void run(Map<String, String> variables, String... arguments) throws Exception {
        try (RlmProcess process = RlmProcess.start(folder, variables, Main.class, arguments)) {
            assertThat(process.awaitSuccess().err()).isEmpty();
        }
    }

    private static Map<String, Long> tokens(JournalFigures figures, String traceId) {
        List<ModelCalled> calls = figures.all(ModelCalled.class)
                .filter(call -> id(call.run()).equals(traceId))
                .filter(call -> call.error() == null)
                .toList();
        long input = calls.stream()
                .mapToLong(call -> Objects.requireNonNull(call.usage().inputTokens()))
                .sum();
        long output = calls.stream()
                .mapToLong(call -> Objects.requireNonNull(call.usage().outputTokens()))
                .sum();
        return Map.of("input_tokens", input, "output_tokens", output, "total_tokens", input + output);
    }

    /** Runs a program to its end and returns what its journal says. */
    private JournalFigures record(String experiment, Class<?> program, String... arguments) throws Exception {
        Map<String, String> variables = Map.of(
                "RLM_OTEL_ENABLED", "true",
                "RLM_OTEL_METRICS_ENABLED", "false",
                "OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf",
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", mlflow.tracesEndpoint(),
                "OTEL_EXPORTER_OTLP_HEADERS", MlflowServer.header(experiment));
        try (RlmProcess process = RlmProcess.start(folder, variables, program, arguments)) {
            assertThat(process.awaitSuccess().err()).isEmpty();
        }
        return JournalFigures.of(List.of(folder.resolve(".rlm")));
    }

    private static Map<String, MlflowTrace> traces(String experiment, JournalFigures figures) {
        int runs = (int) figures.all(RunEnded.class).count();
        Map<String, MlflowTrace> traces = new HashMap<>();
        mlflow.awaitEnded(experiment, runs).forEach(trace -> traces.put(trace.traceId(), trace));
        assertThat(traces).hasSize(runs);
        return traces;
    }

    private static String id(RunInfo run) {
        return JournalFigures.traceId(run.runId());
    }

    private static String text(@Nullable Content content) {
        return content == null ? "" : content.text();
    }

    private static double seconds(MlflowTrace trace) {
        return Double.parseDouble(trace.duration().replace("s", ""));
    }
}
