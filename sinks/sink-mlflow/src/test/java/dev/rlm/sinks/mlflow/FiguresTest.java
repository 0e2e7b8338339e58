package dev.rlm.sinks.mlflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.mlflow.MlflowSettings.Runs;
import dev.rlm.sinks.mlflow.rest.Keys;
import dev.rlm.sinks.mlflow.rest.TrackingAccess;
import dev.rlm.sinks.otel.backend.MlflowServer;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** What a real MLflow has of jobs, episodes and training. */
@Tag("thorough")
class FiguresTest {
    @RegisterExtension
    static final MlflowServer MLFLOW = MlflowServer.create();

    private String experiment;
    private Tracked tracked;

    @BeforeEach
    void nameExperiment(TestInfo test) {
        experiment = test.getTestMethod().orElseThrow().getName();
        tracked = new Tracked(MLFLOW.url());
    }

    private MlflowSettings settings() {
        return new MlflowSettings(
                TrackingAccess.open(URI.create(MLFLOW.url())), experiment, null, null, null, Runs.JOB);
    }

    private static MetricsReported metrics(String name, double value, double step) {
        Map<String, Double> values = new LinkedHashMap<>(Map.of("global_step", step));
        values.put(name, value);
        return new MetricsReported(Episode.START, "trainer", "global_step", values);
    }

    @Test
    void job_hasParametersTagsFiguresAndItsEnd() {
        Episode first = new Episode("a", "inv", 0, 1.0);
        Episode second = new Episode("b", "inv", 1, 0.25);
        Heard heard;
        try (Rig rig = Rig.live(settings())) {
            heard = rig.heard;
            rig.send(first.events()).send(second.events());
            assertThat(rig.flush()).isTrue();
            assertThat(Tracked.status(tracked.run(experiment))).isEqualTo("RUNNING");
        }

        JsonNode run = tracked.run(experiment);
        assertThat(Tracked.status(run)).isEqualTo("FINISHED");
        assertThat(run.path("info").path("start_time").asLong()).isEqualTo(Episode.START.toEpochMilli());
        assertThat(run.path("info").path("end_time").asLong())
                .isEqualTo(second.end().time().toEpochMilli());
        assertThat(run.path("info").path("run_name").asString()).isEqualTo("rlm calc scripted 2026-01-02 03:04:05");
        assertThat(Tracked.value(run, "tags", "rlm.job")).isEqualTo("inv");
        assertThat(Tracked.value(run, "tags", "rlm.code_version")).isEqualTo("c1");
        assertThat(Tracked.value(run, "tags", "mlflow.source.name")).isEqualTo("rlm");
        assertThat(Tracked.value(run, "tags", "mlflow.user")).isEqualTo(System.getProperty("user.name"));
        assertThat(run.path("info").path("user_id").asString()).isEqualTo(System.getProperty("user.name"));
        assertThat(Tracked.value(run, "params", "environment")).isEqualTo("calc");
        assertThat(Tracked.value(run, "params", "seed")).isEqualTo("42");
        assertThat(Tracked.value(run, "params", "agent.temperature")).isEqualTo("0.5");
        assertThat(tracked.points(run, "episode/reward")).containsExactly("1=1.0", "2=0.25");
        assertThat(tracked.points(run, "episode/solved")).containsExactly("1=1.0", "2=0.0");
        assertThat(tracked.points(run, "episode/steps")).containsExactly("1=1.0", "2=1.0");
        assertThat(tracked.points(run, "episode/duration_s")).containsExactly("1=1.5", "2=1.5");
        assertThat(tracked.points(run, "episode/input_tokens")).containsExactly("1=100.0", "2=100.0");
        assertThat(tracked.points(run, "episode/output_tokens")).containsExactly("1=20.0", "2=20.0");
        assertThat(heard.found).containsEntry("a", Tracked.id(run)).containsEntry("b", Tracked.id(run));
        assertThat(heard.delivered).containsExactlyInAnyOrder(first.start(), second.start());
        assertThat(heard.dropped).isEmpty();
    }

    @Test
    void componentsOfRewards_andNumbersOfRuns_arePoints_forTheFirstNames() {
        Episode first = new Episode("a", "inv", 0, 0.5);
        first.components =
                List.of(new RewardComponent("style", 0.25, 2, null), new RewardComponent("ok", Double.NaN, 1, null));
        Episode second = new Episode("b", "inv", 1, 0.5);
        second.metrics = IntStream.range(0, 60)
                .boxed()
                .collect(Collectors.toMap(i -> String.format("n%02d", i), i -> i / 2.0, (a, b) -> a, TreeMap::new));
        try (Rig rig = Rig.live(settings())) {
            rig.send(first.rewarded()).send(second.events());
        }
        try (Rig rig = Rig.resending(settings())) {
            rig.send(first.rewarded()).send(second.events());
        }

        JsonNode run = tracked.run(experiment);
        assertThat(tracked.points(run, "episode/component/judge/style")).containsExactly("1=0.25");
        assertThat(tracked.points(run, "episode/component/judge/ok")).isEmpty();
        assertThat(tracked.points(run, "episode/metric/n01")).containsExactly("2=0.5");
        assertThat(tracked.points(run, "episode/metric/n48")).hasSize(1);
        assertThat(tracked.points(run, "episode/metric/n49")).isEmpty();
    }

    @Test
    void callsOfARunThatAGatewayRecords_areInNoFigure() {
        Episode agent = new Episode("a", "inv", 0, 1.0);
        Episode calls = new Episode("g", "inv", 1, 0.5).callsOf("a");
        Heard heard;
        try (Rig rig = Rig.live(settings())) {
            heard = rig.heard;
            rig.send(agent.events()).send(calls.events());
        }

        JsonNode run = tracked.run(experiment);
        assertThat(tracked.points(run, "episode/steps")).containsExactly("1=1.0");
        assertThat(tracked.points(run, "episodes")).containsExactly("1=1.0");
        assertThat(heard.delivered).containsExactlyInAnyOrder(agent.start(), calls.start());
        assertThat(heard.dropped).isEmpty();
    }

    @Test
    void reward_thatIsAbsent_hasNoPoint() {
        Episode absent = new Episode("a", "inv", 0, 0.5);
        absent.absentRewards = 1;
        Episode without = new Episode("b", "inv", 1, 0.5).outcome(Outcome.ABANDONED);
        try (Rig rig = Rig.live(settings())) {
            rig.send(absent.events())
                    .send(without.start(), without.end())
                    .send(new Episode("c", "inv", 2, -0.5).events());
        }

        JsonNode run = tracked.run(experiment);
        assertThat(tracked.points(run, "episode/reward")).containsExactly("3=-0.5");
        assertThat(tracked.points(run, "episode/steps")).hasSize(3);
        assertThat(tracked.points(run, "episode/input_tokens")).containsExactly("1=100.0", "3=100.0");
        assertThat(Tracked.status(run)).isEqualTo("FAILED");
    }

    @Test
    void episodes_sentAgain_addNothing_andFillWhatIsMissing() {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 20; i++) { // pairs that look alike
            events.addAll(new Episode("e" + i, "inv", i / 2, i % 3).events());
        }
        try (Rig rig = Rig.live(settings())) {
            rig.send(events.subList(0, 40));
        }
        JsonNode run = tracked.run(experiment);
        assertThat(tracked.points(run, "episode/reward")).hasSize(10);

        for (int time = 0; time < 2; time++) {
            try (Rig rig = Rig.resending(settings())) {
                rig.send(events);
                assertThat(rig.flush()).isTrue();
                assertThat(rig.heard.delivered).hasSize(20);
            }
        }

        assertThat(tracked.run(experiment)).as("the same run").isNotNull();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            expected.add((i + 1) + "=" + (double) (i % 3));
        }
        assertThat(tracked.points(run, "episode/reward")).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(tracked.points(run, "episode/output_tokens")).hasSize(20);
    }

    @Test
    void resumedJob_goesOnInItsRun() {
        Episode first = new Episode("a", "inv", 0, 1).outcome(Outcome.ABORTED);
        try (Rig rig = Rig.live(settings())) {
            rig.send(first.events());
        }
        JsonNode killed = tracked.run(experiment);
        assertThat(Tracked.status(killed)).isEqualTo("KILLED");

        try (Rig rig = Rig.live(settings())) {
            rig.send(new Episode("b", "inv", 1, 1).events());
            assertThat(rig.flush()).isTrue();
            assertThat(Tracked.status(tracked.run(experiment))).isEqualTo("RUNNING");
        }

        JsonNode run = tracked.run(experiment);
        assertThat(Tracked.status(run)).isEqualTo("FINISHED");
        assertThat(tracked.points(run, "episode/steps")).containsExactly("1=1.0", "2=1.0");
    }

    @Test
    void jobsWithoutInvocation_areOneProcessEach_andOneWhenSentAgain() {
        List<Event> events = new Episode("a", null, 0, 1).events();
        for (int i = 0; i < 2; i++) {
            try (Rig rig = Rig.live(settings())) {
                rig.send(events);
            }
        }
        assertThat(tracked.runs(experiment)).hasSize(2);

        for (int i = 0; i < 2; i++) {
            try (Rig rig = Rig.resending(settings())) {
                rig.send(events);
            }
        }
        assertThat(tracked.runs(experiment)).hasSize(3);
    }

    @Test
    void numbersOfTraining_keepEveryValue() {
        try (Rig rig = Rig.live(settings())) {
            rig.send(
                    metrics("loss", Double.NaN, 1),
                    metrics("loss", Double.POSITIVE_INFINITY, 2),
                    metrics("loss", Double.NEGATIVE_INFINITY, 3),
                    metrics("loss", Double.MIN_VALUE, 4),
                    metrics("loss", Double.MAX_VALUE, 5),
                    metrics("loss", -0.1, -6),
                    metrics("loss", 7, 1L << 53));
            assertThat(rig.flush()).isTrue();
            assertThat(rig.heard.delivered).hasSize(7);
        }

        JsonNode run = tracked.run(experiment);
        assertThat(tracked.points(run, "trainer/loss"))
                .containsExactlyInAnyOrder(
                        "1=NaN",
                        "2=1.7976931348623157E308",
                        "3=-1.7976931348623157E308",
                        "4=4.9E-324",
                        "5=1.7976931348623157E308",
                        "-6=-0.1",
                        "9007199254740992=7.0");
        assertThat(tracked.points(run, "trainer/global_step")).contains("1=1.0");
    }

    @Test
    void numbersOfTraining_thatTheServerWouldLoseSilently_areCounted() {
        MetricsReported fraction = metrics("loss", 1, 0.5);
        MetricsReported huge = metrics("loss", 2, 0x1p63);
        MetricsReported early = new MetricsReported(
                Episode.START.minusSeconds(3_000_000_000L), "trainer", "step", Map.of("step", 1.0, "loss", 3.0));
        MetricsReported good = metrics("loss", 4, 4);
        try (Rig rig = Rig.live(settings())) {
            rig.send(fraction, huge, early, good);
            assertThat(rig.flush()).isTrue();
            assertThat(rig.heard.delivered).containsExactly(good);
            assertThat(rig.heard.dropped)
                    .containsEntry(fraction, "step_not_whole")
                    .containsEntry(huge, "step_not_whole")
                    .containsEntry(early, "time_before_1970");
            assertThat(rig.figures.part().health().facts())
                    .containsEntry("points_sent", 2L)
                    .containsEntry("points_lost.step_not_whole", 4L);
        }
        assertThat(tracked.points(tracked.run(experiment), "trainer/loss")).containsExactly("4=4.0");
    }

    @Test
    void keys_areMadeValid_andStayDistinct() {
        List<String> hostile = List.of(
                "a//b",
                "a/b/",
                "/a",
                "../a",
                "a/./b",
                "a@b",
                "a\tb",
                "é",
                "",
                " ",
                "x".repeat(400),
                "x".repeat(401),
                "\ud800",
                "%",
                "a:b",
                "..",
                "\u0000");
        try (Rig rig = Rig.live(settings())) {
            for (int i = 0; i < hostile.size(); i++) {
                rig.send(metrics(hostile.get(i), i, i));
            }
            assertThat(rig.flush()).isTrue();
            assertThat(rig.heard.delivered).hasSize(hostile.size());
        }

        JsonNode run = tracked.run(experiment);
        for (int i = 0; i < hostile.size(); i++) {
            String kept = metrics(hostile.get(i), i, i).values().keySet().stream()
                    .filter(name -> !name.equals("global_step"))
                    .findFirst()
                    .orElseThrow();
            assertThat(tracked.points(run, Keys.valid("trainer/" + kept)))
                    .as(hostile.get(i))
                    .containsExactly(i + "=" + (double) i);
        }
    }

    @Test
    void largeReport_goesInSeveralRequests() {
        Map<String, Double> values = new LinkedHashMap<>(Map.of("step", 3.0));
        for (int i = 0; i < 2_500; i++) {
            values.put("m" + i, (double) i);
        }
        try (Rig rig = Rig.live(settings())) {
            rig.send(new MetricsReported(Episode.START, "misc", "step", values));
            assertThat(rig.flush()).isTrue();
            assertThat(rig.heard.delivered).hasSize(1);
        }
        assertThat(tracked.run(experiment).path("data").path("metrics").size()).isEqualTo(2_501);
    }

    @Test
    void numbersOfTraining_goToTheOnlyJob_elseToTheProcess() {
        try (Rig rig = Rig.live(settings())) {
            rig.send(new Episode("a", "one", 0, 1).events()).send(metrics("loss", 1, 1));
            rig.send(new Episode("b", "two", 0, 1).events()).send(metrics("loss", 2, 2));
        }
        assertThat(tracked.runs(experiment))
                .extracting(run -> Tracked.value(run, "tags", "rlm.job").length() > 3
                        ? "process " + tracked.points(run, "trainer/loss")
                        : Tracked.value(run, "tags", "rlm.job") + " " + tracked.points(run, "trainer/loss"))
                .containsExactlyInAnyOrder("one [1=1.0]", "two []", "process [2=2.0]");
    }

    @Test
    void processesOfOneTraining_haveOneRun_inWhichTheirNumbersLieOnOneAxis() {
        MlflowSettings trainer = new MlflowSettings(
                TrackingAccess.open(URI.create(MLFLOW.url())), experiment, null, null, "night-7", Runs.JOB);
        try (Rig rig = Rig.live(trainer)) {
            rig.send(metrics("loss", 0.5, 10));
        }
        for (String split : List.of("train", "validation")) {
            try (Rig rig = Rig.live(settings())) {
                rig.send(new Episode(
                                        split,
                                        0,
                                        1,
                                        "m",
                                        ids -> ids.invocation(split).trainerRun("night-7"))
                                .events())
                        .send(metrics("of_" + split, 1, 10));
            }
        }

        JsonNode run = tracked.run(experiment);
        assertThat(Tracked.value(run, "tags", "rlm.job")).isEqualTo("night-7");
        assertThat(tracked.points(run, "trainer/loss")).containsExactly("10=0.5");
        assertThat(tracked.points(run, "trainer/of_train")).containsExactly("10=1.0");
        assertThat(tracked.points(run, "trainer/of_validation")).containsExactly("10=1.0");
        assertThat(tracked.points(run, "episode/reward")).containsExactly("1=1.0", "2=1.0");
        assertThat(tracked.points(run, "episodes")).last().isEqualTo("2=2.0");
        assertThat(Tracked.status(run)).isEqualTo("FINISHED");
    }

    @Test
    void twoWritersOfOneJob_loseNothing() {
        try (Rig one = Rig.live(settings())) {
            one.send(new Episode("a", "inv", 0, 1).events());
            assertThat(one.flush()).isTrue();
            try (Rig two = Rig.live(settings())) {
                two.send(new Episode("b", "inv", 1, 2).events());
            }
            one.send(new Episode("c", "inv", 2, 3).events());
            assertThat(one.flush()).isTrue();
        }
        JsonNode run = tracked.run(experiment);
        assertThat(tracked.points(run, "episode/reward")).containsExactlyInAnyOrder("1=1.0", "2=2.0", "2=3.0");

        try (Rig rig = Rig.resending(settings())) {
            rig.send(new Episode("a", "inv", 0, 1).events())
                    .send(new Episode("b", "inv", 1, 2).events())
                    .send(new Episode("c", "inv", 2, 3).events());
        }
        assertThat(tracked.points(run, "episode/reward")).hasSize(3);
    }

    @Test
    void deletedExperiment_isRestored() {
        try (Rig rig = Rig.live(settings())) {
            rig.send(new Episode("a", "inv", 0, 1).events());
            assertThat(rig.flush()).isTrue();
            tracked.post("experiments/delete", Map.of("experiment_id", tracked.experimentId(experiment)));
            rig.send(new Episode("b", "inv", 1, 1).events());
            assertThat(rig.flush()).isTrue();
        }
        assertThat(tracked.experiment(experiment).path("lifecycle_stage").asString())
                .isEqualTo("active");
        assertThat(tracked.points(tracked.run(experiment), "episode/reward")).containsExactly("1=1.0", "2=1.0");
    }

    @Test
    void deletedRun_isMadeAnew() {
        try (Rig rig = Rig.live(settings())) {
            rig.send(new Episode("a", "inv", 0, 1).events());
            assertThat(rig.flush()).isTrue();
            tracked.post("runs/delete", Map.of("run_id", Tracked.id(tracked.run(experiment))));
            rig.send(new Episode("b", "inv", 1, 1).events());
            assertThat(rig.flush()).isTrue();
            assertThat(rig.heard.delivered).hasSize(2);
        }
        JsonNode run = tracked.run(experiment);
        assertThat(tracked.points(run, "episode/reward")).containsExactly("2=1.0");
        assertThat(Tracked.value(run, "params", "environment")).isEqualTo("calc");
        assertThat(Tracked.status(run)).isEqualTo("FINISHED");
    }

    @Test
    void givenRun_takesEverything() {
        String id = MLFLOW.createExperiment(experiment);
        String given = tracked.post("runs/create", Map.of("experiment_id", id, "start_time", 1))
                .path("run")
                .path("info")
                .path("run_id")
                .asString();
        MlflowSettings settings = new MlflowSettings(
                TrackingAccess.open(URI.create(MLFLOW.url())), null, null, given, null, Runs.EPISODE);
        try (Rig rig = Rig.live(settings)) {
            rig.send(new Episode("a", "one", 0, 1).events())
                    .send(new Episode("b", "two", 0, 2).events())
                    .send(metrics("loss", 1, 1));
            assertThat(rig.flush()).isTrue();
        }
        JsonNode run = tracked.run(experiment);
        assertThat(Tracked.id(run)).isEqualTo(given);
        assertThat(tracked.points(run, "episode/reward")).containsExactly("1=1.0", "2=2.0");
        assertThat(tracked.points(run, "trainer/loss")).containsExactly("1=1.0");
        assertThat(Tracked.status(run)).isEqualTo("FINISHED");
    }

    @Test
    void episodes_canHaveRunsOfTheirOwn() {
        MlflowSettings settings = new MlflowSettings(
                TrackingAccess.open(URI.create(MLFLOW.url())), experiment, null, null, null, Runs.EPISODE);
        Episode solved = new Episode("it's \"one\"", "inv", 0, 1);
        Episode failed = new Episode("two", "inv", 1, 0.5).outcome(Outcome.FAILED);
        for (boolean again : new boolean[] {false, true}) {
            try (Rig rig = again ? Rig.resending(settings) : Rig.live(settings)) {
                rig.send(solved.events()).send(failed.events());
                assertThat(rig.flush()).isTrue();
                assertThat(rig.heard.delivered).hasSize(2);
            }
        }

        assertThat(tracked.runs(experiment))
                .extracting(run -> Tracked.value(run, "tags", "run_id") + " "
                        + Tracked.value(run, "tags", "component") + " " + Tracked.status(run) + " "
                        + Tracked.value(run, "params", "environment") + " " + tracked.points(run, "step_reward")
                        + tracked.points(run, "cumulative_reward") + tracked.points(run, "completed")
                        + tracked.points(run, "steps") + tracked.points(run, "total_reward"))
                .containsExactlyInAnyOrder(
                        "it's \"one\" rlm FINISHED calc [1=1.0][1=1.0][0=1.0][0=1.0][0=1.0]",
                        "two rlm FAILED calc [1=0.5][1=0.5][0=0.0][0=1.0][0=0.5]");
    }
}
