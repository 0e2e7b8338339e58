package dev.rlm.runner.rescore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.recorded.LateScores;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.RewardNeed;
import dev.rlm.episodes.Trajectory;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class RescoreTest {
    private static final String EXACT = "score:exact@2";

    @TempDir
    Path folder;

    private ScoredJournal journal;

    @BeforeEach
    void make() {
        journal = new ScoredJournal(folder.resolve("journal"));
    }

    private void recordFour() {
        journal.answered("right", "a", "7", 1);
        journal.answered("wrong", "a", "8", 1);
        journal.answered("missed", "b", "7.0", 0);
        journal.record(ScoredJournal.spec("failed", "b").build(), run -> run.fail(new IOException("gone")));
    }

    @Test
    void scores_areAddedBesideTheRewards_andChangeNothing() throws IOException {
        recordFour();
        List<Path> before = journal.writers();
        String text = Files.readString(before.get(0).resolve("events-1.jsonl"));
        String listed = journal.run("list").out();
        JsonNode reported = journal.json("report").get("all");

        JsonNode rescored = journal.json("rescore", "--reward", "exact", "--version", "2");

        assertThat(rescored.get("scored").intValue()).isEqualTo(3);
        assertThat(rescored.at("/lacks/0/reason").asString()).isEqualTo("it is failed");
        assertThat(rescored.at("/lacks/0/run_ids/0").asString()).isEqualTo("failed");
        assertThat(rescored.at("/verdicts/runs").intValue()).isEqualTo(3);
        assertThat(rescored.at("/verdicts/solved_to_not").intValue()).isEqualTo(1);
        assertThat(rescored.at("/verdicts/not_to_solved").intValue()).isEqualTo(1);
        assertThat(rescored.at("/verdicts/kappa").doubleValue()).isEqualTo(-0.5, within(1e-9));
        assertThat(rescored.at("/reward/samples").intValue()).isEqualTo(2);
        assertThat(rescored.at("/reward/difference").doubleValue()).isEqualTo(0.25, within(1e-9));
        assertThat(journal.scores(EXACT)).hasSize(3).allSatisfy((run, score) -> {
            assertThat(score.value()).isEqualTo(run.equals("wrong") ? 0 : 1);
            assertThat(score.kind()).isEqualTo(RewardGiven.Kind.CODE);
        });
        assertThat(journal.writers()).containsExactlyInAnyOrderElementsOf(before);
        assertThat(Files.readString(before.get(0).resolve("events-1.jsonl"))).startsWith(text);
        assertThat(journal.run("list").out()).isEqualTo(listed);
        JsonNode after = journal.json("report").get("all");
        assertThat(after.get("mean_reward")).isEqualTo(reported.get("mean_reward"));
        assertThat(after.get("solved_rate")).isEqualTo(reported.get("solved_rate"));
        assertThat(after.get("late_rewarded_runs").intValue()).isZero();
        assertThat(journal.run("report", "--pass-reward", "1").out()).contains("1.000");
    }

    /** Solutions of four models, which their environment judged as they were run. */
    @Test
    void recordedSolutions_scoredAgain_haveTheRewardsThatTheyGot() {
        String solutions = System.getenv("GSM8K_SOLUTIONS");
        assumeTrue(solutions != null, "GSM8K_SOLUTIONS names no file of recorded solutions");
        Map<String, String> variables =
                Map.of("RLM_JSONL_DIR", journal.directory().toString());
        Cli job = Cli.with(variables, "run", "--policy", "recorded", "--dataset", solutions, "--limit", "300");
        assertThat(job.exitCode()).as(job.err()).isZero();

        JsonNode rescored = journal.json("rescore", "--reward", "exact", "--version", "1");

        assertThat(rescored.get("scored").intValue()).isEqualTo(1_200);
        assertThat(rescored.at("/verdicts/solved_to_not").intValue()).isZero();
        assertThat(rescored.at("/verdicts/not_to_solved").intValue()).isZero();
        assertThat(rescored.at("/verdicts/kappa").doubleValue()).isEqualTo(1);
        assertThat(rescored.at("/reward/difference").doubleValue()).isZero();
    }

    @Test
    void scoresOfAVersion_areGivenOnce_andReportTellsVersionsApart() {
        recordFour();
        journal.json("rescore", "--reward", "exact", "--version", "2");

        JsonNode again = journal.json("rescore", "--reward", "exact", "--version", "2");
        journal.json("rescore", "--reward", "exact=0.5,format=0.5", "--name", "exact", "--version", "3");
        journal.json("rescore", "--reward", "exact", "--version", "4", "--outcome", "completed", "--sample", "b");

        assertThat(again.get("scored").intValue()).isZero();
        assertThat(again.get("skipped").intValue()).isEqualTo(3);
        assertThat(again.at("/verdicts/runs").intValue()).isEqualTo(3);
        JsonNode scores = journal.json("report").at("/all/scores");
        assertThat(scores).hasSize(3);
        assertThat(scores.at("/0/version").asString()).isEqualTo("2");
        assertThat(scores.at("/0/kind").asString()).isEqualTo("code");
        assertThat(scores.at("/0/runs").intValue()).isEqualTo(3);
        assertThat(scores.at("/0/mean").doubleValue()).isEqualTo(2.0 / 3, within(1e-9));
        assertThat(scores.at("/1/mean").doubleValue()).isEqualTo(2.5 / 3, within(1e-9));
        assertThat(scores.at("/2/runs").intValue()).isEqualTo(1);
        assertThat(journal.run("report").out()).contains("SCORES OF RECORDED RUNS");
        assertThat(journal.run("show", "right").out()).contains("score:exact@3");
        assertThat(journal.run("rescore", "--reward", "exact", "--version", "2").out())
                .contains("skipped    3 runs", "flips      1 solved to not solved, 1 not solved to solved");
    }

    @Test
    void scores_thatDecide_countInTotals_andSayWhichRunsAreSolved() {
        recordFour();
        journal.record(ScoredJournal.spec("open", "c").build(), run -> run.complete("7"));
        journal.json("rescore", "--reward", "exact", "--version", "2");
        assertThat(listed()).contains("right true 1.0", "wrong true 1.0", "missed false 0.0", "open - -", "failed - -");

        JsonNode decided = journal.json("rescore", "--reward", "exact", "--version", "2", "--decide");

        assertThat(decided.get("skipped").intValue()).isEqualTo(4);
        List<String> after = listed();
        assertThat(after)
                .contains("right true 2.0", "wrong false 1.0", "missed true 1.0", "open true 1.0", "failed - -");
        assertThat(journal.json("report").at("/all/solved_rate").doubleValue())
                .isEqualTo(0.6); // the failed one has not solved its task
        journal.json("rescore", "--reward", "exact", "--version", "2", "--decide");
        assertThat(listed()).isEqualTo(after);

        journal.json("rescore", "--reward", "exact=0.5", "--version", "3", "--decide");
        assertThat(listed()) // the last one decides
                .contains("right false 2.5", "wrong false 1.0", "missed false 1.5", "open false 1.5");
        assertThat(journal.run("show", "right").out()).contains("decides: solved", "decides: not solved");
    }

    private List<String> listed() {
        return journal.run("list", "--json").lines().stream()
                .map(line -> new ObjectMapper().readTree(line))
                .map(run -> run.get("run_id").asString()
                        + " " + run.path("solved").asString("-")
                        + " " + run.path("total_reward").asString("-"))
                .toList();
    }

    /** As retention by age does it. */
    @Test
    void scoresOfRunsThatAreGone_areNoRuns_areTold_andCanBeDeleted() throws IOException {
        recordFour();
        List<Path> recorded = journal.writers();
        for (Path older : recorded) {
            Files.createFile(older.resolve("kept-apart")); // none goes on beside what is not the journal's
        }
        journal.json("rescore", "--reward", "exact", "--version", "2");
        for (Path older : recorded) {
            journal.deleteWriter(older);
        }
        journal.answered("later", "a", "7", 1);

        Cli listed = journal.run("list");
        assertThat(listed.out())
                .contains("later", "1 of 1 runs; scores are left of 3 runs that are gone, such as ", "rlm delete")
                .doesNotContain("running", "abandoned");
        assertThat(journal.run("list", "--json").err()).contains("scores are left of 3 runs");
        assertThat(journal.json("report").at("/all/runs").intValue()).isEqualTo(1);
        assertThat(journal.run("show", "wrong").out()).contains(EXACT);

        assertThat(journal.run("delete", "wrong", "--yes").exitCode()).isZero();
        assertThat(journal.run("list").out()).contains("scores are left of 2 runs");
        assertThat(journal.run("delete", "--outcome", "abandoned", "--yes").exitCode())
                .isZero();
        assertThat(journal.run("list").out()).contains("1 of 1 runs").doesNotContain("scores are left of");
    }

    /** Its number is one that the score could have had. */
    @Test
    void rewardThatComesAfterAScore_fromTheRunsOwnWriter_countsAsAlways() {
        try (Sinks sinks = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(journal.directory()).build())
                .build()) {
            try (Run run = sinks.startRun(ScoredJournal.spec("live", "a").build())) {
                run.reward(1);
                run.complete("7");
            }
            assertThat(sinks.flush(Duration.ofSeconds(60)).isComplete()).isTrue();
            journal.json("rescore", "--reward", "exact", "--version", "2");
            sinks.reward("live", "person", 0.5, List.of());
        }

        JsonNode all = journal.json("report").get("all");
        assertThat(all.get("mean_reward").doubleValue()).isEqualTo(1.5);
        assertThat(all.get("late_rewarded_runs").intValue()).isEqualTo(1);
        assertThat(journal.scores(EXACT)).containsOnlyKeys("live");
    }

    @Test
    void runsThatLackWhatIsNeeded_areCountedAndNamed() throws IOException {
        String secret = "sk-proj-" + "Ab1".repeat(16);
        journal.answered("secret", "a", "it is " + secret, 1);
        journal.record(ScoredJournal.spec("cut", "a").build(), run -> run.truncate("max_steps", null));
        journal.record(ScoredJournal.spec("silent", "a").build(), run -> run.complete(null));
        journal.record(ScoredJournal.spec("open", "a").expectedAnswer("").build(), run -> run.complete("7"));

        JsonNode rescored = journal.json("rescore", "--reward", "exact", "--version", "2");

        assertThat(rescored.get("lacking").intValue()).isEqualTo(3);
        assertThat(rescored.get("lacks").toString())
                .contains("\"it has no true answer\"", "\"it has no answer\"", "\"its answer was redacted or cut\"");
        assertThat(journal.scores(EXACT))
                .hasSize(1)
                .hasEntrySatisfying("cut", score -> assertThat(score.value()).isZero());
    }

    @Test
    void functionOfAClass_seesTheStepsAsRecorded() {
        journal.answered("right", "a", "7", 1);

        Cli done =
                journal.run("rescore", "--reward", Codes.class.getName() + "=2", "--name", "codes", "--version", "1");

        assertThat(done.exitCode()).as(done.err()).isZero();
        assertThat(journal.score("score:codes@1", "right").value()).isEqualTo(2);
    }

    @Test
    void functionThatFails_givesNoScore_andIsTriedAgain() {
        journal.answered("right", "a", "7", 1);

        Cli failed = journal.run(
                "rescore", "--reward", "probe", "--set", "probe.does=throw", "--version", "1", "--name", "p");
        Cli again =
                journal.run("rescore", "--reward", "probe", "--set", "probe.does=0.5", "--version", "1", "--name", "p");

        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.out()).contains("failed     1 run: probe: java.lang.IllegalStateException: no judge (right)");
        assertThat(again.exitCode()).isZero();
        assertThat(journal.scores("score:p@1")).hasSize(1);
    }

    @Test
    void functionThatNeedsTokens_seesThoseOfTheAgentsCalls_andIsRefusedWhileRunsGoOn() throws IOException {
        journal.record(ScoredJournal.spec("sampled", "a").build(), run -> {
            call(run, new TokenTrace(List.of(1, 2), List.of(3, 4), List.of(-0.5, -0.25), null));
            call(run, new TokenTrace(List.of(1, 2, 3, 4, 5), List.of(6), List.of(-1.0), null));
            try (Evaluation judge = run.startEvaluation("judge");
                    ModelCall call = judge.startModelCall("p", "m")) {
                call.reply("7").tokens(new TokenTrace(List.of(9), List.of(9, 9, 9), List.of(), null));
            }
            run.complete("7");
        });
        journal.record(ScoredJournal.spec("text", "a").build(), run -> {
            call(run, new TokenTrace(List.of(), List.of(), List.of(), "w7"));
            run.complete("7");
        });
        journal.answered("mute", "a", "7", 1);
        String[] tokens = {"--reward", "probe", "--set", "probe.does=tokens"};

        JsonNode rescored = journal.json(
                "rescore", tokens[0], tokens[1], tokens[2], tokens[3], "--name", "tokens", "--version", "1");

        assertThat(journal.score("score:tokens@1", "sampled").value()).isEqualTo(3);
        assertThat(journal.scores("score:tokens@1")).hasSize(1);
        assertThat(rescored.get("lacks").toString())
                .contains("\"it has no model calls\"", "\"token ids of its model calls are missing\"");
        List<Path> before = journal.writers();
        Cli refused = Cli.with(
                Map.of("RLM_JSONL_DIR", journal.directory().toString()),
                Stream.concat(Stream.of("run"), Stream.of(tokens)).toArray(String[]::new));
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err())
                .contains("reward probe looks at tokens, which are not at hand while runs go on: rlm rescore");
        assertThat(journal.writers()).containsExactlyInAnyOrderElementsOf(before);
    }

    private static void call(Run run, TokenTrace tokens) {
        try (Step step = run.startStep();
                ModelCall call = step.startModelCall("p", "m")) {
            call.message("user", "3 + 4?").reply("7").tokens(tokens);
        }
    }

    @ParameterizedTest
    @CsvSource({"environment, environment", "dev.rlm.runner.rescore.RescoreTest$Watching, the environment"})
    void functionThatNeedsTheEnvironment_isRefused_andNothingIsWritten(String reward, String told) throws IOException {
        journal.answered("right", "a", "7", 1);
        List<Path> before = journal.writers();

        Cli refused = journal.run("rescore", "--reward", reward, "--name", "x", "--version", "1");

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains(told, "nothing was written");
        assertThat(journal.writers()).containsExactlyInAnyOrderElementsOf(before);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--version 1 | expected either --reward or --judge",
                "--reward exact --judge http://localhost/v1 m --version 1 | expected either --reward or --judge",
                "--reward exact | Missing required option: '--version=V'",
                "--reward exact --version a@b | the version 'a@b' is not valid",
                "--reward exact,format --version 1 | the name 'exact+format' is not valid",
                "--reward exakt --version 1 | unknown reward 'exakt'",
                "--reward com.example.None --version 1 | com.example.None is not found",
                "--reward java.lang.String --version 1 | is no reward function",
                "--reward exact=much --version 1 | --reward 'exact=much' is not valid",
                "--reward exact --version 1 --parallel 0 | --parallel=0 is not valid",
                "--reward exact --version 1 --pass-reward NaN | --pass-reward=NaN is not valid",
                "--reward exact --version 1 --set probe.does=1 | --set probe.does is for nothing that was chosen",
                "--reward exact --version 1 --samples 2 | --samples is for --judge alone",
                "--judge http://localhost/v1 m --version 1 --set probe.does=1 | --set is for --reward alone",
                "--judge http://localhost/v1 m --version 1 | --judge needs a --rubric",
                "--judge http://localhost/v1 m --version 1 --rubric none.txt | --rubric none.txt cannot be read",
                "--judge http://localhost/v1 m --version 1 --samples 0 | --samples=0 is not valid",
            })
    void badInput_isRefusedInALine(String options, String told) throws IOException {
        journal.answered("right", "a", "7", 1);
        List<Path> before = journal.writers();

        Cli refused = journal.run("rescore", options.split(" "));

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains(told);
        assertThat(refused.err().lines()).hasSize(1);
        assertThat(journal.writers()).containsExactlyInAnyOrderElementsOf(before);
    }

    @Test
    void journalThatIsNone_orOneWritersOwn_orBeingScored_isRefused() throws IOException {
        assertThat(journal.run("rescore", "--reward", "exact", "--version", "1").exitCode())
                .isEqualTo(2);
        journal.answered("right", "a", "7", 1);
        ScoredJournal writer = new ScoredJournal(journal.writers().get(0));
        assertThat(writer.run("rescore", "--reward", "exact", "--version", "1").err())
                .contains("is the folder of one writer");
        try (LateScores scores = new LateScores(journal.directory(), SinkConfig.of(Map.of()), List.of())) {
            Cli refused = journal.run("rescore", "--reward", "exact", "--version", "1");
            assertThat(refused.exitCode()).isEqualTo(2);
            assertThat(refused.err()).contains("another process is giving scores");
            assertThat(scores.finish()).isEmpty();
        }
        assertThat(journal.run("rescore", "--reward", "exact", "--version", "1").exitCode())
                .isZero();
    }

    /** Counts the steps with a code. */
    public static final class Codes implements RewardFunction {
        @Override
        public double reward(Trajectory trajectory) {
            assertThat(trajectory.sample().task()).isEqualTo("What is 3 + 4?");
            assertThat(trajectory.maxSteps()).isEqualTo(5);
            return trajectory.steps().stream()
                    .filter(step -> step.get(0).action().code().equals("7")
                            && step.get(0).answer().done())
                    .count();
        }
    }

    /** Looks at the environment. */
    public static final class Watching implements RewardFunction {
        @Override
        public double reward(Trajectory trajectory) {
            return 1;
        }

        @Override
        public Set<RewardNeed> needs() {
            return Set.of(RewardNeed.ENVIRONMENT);
        }
    }
}
