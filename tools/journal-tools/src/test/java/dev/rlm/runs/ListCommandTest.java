package dev.rlm.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.Usage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

class ListCommandTest {
    @TempDir
    Path directory;

    private Recorded recorded;

    @BeforeEach
    void record() {
        recorded = new Recorded(directory);
        try (Sinks sinks = recorded.open()) {
            Recorded.record(
                    sinks,
                    Recorded.spec("solved")
                            .agent("solver", "1.4.0")
                            .expectedAnswer("7")
                            .tag("team", "red")
                            .correlation(Recorded.ids("s-1", "r-1", "train"))
                            .build(),
                    Recorded::solve);
            Recorded.record(
                    sinks,
                    RunSpec.builder("python")
                            .runId("failed")
                            .model("other")
                            .correlation(Recorded.ids("s-2", "r-2", "test"))
                            .build(),
                    run -> {
                        run.reward(-0.5);
                        run.fail(RunStatus.INTERNAL, new IllegalStateException("broken"));
                    });
            Recorded.record(sinks, Recorded.spec("aborted").build(), run -> run.abort("stop"));
            Recorded.record(sinks, Recorded.spec("absent").build(), run -> {
                run.rewardAbsent("judge", "timed out");
                run.complete(null);
            });
        }
    }

    @Test
    void index_isKeptWhereItIsAskedFor_andListsTheSame() throws Exception {
        Cli without = recorded.list("--index", "none");
        try (Stream<Path> files = Files.walk(directory)) {
            FileTime old = FileTime.from(Instant.now().minusSeconds(60));
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(file, old);
            }
        }
        Path folder = directory.resolveSibling(directory.getFileName() + "-index");

        assertThat(recorded.list("--index", folder.toString())).isEqualTo(without);
        assertThat(folder).isNotEmptyDirectory();
        assertThat(recorded.list("--index", folder.toString())).isEqualTo(without);
        assertThat(recorded.show("solved", "--index", folder.toString()))
                .isEqualTo(recorded.show("solved", "--index", "none"));
    }

    /** A hundred megabytes of them are in the journal. */
    @Tag("thorough")
    @Test
    void tasksAndAnswers_areNotKeptInMemory() throws Exception {
        String text = "all work and no play ".repeat(10_000);
        Path journal = directory.resolve("large");
        Recorded large = new Recorded(journal);
        try (Sinks sinks = large.open()) {
            for (int i = 0; i < 250; i++) {
                try (Run run = sinks.startRun(
                        RunSpec.builder("calc").runId("run-" + i).task(text).build())) {
                    run.complete(text);
                }
                assertThat(sinks.flush(Duration.ofSeconds(60)).isComplete()).isTrue();
            }
        }
        assertThat(SmallHeap.run(directory, 64, "list", "--limit", "2", "--journal", journal.toString()))
                .contains("run-249")
                .endsWith("2 of 250 runs\n");
    }

    @Test
    void table_showsARunALine_andTheCount() {
        Cli result = recorded.list();
        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.lines()).hasSize(6);
        assertThat(result.lines().get(0)).startsWith("run ").endsWith("duration  failure");
        assertThat(result.lines().get(1))
                .matches("solved +2026-03-01 10:20:30 +calc +a-model +s-1 +completed +yes +4 +\\+0.9 +\\d+.\\d+ms");
        assertThat(result.lines().get(2))
                .matches("failed .* python +other +s-2 +failed +no +0 +-0.5 .* IllegalStateException");
        assertThat(result.lines().get(4)).contains(" absent ");
        assertThat(result.lines().get(5)).isEqualTo("4 of 4 runs");
    }

    @Test
    void errorWithinAClass_isNamedWithoutIt() {
        recorded.record(of("nested", "e").build(), run -> run.fail(RunStatus.INTERNAL, new NestedException()));
        assertThat(recorded.list("--failure=NestedException").lines().get(1)).endsWith(" NestedException");
    }

    private static final class NestedException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({
        "--environment=python, failed",
        "--model=a-model, solved aborted absent",
        "--outcome=completed, solved absent",
        "--outcome=failed, failed",
        "--outcome=aborted, aborted",
        "--outcome=abandoned, ''",
        "--outcome=running, ''",
        "--sample=s-1, solved",
        "--rollout=r-2, failed",
        "--split=train, solved",
        "--tag=team=red, solved",
        "--tag=team=blue, ''",
        "--reward=-1..0, failed aborted",
        "--reward=0.5.., solved",
        "--reward=..-0.5, failed",
        "--steps=4, solved",
        "--steps=..3, failed aborted absent",
        "--duration=..1h, solved failed aborted absent",
        "--duration=1h.., ''",
        "--duration=10ms.., solved",
        "--solved, solved",
        "--no-solved, failed aborted absent",
        "--failure=IllegalStateException, failed",
        "--failure=java.lang.IllegalStateException, failed",
        "--failure=Exception, ''",
        "--experiment=e, ''",
        "--limit=2, aborted absent",
        "--limit=0, ''",
    })
    void filter_keepsWhatFits(String option, String runs) {
        Cli result = recorded.list(option);
        assertThat(result.exitCode()).isZero();
        List<String> expected = runs.isEmpty() ? List.of() : List.of(runs.split(" ", -1));
        assertThat(result.lines()
                        .subList(expected.isEmpty() ? 0 : 1, result.lines().size() - 1))
                .extracting(line -> line.substring(0, line.indexOf(' ')))
                .isEqualTo(expected);
        assertThat(result.out()).endsWith(expected.size() + " of 4 runs" + System.lineSeparator());
    }

    @Test
    void costsTokensAndTools_filter_overTheCallsThatTellThem() {
        recorded.record(Recorded.spec("spender").correlation(ofJob("job-17")).build(), run -> {
            call(run, new Usage(100L, 20L, null, null), 0.1);
            call(run, new Usage(null, 5L, null, null), 0.2);
            run.complete("");
        });
        recorded.record(Recorded.spec("silent").correlation(ofJob("job-2")).build(), run -> {
            call(run, Usage.UNKNOWN, null);
            run.complete("");
        });
        assertThat(listed("--total-tokens=125")).containsExactly("spender");
        assertThat(listed("--total-tokens=..124")).isEmpty();
        assertThat(listed("--cost=..0.3")).containsExactly("spender");
        assertThat(listed("--cost=0.31..")).isEmpty();
        assertThat(listed("--tool=calculator")).containsExactly("solved");
        assertThat(listed("--tool=calculator", "--cost=0..")).isEmpty();
        assertThat(listed("--invocation=job-1")).containsExactly("spender");
        assertThat(listed("--invocation=job-")).containsExactly("spender", "silent");
    }

    private List<String> listed(String... options) {
        List<String> lines = recorded.list(options).lines();
        return lines.subList(Math.min(1, lines.size() - 1), lines.size() - 1).stream()
                .map(line -> line.substring(0, line.indexOf(' ')))
                .toList();
    }

    private static Correlation ofJob(String id) {
        return Correlation.builder().invocation(id).build();
    }

    private static void call(Run run, Usage usage, @Nullable Double cost) {
        try (Step step = run.startStep();
                ModelCall call = step.startModelCall("p", "m")) {
            call.reply("").usage(usage);
            if (cost != null) {
                call.cost(cost, "USD");
            }
        }
    }

    @Test
    void placeInTraining_isShownWhereARunHasOne_andFilters() {
        for (int epoch = 1; epoch <= 2; epoch++) {
            recorded.record(
                    Recorded.spec("epoch-" + epoch)
                            .correlation(Correlation.builder()
                                    .experiment("lr-sweep")
                                    .epoch(epoch)
                                    .trainStep(100L * epoch)
                                    .policyVersion("v" + epoch)
                                    .trajectoryIndex(epoch - 1)
                                    .build())
                            .build(),
                    run -> run.complete("7"));
        }

        Cli result = recorded.list("--model=a-model");
        assertThat(result.lines().get(0)).endsWith("duration  experiment  epoch  train step  policy  trajectory");
        assertThat(result.lines().get(5)).matches("epoch-2 .* lr-sweep +2 +200 +v2 +1");
        assertThat(ids("--experiment=lr-sweep")).containsExactly("epoch-1", "epoch-2");
        assertThat(ids("--epoch=2")).containsExactly("epoch-2");
        assertThat(ids("--train-step=..150")).containsExactly("epoch-1");
        assertThat(ids("--policy-version=v1")).containsExactly("epoch-1");
        assertThat(ids("--trajectory-index=1..")).containsExactly("epoch-2");
        assertThat(recorded.list("--epoch=2", "--json").out())
                .contains(
                        "\"experiment_id\":\"lr-sweep\"",
                        "\"epoch\":2",
                        "\"train_step\":200",
                        "\"policy_version\":\"v2\"",
                        "\"trajectory_index\":1");
        assertThat(recorded.list("--outcome=failed", "--json").out())
                .contains("\"failure\":\"java.lang.IllegalStateException\"")
                .doesNotContain("agent", "expected_answer");
        assertThat(recorded.list("--solved", "--json").out())
                .contains("\"agent\":\"solver\",\"agent_version\":\"1.4.0\",\"expected_answer\":\"7\"");
    }

    @Test
    void counts_tellHowManyMatch_whereNotAllOfThemAreShown() {
        assertThat(recorded.list("--model=a-model", "--limit=1").lines())
                .last()
                .isEqualTo("1 of 3 that match, of 4 runs");
        assertThat(recorded.list("--model=a-model", "--limit=1", "--json").err())
                .isEmpty();
    }

    @Test
    void rewardThatCameOnlyLate_decidesTheRun_andIsInItsTotal() {
        late("first-late", List.of(), 1);
        late("again-late", List.of(0.0), 1);
        late("absent-late", List.of(1.0), Double.NaN);
        late("open", List.of(), Double.NaN);
        assertThat(recorded.list().lines())
                .anyMatch(line -> line.matches("first-late .* completed +yes +0 +\\+1 .*"))
                .anyMatch(line -> line.matches("again-late .* completed +no +0 +\\+1 .*"))
                .anyMatch(line -> line.matches("absent-late .* completed +yes +0 +absent .*"))
                .anyMatch(line -> line.matches("open .* completed +undecided +0 +absent .*"));
        assertThat(ids("--undecided")).containsExactly("aborted", "open");
        assertThat(ids("--no-solved")).containsExactly("failed", "absent", "again-late");
        assertThat(ids("--solved")).containsExactly("solved", "first-late", "absent-late");
        assertThat(ids("--reward=1..1")).containsExactly("first-late", "again-late");
        assertThat(recorded.list("--undecided", "--json").lines().get(1))
                .contains("\"undecided\":true", "\"total_reward\":0.0,\"absent_rewards\":1,\"late_rewards\":1")
                .doesNotContain("\"solved\"");
        assertThat(recorded.list("--solved", "--json").lines().get(1))
                .contains("\"solved\":true,\"undecided\":false", "\"total_reward\":1.0,\"absent_rewards\":0");
    }

    @Test
    void runWithoutReward_isNeitherSolvedNorUnsolved_andHasNoFields() {
        Recorded open = new Recorded(directory.resolve("open"));
        open.record(of("s-1", "none").build(), run -> run.complete("7"));
        open.record(of("s-1", "zero").build(), run -> {
            run.reward(0);
            run.complete("7");
        });
        assertThat(open.list().lines())
                .anyMatch(line -> line.matches("none .* completed +- +0 +- .*"))
                .anyMatch(line -> line.matches("zero .* completed +no +0 +0 .*"));
        List<String> json = open.list("--json").lines();
        assertThat(json.get(0))
                .contains("\"run_id\":\"none\"", "\"undecided\":false")
                .doesNotContain("\"solved\"", "\"total_reward\"");
        assertThat(json.get(1)).contains("\"run_id\":\"zero\"", "\"solved\":false", "\"total_reward\":0.0");
        assertThat(open.list("--no-solved").lines()).last().isEqualTo("1 of 2 runs");
        assertThat(open.list("--by", "sample", "--json").out())
                .contains("\"runs\":2,\"decided\":1,\"solved\":0", "\"mean_reward\":0.0", "\"result\":\"no_reward\"");
    }

    private void late(String runId, List<Double> before, double after) {
        try (Sinks sinks = recorded.open()) {
            try (Run run = sinks.startRun(Recorded.spec(runId).build())) {
                before.forEach(run::reward);
                run.complete("7");
            }
            assertThat(sinks.reward(runId, "person", after, List.of())).isTrue();
        }
    }

    private List<String> ids(String option) {
        return recorded.list(option, "--json").lines().stream()
                .map(line -> line.replaceFirst(".*\"run_id\":\"([^\"]*)\".*", "$1"))
                .toList();
    }

    @Test
    void colours_tellWhatIsBad() {
        String out = recorded.inColours(new ListCommand());
        assertThat(out).contains("\u001B[31mfailed\u001B[0m", "\u001B[31mno\u001B[0m", "\u001B[32myes\u001B[0m");
        assertThat(out.replaceAll("\u001B\\[\\d+m", ""))
                .isEqualTo(recorded.list().out());
    }

    @Test
    void range_asAWordOfItsOwn_mayBeNegative() {
        assertThat(recorded.list("--reward", "-1..-0.2").out()).contains("1 of 4 runs");
    }

    @Test
    void run_thatGoesOn_isRunning() {
        try (Sinks sinks = recorded.open();
                Run run = sinks.startRun(Recorded.spec("live").build())) {
            run.reward(0.25);
            sinks.flush(Duration.ofSeconds(20));
            assertThat(recorded.list("--outcome", "running").lines().get(1)).matches("live .* running +0 +\\+0.25 .*");
        }
    }

    @Test
    void json_isAnObjectALine_andNothingElse() throws IOException {
        damage();
        Cli result = recorded.list("--json");
        assertThat(result.lines()).hasSize(4).allSatisfy(ListCommandTest::isJson);
        assertThat(result.lines().get(0))
                .contains(
                        "\"run_id\":\"solved\"", "\"state\":\"completed\"", "\"solved\":true", "\"sample_id\":\"s-1\"");
        assertThat(result.err()).isEqualToIgnoringNewLines("1 damaged line was passed over");
    }

    @Test
    void damage_isSaid() throws IOException {
        damage();
        assertThat(recorded.list().lines()).last().isEqualTo("4 of 4 runs; 1 damaged line was passed over");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--reward=x",
                "--reward=..",
                "--reward=1..0",
                "--reward=NaN..",
                "--duration=5",
                "--duration=1x..",
                "--steps=1.5..",
                "--outcome=great",
                "--epoch=first",
                "--train-step=2..1",
                "--limit=-1",
                "--limit=many",
                "--unknown"
            })
    void option_thatIsWrong_isAUsageError(String option) {
        Cli result = recorded.list(option);
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).isNotBlank().doesNotContain("\tat ");
    }

    @Test
    void journal_thatIsNotThere_isAnErrorOfOneLine() {
        Cli result = new Recorded(directory.resolve("none")).list();
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err().lines())
                .containsExactly(
                        "rlm: there is no journal at " + directory.resolve("none") + ": there is no such folder");
    }

    private void damage() throws IOException {
        try (var folders = Files.list(directory)) {
            Path file = folders.findFirst().orElseThrow().resolve("events-1.jsonl");
            Files.writeString(file, "{\"type\":\"step_", StandardOpenOption.APPEND);
        }
    }

    private static void isJson(String line) {
        try (JsonParser json = new JsonFactory().createParser(ObjectReadContext.empty(), line)) {
            json.nextToken();
            json.skipChildren();
            assertThat(json.nextToken()).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "reward, failed solved aborted absent",
        "-reward, solved failed aborted absent",
        "-reward --limit 2, solved failed",
        "steps --limit 2, failed aborted",
        "-steps, solved failed aborted absent",
        "-started, absent aborted failed solved",
        "environment, solved aborted absent failed",
        "-model, failed solved aborted absent",
        "sample, solved failed aborted absent",
        "-sample, failed solved aborted absent",
        "state, aborted solved absent failed",
        "-duration --limit 1, solved",
    })
    void sort_ordersRuns_absentOnesLast_equalOnesByTheirStarts(String options, String runs) {
        List<String> lines = recorded.list(("--sort " + options).split(" ", -1)).lines();
        assertThat(lines.subList(1, lines.size() - 1))
                .extracting(line -> line.substring(0, line.indexOf(' ')))
                .containsExactly(runs.split(" ", -1));
    }

    @Test
    void sort_byNames_countsNumbersByTheirSize() {
        for (String sample : List.of("s-10", "s-9")) {
            recorded.record(
                    Recorded.spec("of-" + sample)
                            .tag("own", "yes")
                            .correlation(Recorded.ids(sample, "r", "train"))
                            .build(),
                    run -> run.complete(""));
        }
        assertThat(recorded.list("--tag", "own=yes", "--sort", "sample").lines())
                .extracting(line -> line.split(" ", -1)[0])
                .containsExactly("run", "of-s-9", "of-s-10", "2");
    }

    @ParameterizedTest
    @CsvSource({
        "--sort rewards, 'started, duration, reward, steps, environment, model, sample, state,'",
        "--sort -rewards, 'started, duration, reward,'",
        "--by sample --sort state, 'sample, environment, model, started, runs, solved-rate, reward, steps,'",
        "--by model, [sample]",
        "--by sample --limit -1, at least 0",
    })
    void orderOrGroup_thatIsNotKnown_isAnErrorThatNamesTheKnown(String options, String message) {
        Cli result = recorded.list(options.split(" ", -1));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains(message).hasLineCount(1);
    }

    /** Two samples in a journal of their own: one with every kind of end, one solved. */
    private Recorded samples() {
        Recorded samples = new Recorded(directory.resolve("samples"));
        samples.record(of("s-10", "a").build(), Recorded::solve);
        samples.record(of("s-10", "b").build(), run -> {
            run.reward(0.5);
            run.complete("no");
        });
        try (Sinks sinks = samples.open();
                Run run = sinks.startRun(of("s-10", "c").build())) {
            run.complete("later");
            assertThat(sinks.reward("c", "person", Double.NaN, List.of())).isTrue();
        }
        samples.record(of("s-10", "d").build(), run -> run.fail(RunStatus.INTERNAL, new IllegalStateException("x")));
        samples.record(of("s-9", "e").model("other").build(), Recorded::solve);
        samples.record(Recorded.spec("without").build(), run -> run.complete(""));
        return samples;
    }

    private static RunSpec.Builder of(String sample, String runId) {
        return Recorded.spec(runId).correlation(Recorded.ids(sample, null, "train"));
    }

    @Test
    void samples_fitFilters_andAreSortedAndLimited() {
        Recorded samples = samples();
        assertThat(samples.list("--by", "sample", "--sort", "sample").lines())
                .extracting(line -> line.split(" ", -1)[0])
                .startsWith("sample", "s-9", "s-10");
        assertThat(samples.list("--by", "sample", "--sort", "-solved-rate", "--limit", "1")
                        .lines())
                .last()
                .isEqualTo("1 of 2 samples, 6 of 6 runs; runs without a sample: 1");
        assertThat(samples.list("--by", "sample", "--limit", "1").lines().get(1))
                .startsWith("s-9");
        assertThat(samples.list("--by", "sample", "--outcome", "failed").lines())
                .last()
                .isEqualTo("1 of 1 samples, 1 of 6 runs");
        assertThat(samples.list("--by", "sample", "--sample", "none").lines())
                .containsExactly("0 of 0 samples, 0 of 6 runs");
    }

    @Test
    void samples_asJson_areAnObjectALine() {
        Cli result = samples().list("--by", "sample", "--json");
        assertThat(result.lines()).hasSize(2);
        assertThat(result.lines().get(1))
                .isEqualTo("{\"sample\":\"s-9\",\"environment\":\"calc\",\"split\":\"train\",\"runs\":1,"
                        + "\"decided\":1,\"solved\":1,\"solved_rate\":1.0,\"mean_reward\":0.9,\"mean_steps\":4.0,"
                        + "\"results\":[{\"run_id\":\"e\",\"model\":\"other\",\"result\":\"solved\"}]}");
        assertThat(result.lines().get(0)).contains("\"result\":\"undecided\"", "\"result\":\"failed\"");
        assertThat(result.err()).isEqualTo("runs without a sample: 1" + System.lineSeparator());
    }
}
