package dev.rlm.cli.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.backend.MlflowExperiment.Point;
import dev.rlm.cli.backend.MlflowExperiment.Trace;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.otel.backend.MlflowServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What a real MLflow has of jobs after all was sent there, held against their journals: everything, and everything once. */
@Tag("thorough")
@DisabledOnOs(OS.WINDOWS)
@Timeout(900)
class MlflowSinkTest {
    private static final String DATASET = "GSM8K_SOLUTIONS";
    private static final int SOLVERS = 4; // of each problem
    private static final int PROBLEMS = Integer.getInteger("mlflow.problems", 70); // all 1,319 take MLflow minutes
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int LONGEST_MINUTES = 14; // where all is sent on a busy machine
    private static final double HALF = 0.5;

    @RegisterExtension
    private static final MlflowServer mlflow = MlflowServer.create(2); // a worker for each core of a small machine

    @TempDir
    private Path folder;

    /**
     * A replay thinks of nothing, so a job of thousands of episodes takes seconds, and MLflow minutes: what had not arrived at
     * the close is in the ledger, and resending brings it. {@code -Dmlflow.problems=1319} sends all 5,276.
     */
    @Test
    void recordedSolutions_areAllThere_afterTheyWereSentAgain() throws Exception {
        MlflowExperiment experiment = new MlflowExperiment(mlflow, "recorded");
        JsonNode job = rlm(
                experiment,
                "run",
                "--json",
                "--policy",
                "recorded",
                "--dataset",
                dataset(),
                "--limit",
                String.valueOf(PROBLEMS),
                "--concurrency",
                "2",
                "--drain-timeout",
                "5s");
        JournalFigures figures = figures();
        JsonNode ledger = ledger(job);
        assertThat(ledger.path("offered").asInt()).isEqualTo(figures.events().size());
        assertThat(experiment.run().path("status").asString())
                .as("told before all that is left")
                .isEqualTo("FINISHED");

        JsonNode resent = ledger(rlm(experiment, "resend", "--json", "--sink", "mlflow"));
        assertThat(resent.path("offered").asInt()).isEqualTo(figures.events().size());
        assertThat(resent.path("delivered").asInt()).isEqualTo(figures.events().size());
        assertThat(figures.all(RunEnded.class)).hasSize(PROBLEMS * SOLVERS);
        isWhole(experiment, figures, "FINISHED");
    }

    @Test
    void killedJob_recovered_andSentAgainTwice_hasEachEpisodeAndRewardOnce() throws Exception {
        MlflowExperiment experiment = new MlflowExperiment(mlflow, "killed");
        try (RlmProcess killed = RlmProcess.start(
                folder,
                experiment.variables(),
                "run",
                "--samples",
                "5000", // more than it gets to before MLflow has shown the first ones
                "--rollouts",
                "2",
                "--concurrency",
                "4",
                "--error-rate",
                "0.3",
                "--latency",
                "200ms")) {
            await().atMost(PATIENCE).ignoreExceptions().until(() -> hasBegun(experiment));
            mlflow.kill(); // so that the journal, which syncs in order, comes to have all that MLflow has
            long before = figures().all(RunEnded.class).count();
            await().atMost(PATIENCE).until(() -> figures().all(RunEnded.class).count() > before);
            killed.process().destroyForcibly().waitFor();
        }
        mlflow.startAgain();
        assertThat(experiment.run().path("status").asString()).isEqualTo("RUNNING");

        rlm(experiment, "recover", "--json");
        for (int time = 0; time < 2; time++) {
            JsonNode resent = ledger(rlm(experiment, "resend", "--json", "--sink", "mlflow"));
            assertThat(resent.path("delivered").asInt())
                    .isEqualTo(resent.path("offered").asInt());
        }

        JournalFigures figures = figures();
        assertThat(figures.all(RunEnded.class).map(RunEnded::outcome))
                .contains(Outcome.COMPLETED, Outcome.ABANDONED)
                .doesNotContain(Outcome.ABORTED);
        isWhole(experiment, figures, "FAILED");
    }

    private static boolean hasBegun(MlflowExperiment experiment) {
        return experiment.points("episode/reward").size() >= 5
                && experiment.traces("feedback.reward > 0.5").size() >= 5;
    }

    /** Asserts that MLflow has what the journal says: no more, no less, and nothing twice. */
    private static void isWhole(MlflowExperiment experiment, JournalFigures figures, String status) {
        assertThat(experiment.run().path("status").asString()).isEqualTo(status);
        hasFigures(
                experiment, figures, "episode/reward", end -> end.hasUsableReward() ? end.totalReward() : Double.NaN);
        hasFigures(experiment, figures, "episode/solved", end -> {
            Boolean solved = end.isSolved(null);
            return solved == null ? Double.NaN : solved ? 1 : 0;
        });
        hasFigures(experiment, figures, "episode/steps", RunEnded::steps);

        Map<String, Trace> traces = experiment.traces("");
        Map<String, List<Double>> rewards = figures.all(RewardGiven.class)
                .collect(Collectors.groupingBy(
                        MlflowSinkTest::trace, Collectors.mapping(RewardGiven::value, Collectors.toList())));
        assertThat(traces.keySet()).isEqualTo(figures.traces(RunEnded.class, end -> true));
        traces.forEach((id, trace) ->
                assertThat(trace.rewards()).containsExactlyInAnyOrderElementsOf(rewards.getOrDefault(id, List.of())));
        assertThat(ids(traces, "OK"))
                .isEqualTo(figures.traces(RunEnded.class, end -> end.outcome() == Outcome.COMPLETED));
        assertThat(ids(traces, "IN_PROGRESS")).isEmpty();
        assertThat(experiment
                        .traces("run_id = '" + experiment.run().path("run_id").asString() + "'")
                        .keySet())
                .isEqualTo(traces.keySet());
        assertThat(experiment.traces("feedback.reward > 0.5").keySet())
                .isNotEmpty()
                .isEqualTo(figures.traces(RewardGiven.class, reward -> reward.value() > HALF));
    }

    /** A point an episode, at steps from 1 on. */
    private static void hasFigures(
            MlflowExperiment experiment, JournalFigures figures, String key, ToDoubleFunction<RunEnded> figure) {
        List<Point> points = experiment.points(key);
        List<RunEnded> known = figures.all(RunEnded.class)
                .filter(end -> !Double.isNaN(figure.applyAsDouble(end)))
                .toList();
        assertThat(points)
                .as(key)
                .extracting(point -> point.timestamp() + "=" + point.value())
                .containsExactlyInAnyOrderElementsOf(known.stream()
                        .map(end -> end.time().toEpochMilli() + "=" + figure.applyAsDouble(end))
                        .toList());
        long episodes = figures.all(RunEnded.class).count();
        assertThat(points.stream().map(Point::step))
                .doesNotHaveDuplicates()
                .isSubsetOf(LongStream.rangeClosed(1, episodes).boxed().toList());
    }

    private static Set<String> ids(Map<String, Trace> traces, String state) {
        return traces.entrySet().stream()
                .filter(trace -> trace.getValue().state().equals(state))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private static String trace(RewardGiven reward) {
        return JournalFigures.traceId(reward.run().runId());
    }

    private static String dataset() {
        @Nullable String file = System.getenv(DATASET);
        if (file == null) {
            System.err.println("Skipped: no recorded solutions: set " + DATASET + " to their file");
            return Assumptions.abort(DATASET + " is not set");
        }
        return Path.of(file).toAbsolutePath().toString();
    }

    private JournalFigures figures() {
        return JournalFigures.of(List.of(folder.resolve(".rlm")));
    }

    /** What the command prints, whether or not all has arrived. */
    private JsonNode rlm(MlflowExperiment experiment, String... arguments) throws Exception {
        try (RlmProcess process = RlmProcess.start(folder, experiment.variables(), arguments)) {
            process.process().waitFor(LONGEST_MINUTES, TimeUnit.MINUTES);
            return new JsonMapper().readTree(process.awaitSuccess().out());
        }
    }

    /** What is said of MLflow's sink, which adds up. */
    private static JsonNode ledger(JsonNode said) {
        JsonNode ledger = said.path("sinks")
                .valueStream()
                .filter(sink -> sink.path("name").asString().equals("mlflow"))
                .map(sink -> sink.path("ledger"))
                .findFirst()
                .orElseThrow();
        long dropped =
                ledger.path("dropped").valueStream().mapToLong(JsonNode::asLong).sum();
        assertThat(ledger.path("delivered").asLong()
                        + dropped
                        + ledger.path("queued").asLong())
                .isEqualTo(ledger.path("offered").asLong());
        return ledger;
    }
}
