package dev.rlm.sinks.mlflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.mlflow.MlflowSettings.Runs;
import dev.rlm.sinks.mlflow.rest.Keys;
import dev.rlm.sinks.mlflow.rest.TrackingAccess;
import dev.rlm.sinks.otel.backend.MlflowServer;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** What the table of runs of a real MLflow shows of a job: the last point of each metric is the job's figure. */
@Tag("thorough")
class JobFiguresTest {
    private static final double EXACT = 1e-12;

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

    private static Episode of(String id, int second, double reward, String sample) {
        return of(id, second, reward, "scripted", ids -> ids.sample(sample));
    }

    private static Episode of(
            String id, int second, double reward, String model, UnaryOperator<CorrelationBuilder> ids) {
        return new Episode(id, second, reward, model, builder -> ids.apply(builder.invocation("inv")));
    }

    private static Episode attempt(String id, int second, double reward, int attempt) {
        return of(
                id,
                second,
                reward,
                "scripted",
                ids -> ids.rollout("r").attempt(attempt).sample("s"));
    }

    /** What stands in the columns of the table of runs. */
    private Map<String, Double> shown() {
        return shown(tracked.run(experiment));
    }

    private static Map<String, Double> shown(JsonNode run) {
        Map<String, Double> shown = new TreeMap<>();
        run.path("data").path("metrics").forEach(metric -> {
            if (!metric.path("key").asString().startsWith("episode/")) {
                shown.put(metric.path("key").asString(), metric.path("value").asDouble());
            }
        });
        return shown;
    }

    private void live(List<Episode> episodes) {
        try (Rig rig = Rig.live(settings())) {
            episodes.forEach(episode -> rig.send(episode.rewarded()));
        }
    }

    @Test
    void table_showsTheJobsFigures_andCurvesLeadThere() {
        live(List.of(
                of("a", 0, 1, "s1"),
                of("b", 1, 0.5, "s2"),
                of("c", 2, 0, "s1").outcome(Outcome.FAILED),
                of("d", 3, -0.5, "s2"),
                of("e", 4, 7, "s2").outcome(Outcome.ABORTED)));

        assertThat(shown())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "episodes", 4.0,
                        "failed", 1.0,
                        "undecided", 0.0,
                        "without_usable_reward", 0.0,
                        "solved_rate", 0.25,
                        "reward_mean", 0.25,
                        "pass_at_1", 0.25,
                        "pass_at_2", 0.5));
        JsonNode run = tracked.run(experiment);
        assertThat(tracked.points(run, "reward_mean")).containsExactly("1=1.0", "2=0.75", "3=0.5", "4=0.25");
        assertThat(tracked.points(run, "solved_rate"))
                .containsExactly("1=1.0", "2=0.5", "3=0.3333333333333333", "4=0.25");
        assertThat(tracked.points(run, "pass_at_2")).containsExactly("3=1.0", "4=0.5");
        assertThat(run.path("info").path("run_name").asString()).isEqualTo("rlm calc scripted 2026-01-02 03:04:05");
    }

    @Test
    void modelsAndSplits_haveTheirOwn_whereThereAreSeveral() {
        live(List.of(
                of("a", 0, 1, "Qwen/Qwen3-4B", ids -> ids.sample("s").split("train")),
                of("b", 1, 0, "small@2", ids -> ids.sample("s").split("train")),
                of("c", 2, 0.5, "small@2", ids -> ids.sample("s").split("test"))));

        assertThat(shown())
                .containsEntry("reward_mean", 0.5)
                .containsEntry("reward_mean/Qwen/Qwen3-4B", 1.0)
                .containsEntry("reward_mean/" + Keys.valid("small@2"), 0.25)
                .containsEntry("solved_rate/Qwen/Qwen3-4B", 1.0)
                .containsEntry("pass_at_1/Qwen/Qwen3-4B", 1.0)
                .containsEntry("episodes/" + Keys.valid("small@2"), 2.0)
                .containsEntry("reward_mean/split/train", 0.5)
                .containsEntry("reward_mean/split/test", 0.5)
                .containsEntry("episodes/split/test", 1.0);
        assertThat(tracked.run(experiment).path("info").path("run_name").asString())
                .isEqualTo("rlm calc 2 models 2026-01-02 03:04:05");
    }

    @Test
    void rollouts_countByTheirLastAttempt() {
        Episode other = of("o", 0, 0, "t");
        try (Rig rig = Rig.live(settings())) {
            rig.send(other.rewarded())
                    .send(attempt("a", 1, 0, 1).outcome(Outcome.FAILED).rewarded())
                    .send(attempt("b", 2, 1, 2).rewarded());
            assertThat(rig.flush()).isTrue();
            assertThat(shown())
                    .containsEntry("episodes", 2.0)
                    .containsEntry("failed", 0.0)
                    .containsEntry("solved_rate", 0.5)
                    .containsEntry("reward_mean", 0.5)
                    .containsEntry("pass_at_1", 0.5)
                    .doesNotContainKey("pass_at_2");

            rig.send(attempt("c", 3, 0.25, 3).start());
            assertThat(rig.flush()).isTrue();
        }
        assertThat(shown())
                .as("the third goes on")
                .containsEntry("episodes", 1.0)
                .containsEntry("reward_mean", 0.0)
                .containsEntry("pass_at_1", 0.0);
    }

    @Test
    void lateRewards_count() {
        Episode judgedLate = of("a", 0, 0, "s1");
        Episode more = of("b", 1, 0.5, "s2");
        Episode absentLate = of("c", 2, 1, "s3");
        try (Rig rig = Rig.live(settings())) {
            rig.send(judgedLate.unrewarded()).send(more.rewarded()).send(absentLate.rewarded());
            assertThat(rig.flush()).isTrue();
            assertThat(shown()).containsEntry("reward_mean", 0.75).containsEntry("undecided", 1.0);

            rig.send(judgedLate.given(6, 1), more.given(6, -1), more.given(7, Double.POSITIVE_INFINITY))
                    .send(absentLate.given(6, Double.NaN));
        }

        assertThat(shown())
                .containsEntry("episodes", 3.0)
                .containsEntry("undecided", 0.0)
                .containsEntry("without_usable_reward", 1.0)
                .containsEntry("solved_rate", 2.0 / 3)
                .containsEntry("reward_mean", 0.25)
                .containsEntry("pass_at_1", 2.0 / 3);
    }

    @Test
    void manyEpisodes_giveFewPoints_theLastOfAll() {
        List<Episode> episodes = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            episodes.add(of("e" + i, i, i % 4 == 0 ? 1 : 0, "s" + i / 8));
        }
        live(episodes);

        List<String> points = tracked.points(tracked.run(experiment), "reward_mean");
        assertThat(points).hasSize(264).startsWith("1=1.0", "2=0.5").endsWith("2000=0.25");
        assertThat(shown()).containsEntry("episodes", 2_000.0).containsEntry("solved_rate", 0.25);
        assertThat(shown().get("pass_at_4")).isCloseTo(1 - 15.0 / 70, within(EXACT)); // C(6,4) / C(8,4)
    }

    @Test
    void furtherProcess_goesOnFromTheFiguresOfTheFirst() {
        live(List.of(
                of("a", 0, 1, "s1"), of("b", 1, 1, "s1"), of("c", 2, 0.5, "s2").outcome(Outcome.FAILED)));
        live(List.of(of("d", 3, 0.5, "s2")));

        assertThat(shown())
                .containsEntry("episodes", 4.0)
                .containsEntry("failed", 1.0)
                .containsEntry("solved_rate", 0.5)
                .containsEntry("reward_mean", 0.75);
        assertThat(tracked.points(tracked.run(experiment), "episodes"))
                .containsExactly("1=1.0", "2=2.0", "3=3.0", "4=4.0");
    }

    @Test
    void furtherProcess_withOneOfTheModels_goesOnWithThatOnesFigures() {
        live(List.of(of("a", 0, 1, "large", ids -> ids.sample("s1")), of("b", 1, 0, "small", ids -> ids.sample("s1"))));
        live(List.of(of("c", 2, 0.5, "small", ids -> ids.sample("s2"))));

        assertThat(shown())
                .containsEntry("reward_mean", 0.5)
                .containsEntry("reward_mean/large", 1.0)
                .containsEntry("reward_mean/small", 0.25)
                .containsEntry("episodes/small", 2.0)
                .doesNotContainKey("episodes/split/train");
    }

    @Test
    void jobSentAgain_hasTheFiguresOfAllItsEpisodes_andNothingTwice() {
        List<Episode> first = List.of(of("a", 0, 1, "s1"), of("b", 1, 0, "s2"));
        List<Episode> second = List.of(of("c", 2, 0, "s1"), of("d", 3, 0, "s2"));
        live(first);
        live(second);
        assertThat(shown()).containsEntry("solved_rate", 0.25).doesNotContainKey("pass_at_2"); // no process saw two

        List<Event> all = new ArrayList<>();
        first.forEach(episode -> all.addAll(episode.rewarded()));
        second.forEach(episode -> all.addAll(episode.rewarded()));
        for (int time = 0; time < 2; time++) {
            try (Rig rig = Rig.resending(settings())) {
                rig.send(all);
                assertThat(rig.flush()).isTrue();
            }
            assertThat(shown()).containsEntry("solved_rate", 0.25).containsEntry("pass_at_2", 0.5);
        }
        JsonNode run = tracked.run(experiment);
        assertThat(tracked.points(run, "pass_at_2")).containsExactly("4=0.5");
        assertThat(tracked.points(run, "solved_rate"))
                .containsExactly("1=1.0", "2=0.5", "3=0.3333333333333333", "4=0.25");
    }

    @Test
    void rewardsThatCameLater_areInTheFiguresOfAJobSentAgain() {
        Episode judged = of("a", 0, 0.5, "s1");
        live(List.of(judged));
        List<Event> later = new ArrayList<>(judged.rewarded());
        later.add(judged.given(6, 2));
        try (Rig rig = Rig.resending(settings())) {
            rig.send(later);
        }
        assertThat(shown()).containsEntry("reward_mean", 2.5);
    }

    @Test
    void partOfAJobSentAgain_changesNoFigure() {
        List<Episode> episodes = List.of(of("a", 0, 1, "s1"), of("b", 1, 0, "s2"), of("c", 2, 0, "s3"));
        live(episodes);
        Map<String, Double> before = shown();
        try (Rig rig = Rig.resending(settings())) {
            rig.send(episodes.get(2).rewarded());
        }
        assertThat(shown()).isEqualTo(before);
    }

    @Test
    void givenRun_hasTheFiguresOfAllInvocations() {
        String id = MLFLOW.createExperiment(experiment);
        String given = tracked.post("runs/create", Map.of("experiment_id", id, "start_time", 1))
                .path("run")
                .path("info")
                .path("run_id")
                .asString();
        MlflowSettings settings =
                new MlflowSettings(TrackingAccess.open(URI.create(MLFLOW.url())), null, null, given, null, Runs.JOB);
        try (Rig rig = Rig.live(settings)) {
            rig.send(new Episode("a", "one", 0, 1).events()).send(new Episode("b", "two", 0, 0).events());
        }
        assertThat(shown()).containsEntry("episodes", 2.0).containsEntry("reward_mean", 0.5);
    }
}
