package dev.rlm.runs.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.testkit.Events;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What counts for which figure. The numbers are calculated by hand. */
class ReportFiguresTest {
    private static final double EXACT = 1e-12;

    @TempDir
    Path directory;

    private Recorded recorded;

    @BeforeEach
    void open() {
        recorded = new Recorded(directory);
    }

    /** Model a: 2 of 3 solved, 0 of 4 (one with an absent reward), 1 of 2 (the other failed); and three that do not count. */
    private void recordModelA() {
        recorded.completed("a", "s1", 1, 1, 0);
        recorded.completed("a", "s2", 0, 0, 0);
        recorded.record(Recorded.spec("a", "s2"), run -> {
            run.rewardAbsent("judge", "the judge timed out");
            run.complete(null);
        });
        recorded.completed("a", "s3", 1);
        recorded.record(Recorded.spec("a", "s3"), run -> {
            run.reward(-0.5);
            run.fail(RunStatus.INTERNAL, new IllegalStateException("broken"));
        });
        recorded.record(Recorded.spec("a", "s1"), run -> {
            run.reward(1);
            run.abort("stopped");
        });
    }

    @Test
    void rates_areOverCompletedAndFailedRuns() {
        recordModelA();
        JsonNode all = recorded.json().get("all");
        assertCounts(all, 10, 8, 1, 1);
        assertThat(all.get("solved").asInt()).isEqualTo(3);
        assertThat(all.get("solved_rate").asDouble()).isCloseTo(3.0 / 9, within(EXACT));
        assertThat(all.get("solved_rate_runs").asInt()).isEqualTo(9);
        assertThat(all.get("samples").asInt()).isEqualTo(3);
    }

    private static void assertCounts(JsonNode row, int runs, int completed, int failed, int aborted) {
        assertThat(row.get("runs").asInt()).isEqualTo(runs);
        assertThat(row.get("completed").asInt()).isEqualTo(completed);
        assertThat(row.get("failed").asInt()).isEqualTo(failed);
        assertThat(row.get("aborted").asInt()).isEqualTo(aborted);
    }

    @Test
    void meanReward_isOverUsableRewards_withAnErrorClusteredBySample() {
        recordModelA();
        JsonNode all = recorded.json().get("all");
        assertThat(all.get("mean_reward").asDouble()).isCloseTo(2.5 / 8, within(EXACT));
        assertThat(all.get("mean_reward_se").asDouble())
                .isCloseTo(Math.sqrt(1.5 * (1.0625 * 1.0625 + 0.9375 * 0.9375 + 0.125 * 0.125)) / 8, within(EXACT));
        assertThat(all.get("mean_reward_runs").asInt()).isEqualTo(8);
        assertThat(all.get("min_reward").asDouble()).isEqualTo(-0.5);
        assertThat(all.get("max_reward").asDouble()).isEqualTo(1);
        assertThat(all.get("total_reward").asDouble()).isEqualTo(3.5);
        assertThat(all.get("absent_rewards").asInt()).isEqualTo(1);
        assertThat(all.get("runs_without_usable_reward").asInt()).isEqualTo(1);
        assertThat(all.at("/absences/0/reason").asString()).isEqualTo("the judge timed out");
    }

    @Test
    void passAtK_isTheMeanOfTheGroupsWithSoManyRuns() {
        recordModelA();
        JsonNode pass = recorded.json("--k", "1,2,4,8").at("/all/pass");
        assertPass(pass.get(0), 1, (2.0 / 3 + 0 + 0.5) / 3, (2.0 / 3 + 0 + 0.5) / 3, 3);
        assertPass(pass.get(1), 2, 2.0 / 3, 1.0 / 9, 3);
        assertPass(pass.get(2), 4, 0, 0, 1);
        assertThat(pass.at("/3/pass_at_k").isNull()).isTrue();
        assertThat(pass.at("/3/groups").asInt()).isZero();
        assertThat(recorded.report("--k", "8").out()).contains("k=8: no group has so many runs; the largest has 4");
    }

    private static void assertPass(JsonNode pass, int k, double any, double all, int groups) {
        assertThat(pass.get("k").asInt()).isEqualTo(k);
        assertThat(pass.get("pass_at_k").asDouble()).isCloseTo(any, within(EXACT));
        assertThat(pass.get("pass_hat_k").asDouble()).isCloseTo(all, within(EXACT));
        assertThat(pass.get("groups").asInt()).isEqualTo(groups);
    }

    @Test
    void ks_unlessGiven_goAsFarAsTheLargestGroup() {
        recordModelA();
        assertThat(recorded.json().at("/all/pass"))
                .extracting(pass -> pass.get("k").asInt())
                .containsExactly(1, 2, 4);
    }

    @Test
    void group_ofEqualRewards_hasNoSignal() {
        recordModelA();
        recorded.completed("b", "s1", 0.1, 0.2);
        recorded.completed("b", "s9", 0.5);
        JsonNode report = recorded.json();
        assertThat(report.at("/all/groups_compared").asInt()).isEqualTo(4);
        assertThat(report.at("/all/groups_without_signal").asInt()).isEqualTo(1);
        JsonNode group = report.at("/groups_without_signal/0");
        assertThat(group.get("sample").asString()).isEqualTo("s2");
        assertThat(group.get("runs").asInt()).isEqualTo(3);
        assertThat(recorded.report().out())
                .contains(
                        "groups without learning signal (all rewards the same): 1 of 4 with two usable rewards or more")
                .contains("1 at 0.000");
    }

    @Test
    void group_ofWhoseTotalsOnlySomeAreInfinite_hasSignal() {
        total("s1", 1e308, 1e308);
        total("s1", 1e308);
        total("s2", 1e308, 1e308);
        total("s2", 1e308, 1e308);
        JsonNode report = recorded.json();
        assertThat(report.at("/all/groups_compared").asInt()).isEqualTo(2);
        assertThat(report.get("groups_without_signal"))
                .extracting(group -> group.get("sample").asString())
                .containsExactly("s2");
    }

    private void total(String sample, double... rewards) {
        recorded.record(Recorded.spec("a", sample), run -> {
            Arrays.stream(rewards).forEach(run::reward);
            run.complete(null);
        });
    }

    @Test
    void group_isOfOneTrainStepAndPolicy() {
        for (long step = 1; step <= 2; step++) {
            for (double reward : new double[] {step, step}) {
                Correlation ids = Correlation.builder()
                        .sample("s1")
                        .trainStep(step)
                        .policyVersion("v" + step)
                        .build();
                recorded.record(RunSpec.builder("shop").model("a").correlation(ids), run -> {
                    run.reward(reward);
                    run.complete(null);
                });
            }
        }
        JsonNode report = recorded.json("--by", "train-step,policy-version");
        assertThat(report.at("/all/groups_without_signal").asInt()).isEqualTo(2);
        assertThat(report.at("/all/pass")).hasSize(2);
        assertThat(report.at("/rows/0/train_step").asString()).isEqualTo("1");
        assertThat(report.at("/rows/1/policy_version").asString()).isEqualTo("v2");
        assertThat(report.at("/rows/1/mean_reward").asDouble()).isEqualTo(2);
        assertThat(report.at("/rows/1/mean_reward_se").isNull()).isTrue();
    }

    @Test
    void rows_areOfExperimentEpochPlaceAndFailure_whereAskedFor() {
        for (int index = 0; index < 3; index++) {
            boolean failed = index == 2;
            Correlation ids = Correlation.builder()
                    .experiment("e" + index % 2)
                    .epoch(4)
                    .trajectoryIndex(index)
                    .build();
            recorded.record(RunSpec.builder("shop").model("a").correlation(ids), run -> {
                if (failed) {
                    run.fail(new IllegalStateException("broken"));
                } else {
                    run.complete(null);
                }
            });
        }
        JsonNode report = recorded.json("--by", "experiment,epoch,trajectory-index,failure");
        assertThat(report.get("by"))
                .extracting(JsonNode::asString)
                .containsExactly("experiment", "epoch", "trajectory_index", "failure");
        assertThat(report.get("rows")).hasSize(3);
        assertThat(report.at("/rows/0/experiment").asString()).isEqualTo("e0");
        assertThat(report.at("/rows/0/epoch").asString()).isEqualTo("4");
        assertThat(report.at("/rows/0/failure").isNull()).isTrue();
        assertThat(report.at("/rows/1/trajectory_index").asString()).isEqualTo("2");
        assertThat(report.at("/rows/1/failure").asString()).isEqualTo("java.lang.IllegalStateException");
        assertThat(recorded.json("--failure=IllegalStateException")
                        .at("/all/runs")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void worstSamples_comeFirst_withARunToLookAt() {
        recordModelA();
        JsonNode worst = recorded.json("--worst", "2").get("worst_samples");
        assertThat(worst).extracting(sample -> sample.get("sample").asString()).containsExactly("s2", "s3");
        assertThat(worst.at("/1/solved").asInt()).isEqualTo(1);
        assertThat(worst.at("/1/runs").asInt()).isEqualTo(2);
        String run = worst.at("/1/run_id").asString();
        assertThat(recorded.report().out())
                .containsPattern("s3 +1 +2 +[0-9.]+ +" + run + "\n")
                .contains("look at one with ./rlm show RUN --journal " + directory)
                .contains("samples without a solved run: 1 of 3");
        assertThat(recorded.report("--worst", "0").out()).doesNotContain("WORST SAMPLES");
    }

    @Test
    void attempt_thatWasTriedAgain_isLeftOutAndSaid() {
        attempt("r1", 1, 0);
        attempt("r1", 2, 1);
        attempt("r2", 1, 0);
        JsonNode last = recorded.json();
        assertThat(last.get("superseded_runs").asInt()).isEqualTo(1);
        assertThat(last.at("/all/runs").asInt()).isEqualTo(2);
        assertThat(last.at("/all/solved").asInt()).isEqualTo(1);
        assertThat(recorded.json("--all-attempts").at("/all/runs").asInt()).isEqualTo(3);
        assertThat(recorded.report().out())
                .contains("2 of 3 runs in", "1 earlier attempt at the same rollouts left out");
    }

    private void attempt(String rollout, int attempt, double reward) {
        Correlation ids = Correlation.builder()
                .sample("s1")
                .rollout(rollout)
                .attempt(attempt)
                .build();
        recorded.record(RunSpec.builder("shop").model("a").correlation(ids), run -> {
            run.reward(reward);
            run.complete(null);
        });
    }

    @Test
    void run_thatWasRewardedOnlyLate_isDecidedByTheFirst() {
        recorded.completed("a", "s1", 1, 0);
        late("s1", List.of(), 1);
        late("s2", List.of(0.0), 1);
        JsonNode all = recorded.json().get("all");
        assertThat(all.get("undecided").asInt()).isZero();
        assertThat(all.get("solved").asInt()).isEqualTo(2);
        assertThat(all.get("solved_rate_runs").asInt()).isEqualTo(4);
        assertThat(all.get("mean_reward").asDouble()).isEqualTo(0.75);
        assertThat(all.get("late_rewarded_runs").asInt()).isEqualTo(2);
        assertThat(recorded.report().out())
                .contains("1 run was rewarded only after the end: the first reward says if it is solved")
                .contains(
                        "1 run was rewarded before the end and after it: totals have both; solved is what the end says");
    }

    @Test
    void passReward_decidesAnewWithLateRewards() {
        recorded.completed("a", "s1", 1, 0.5);
        late("s1", List.of(), 0.5);
        late("s2", List.of(0.4), 0.4);
        JsonNode half = recorded.json("--pass-reward", "0.5").get("all");
        assertThat(half.get("undecided").asInt()).isZero();
        assertThat(half.get("solved").asInt()).isEqualTo(3);
        JsonNode total = recorded.json("--pass-reward", "0.75", "--pass-on", "total");
        assertThat(total.at("/all/solved").asInt()).isEqualTo(2);
        assertThat(total.get("pass_on").asString()).isEqualTo("total");
        assertThat(total.get("pass_reward").asDouble()).isEqualTo(0.75);
        assertThat(recorded.json().get("pass_on").asString()).isEqualTo("recorded");
    }

    private void late(String sample, List<Double> before, double after) {
        try (Sinks sinks = recorded.open()) {
            RunSpec spec = Recorded.spec("a", sample).build();
            try (Run run = sinks.startRun(spec)) {
                before.forEach(run::reward);
                run.complete(null);
            }
            assertThat(sinks.reward(spec.runId(), "person", after, List.of())).isTrue();
        }
    }

    @Test
    void reward_thatComesLateAndIsAbsent_makesTheTotalUnusable() {
        recorded.completed("a", "s1", 1);
        try (Sinks sinks = recorded.open()) {
            RunSpec spec = Recorded.spec("a", "s1").build();
            try (Run run = sinks.startRun(spec)) {
                run.reward(1);
                run.complete(null);
            }
            sinks.rewardAbsent(spec.runId(), "judge", "no answer");
        }
        JsonNode all = recorded.json().get("all");
        assertThat(all.get("mean_reward_runs").asInt()).isEqualTo(1);
        assertThat(all.get("runs_without_usable_reward").asInt()).isEqualTo(1);
        assertThat(all.get("absent_rewards").asInt()).isEqualTo(1);
    }

    @Test
    void run_thatGoesOnOrWasAbandoned_isShownAndInNoRate() {
        recorded.completed("a", "s1", 1);
        try (Sinks sinks = recorded.open()) {
            sinks.publish(Events.minimal("died", RunStarted.class));
        }
        try (Sinks sinks = recorded.open();
                Run run = sinks.startRun(Recorded.spec("a", "s2").build())) {
            run.reward(0.25);
            sinks.flush(Duration.ofSeconds(20));
            JsonNode all = recorded.json().get("all");
            assertThat(all.get("abandoned").asInt()).isEqualTo(1);
            assertThat(all.get("running").asInt()).isEqualTo(1);
            assertThat(all.get("solved_rate").asDouble()).isEqualTo(1);
            assertThat(all.get("mean_reward_runs").asInt()).isEqualTo(1);
        }
    }

    @Test
    void calls_areCountedByToolAndModel() {
        recorded.record(Recorded.spec("a", "s1"), ReportFiguresTest::work);
        recorded.record(Recorded.spec("b", "s1"), ReportFiguresTest::work);
        JsonNode report = recorded.json("--by", "model,tool");
        assertThat(report.get("tools"))
                .extracting(tool -> tool.get("model").asString()
                        + " "
                        + tool.get("tool").asString()
                        + " "
                        + tool.get("calls").asInt()
                        + " "
                        + tool.get("failed").asInt()
                        + " "
                        + tool.get("error_rate").asDouble())
                .containsExactly("a map 1 0 0.0", "a search 2 1 0.5", "b map 1 0 0.0", "b search 2 1 0.5");
        JsonNode row = report.at("/rows/0");
        assertThat(row.get("tool_calls").asInt()).isEqualTo(3);
        assertThat(row.get("failed_tool_calls").asInt()).isEqualTo(1);
        assertThat(row.get("model_calls").asInt()).isEqualTo(2);
        assertThat(row.get("failed_model_calls").asInt()).isEqualTo(1);
        assertThat(row.get("input_tokens").asInt()).isEqualTo(100);
        assertThat(row.get("cached_tokens").asInt()).isEqualTo(40);
        assertThat(row.get("output_tokens").asInt()).isEqualTo(7);
        assertThat(row.get("output_tokens_calls").asInt()).isEqualTo(1);
        assertThat(row.get("reasoning_tokens").isNull()).isTrue();
        assertThat(row.get("tool_call_p50").asDouble()).isEqualTo(0.001);
        assertThat(row.get("model_cost").asDouble()).isEqualTo(0.1);
        assertThat(row.get("model_cost_calls").asInt()).isEqualTo(1);
        assertThat(recorded.report().out())
                .contains("tokens are of the 2 of 4 model calls that tell them")
                .contains("2 of the 4 model calls, which tell it, cost 0.2 USD");
    }

    @Test
    void costs_ofSeveralCurrencies_areNotAddedUp() {
        recorded.record(Recorded.spec("a", "s1"), run -> {
            run.startModelCall("p", "m").cost(0.5, "USD").close();
            run.startModelCall("p", "m").cost(0.25, "EUR").close();
            run.complete(null);
        });
        JsonNode all = recorded.json().get("all");
        assertThat(all.get("model_cost").isNull()).isTrue();
        assertThat(all.get("model_cost_calls").asInt()).isEqualTo(2);
        assertThat(recorded.report().out()).contains("the model calls cost 0.25 EUR, 0.5 USD");
    }

    private static void work(Run run) {
        try (Step step = run.startStep("look")) {
            try (ModelCall call = step.startModelCall("p", "m")) {
                call.reply("x").usage(new Usage(100L, 7L, 40L, null)).cost(0.1, "USD");
            }
            try (ModelCall call = step.startModelCall("p", "m")) {
                call.fail("overloaded");
            }
            for (String tool : List.of("map", "search")) {
                try (ToolCall call = step.startToolCall(tool)) {
                    call.result("ok");
                }
            }
            try (ToolCall call = step.startToolCall("search")) {
                call.fail(RunStatus.INTERNAL, "torn");
            }
            step.reward(
                    "judge",
                    1,
                    List.of(
                            new RewardComponent("correct", 1, 0.9, null),
                            new RewardComponent("length", 12, -0.1, "{token}")));
            step.complete("done");
        }
        run.complete(null);
    }

    @Test
    void components_areMeansOfWhatWasGiven() {
        recorded.record(Recorded.spec("a", "s1"), ReportFiguresTest::work);
        recorded.record(Recorded.spec("a", "s1"), run -> {
            run.reward("judge", 0, List.of(new RewardComponent("correct", 0, 0.9, null)));
            run.reward("judge", 0, List.of(new RewardComponent("correct", Double.NaN, 0.5, null)));
            run.complete(null);
        });
        JsonNode correct = recorded.json().at("/all/components/0");
        assertThat(correct.get("name").asString()).isEqualTo("correct");
        assertThat(correct.get("given").asInt()).isEqualTo(2);
        assertThat(correct.get("not_finite").asInt()).isEqualTo(1);
        assertThat(correct.get("mean").asDouble()).isEqualTo(0.5);
        assertThat(correct.get("min_weight").asDouble()).isEqualTo(0.5);
        assertThat(correct.get("max_weight").asDouble()).isEqualTo(0.9);
        assertThat(recorded.json().at("/all/components/1/unit").asString()).isEqualTo("{token}");
    }

    @Test
    void components_ofTwoSources_areTwo_thoughTheyHaveOneName() {
        recorded.record(Recorded.spec("a", "s1"), run -> {
            run.reward("tests", 1, List.of(new RewardComponent("accuracy", 1, 1, null)));
            run.reward("judge", 0, List.of(new RewardComponent("accuracy", 0.5, 1, null)));
            run.complete(null);
        });
        assertThat(recorded.json().at("/all/components"))
                .extracting(part -> part.get("source").asString() + " "
                        + part.get("name").asString() + " "
                        + part.get("mean").asDouble())
                .containsExactly("judge accuracy 0.5", "tests accuracy 1.0");
        assertThat(recorded.report().out())
                .containsPattern("judge +accuracy +1 +0.500")
                .containsPattern("tests +accuracy +1 +1.000");
    }

    @Test
    void run_withoutASample_isAClusterOfItsOwn() {
        for (double reward : new double[] {1, 2, 4, 8}) {
            recorded.record(RunSpec.builder("shop"), run -> {
                run.reward(reward);
                run.complete(null);
            });
        }
        JsonNode report = recorded.json();
        assertThat(report.at("/all/mean_reward_se").asDouble()).isCloseTo(1.547847968417226, within(EXACT));
        assertThat(report.at("/all/samples").asInt()).isZero();
        assertThat(report.get("worst_samples")).isEmpty();
        assertThat(report.at("/rows/0/model").isNull()).isTrue();
    }

    @Test
    void run_withoutRewards_isCountedAndSaid() {
        recorded.record(Recorded.spec("a", "s1"), run -> run.complete(null));
        JsonNode all = recorded.json().get("all");
        assertThat(all.get("unrewarded_runs").asInt()).isEqualTo(1);
        assertThat(all.get("solved_rate_runs").asInt()).isZero();
        assertThat(List.of("mean_reward", "solved_rate", "total_reward"))
                .allSatisfy(figure -> assertThat(all.get(figure).isNull()).isTrue());
        recorded.completed("a", "s1", 1, 0.5);
        JsonNode both = recorded.json().get("all");
        assertThat(both.get("mean_reward").asDouble()).isEqualTo(0.75);
        assertThat(both.get("solved_rate").asDouble()).isEqualTo(0.5);
        assertThat(both.at("/pass/0/pass_at_k").asDouble()).isEqualTo(0.5);
        assertThat(recorded.report().out())
                .contains("1 run is without a reward: in no mean, and in no rate but where it failed");
    }

    @Test
    void reward_thatIsNotFinite_isInNoTotal_andIsCountedAndSaid() {
        recorded.completed("a", "s1", 1);
        total("s2", Double.POSITIVE_INFINITY);
        assertThat(recorded.report().out())
                .contains("1 reward is not finite and in no total: a run counts with the others it has, or with 0");
        total("s3", 0.5, Double.NEGATIVE_INFINITY);
        recorded.record(Recorded.spec("a", "s4"), run -> {
            run.rewardAbsent("judge", "it was down");
            run.complete(null);
        });
        JsonNode all = recorded.json().get("all");
        assertThat(all.get("not_finite_rewards").asInt()).isEqualTo(2);
        assertThat(all.get("absent_rewards").asInt()).isEqualTo(1);
        assertThat(all.get("mean_reward").asDouble()).isEqualTo(0.5);
        assertThat(all.get("mean_reward_runs").asInt()).isEqualTo(3);
        assertThat(recorded.report().out()).contains("2 rewards are not finite and in no total: ");
        assertThat(recorded.report("--csv").out().lines().findFirst().orElseThrow())
                .contains(",absent_rewards,not_finite_rewards,");
    }

    @Test
    void reward_outsideItsRange_counts_andIsSaid() {
        recorded.record(Recorded.spec("a", "s1"), run -> {
            run.reward("judge", Reward.of(1.5).min(0.0).max(1.0).build());
            run.reward("judge", Reward.of(1).min(0.0).max(1.0).build());
            run.complete(null);
        });
        JsonNode all = recorded.json().get("all");
        assertThat(all.get("out_of_range_rewards").asInt()).isEqualTo(1);
        assertThat(all.get("total_reward").asDouble()).isEqualTo(2.5);
        assertThat(recorded.report().out())
                .contains("1 reward is outside the range that the source promises, and counted as given");
    }

    @Test
    void lossesOfSinks_areSaid() throws IOException {
        recorded.completed("a", "s1", 1);
        assertThat(recorded.json().get("losses")).isEmpty();
        Path writer;
        try (var folders = Files.list(directory)) {
            writer = folders.sorted().findFirst().orElseThrow();
        }
        String account =
                "{\"offered\":10,\"delivered\":3,\"dropped\":{\"not_sampled\":2,\"queue_full\":5},\"queued\":0}";
        Files.writeString(
                writer.resolve("events-1.jsonl"),
                "{\"type\":\"ledger_reported\",\"time\":\"2026-03-01T10:20:30.000000000Z\",\"sinks\":{\"otel\":"
                        + account + "}}\n",
                StandardOpenOption.APPEND);

        JsonNode losses = recorded.json().get("losses");
        assertThat(losses).hasSize(1);
        assertThat(losses.get(0).toString())
                .isEqualTo("{\"sink\":\"otel\",\"offered\":10,\"lost\":{\"queue_full\":5},\"writers\":[\""
                        + writer.getFileName() + "\"]}");
        String note = "the journal's own ledger tells that sink 'otel' lost 5 of 10 events (queue_full 5) in writer "
                + writer.getFileName();
        assertThat(recorded.report().out()).contains(note);
        assertThat(recorded.report("--csv").err()).contains(note);
    }

    @Test
    void damage_andMissingEvents_areSaid() throws IOException {
        recorded.completed("a", "s1", 1);
        recorded.completed("a", "s2", 1);
        try (var folders = Files.list(directory)) {
            Path file = folders.sorted().findFirst().orElseThrow().resolve("events-1.jsonl");
            List<String> lines = Files.readAllLines(file);
            String reward = lines.stream()
                    .filter(line -> line.contains("reward_given"))
                    .findFirst()
                    .orElseThrow();
            lines.set(lines.indexOf(reward), "{\"type\":\"rew");
            Files.write(file, lines);
        }
        JsonNode report = recorded.json();
        assertThat(report.get("damaged_lines").asInt()).isEqualTo(1);
        assertThat(report.at("/all/incomplete_runs").asInt()).isEqualTo(1);
        assertThat(report.at("/all/total_reward").asDouble()).isEqualTo(2);
        assertThat(recorded.report().out())
                .contains("1 damaged line was passed over", "1 run lacks events in the journal");
        assertThat(recorded.report("--csv").err()).contains("1 damaged line was passed over");
    }
}
