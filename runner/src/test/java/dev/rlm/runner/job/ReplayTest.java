package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Runs that were recorded, and are done again from their record. */
class ReplayTest {
    private static final String TAG = "replay_of";

    @TempDir
    private Path folder;

    private Path record;
    private Path replays;

    @BeforeEach
    void names() {
        record = folder.resolve("record");
        replays = folder.resolve("replays");
    }

    private Cli record(String... arguments) {
        Cli run = rlm(record, "run", arguments);
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run;
    }

    private Cli replay(String... arguments) {
        String[] all = Stream.concat(Stream.of("--replay-journal", record.toString()), Stream.of(arguments))
                .toArray(String[]::new);
        return rlm(replays, "run", all);
    }

    private static Cli rlm(Path journal, String verb, String... arguments) {
        String[] all = Stream.concat(Stream.of(verb), Stream.of(arguments)).toArray(String[]::new);
        return Cli.with(Map.of("RLM_JSONL_DIR", journal.toString(), "RLM_JOURNAL_INDEX", "none"), all);
    }

    private static JsonNode replayed(Cli run) {
        return new ObjectMapper().readTree(run.out()).get("replays");
    }

    private static List<RunSummary> runs(Path journal) {
        return Journal.open(journal).runs();
    }

    private static <T extends RunEvent> List<T> events(Path journal, String run, Class<T> kind) {
        return Journal.open(journal).events(run).stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    @Test
    void allRuns_comeOutAsRecorded_andSayOfWhichRunTheyAre() {
        record("--samples", "3", "--rollouts", "4", "--seed", "7", "--error-rate", "0.3", "--max-steps", "9");

        Cli run = replay("--replay", "--concurrency", "4", "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        JsonNode replayed = replayed(run);
        assertThat(replayed.get("divergences")).isEmpty();
        assertThat(replayed.get("runs").asInt() + replayed.get("not_replayed").size())
                .isEqualTo(12);
        Map<String, RunSummary> recorded =
                runs(record).stream().collect(Collectors.toMap(RunSummary::runId, each -> each));
        assertThat(runs(replays)).isNotEmpty().allSatisfy(again -> {
            RunSummary first =
                    Objects.requireNonNull(recorded.get(again.run().tags().get(TAG)));
            assertThat(again.run().task()).isEqualTo(first.run().task());
            assertThat(again.run().seed()).isEqualTo(7);
            assertThat(again.run().agent()).isEqualTo("replay");
            assertThat(again.run().model()).isEqualTo("scripted");
            if (first.end() != null && first.end().outcome().label().equals("completed")) {
                assertThat(again.run().maxSteps()).isEqualTo(9);
                assertThat(again.totalReward()).isEqualTo(first.totalReward());
                assertThat(again.isSolved()).isEqualTo(first.isSolved());
                assertThat(again.steps()).isEqualTo(first.steps());
            }
        });
        assertThat(replayed(rlm(replays, "run", "--replay", "last", "--json"))
                        .get("runs")
                        .asInt())
                .isOne();
        assertThat(rlm(replays, "run", "--replay").err()).contains("nothing to replay: no run in ");
    }

    @Test
    void export_isReplayedOnceItIsImported() {
        record("--samples", "3", "--rollouts", "2", "--seed", "7", "--error-rate", "0.3");
        Path export = folder.resolve("runs.jsonl");
        Path imported = folder.resolve("imported");
        Cli exported = rlm(record, "export", "--format", "atif", "--output", export.toString());
        assertThat(exported.exitCode()).as(exported.err()).isZero();
        Cli taken = rlm(imported, "import", "--format", "atif", export.toString());
        assertThat(taken.exitCode()).as(taken.err()).isZero();

        Cli run = rlm(replays, "run", "--replay", "--replay-journal", imported.toString(), "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(replayed(run).get("divergences")).isEmpty();
        assertThat(replayed(run).get("runs").asInt())
                .isEqualTo(replayed(replay("--replay", "--json")).get("runs").asInt())
                .isPositive();
    }

    @Test
    void parameterOfTheEnvironment_thatIsAnotherOne_showsInTheFirstStepThatItConcerns() {
        record("--samples", "4", "--rollouts", "2", "--error-rate", "0.4");
        RunSummary slipped = runs(record).stream()
                .filter(run -> firstFailure(run) != null && run.state().label().equals("completed"))
                .findFirst()
                .orElseThrow();

        Cli run = replay("--replay", slipped.runId(), "--no-shaping");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains("differs: run " + slipped.runId() + " step " + firstFailure(slipped)
                        + ": reward was '-0.1' and is '0.0' (run ");
        assertThat(run.out()).contains("0 of 1 runs came out as recorded, 1 differ");
        assertThat(replay("--replay", slipped.runId().substring(0, 12)).exitCode())
                .isZero();
        assertThat(replay("--replay", slipped.runId(), "--replay-tools", "recorded")
                        .exitCode())
                .isZero();
    }

    private @Nullable Integer firstFailure(RunSummary run) {
        return events(record, run.runId(), StepEnded.class).stream()
                .filter(step -> !step.success())
                .map(StepEnded::step)
                .findFirst()
                .orElse(null);
    }

    @Test
    void toolThatAnswersOtherwise_isNamed_andTheRecordCanAnswerForIt() throws Exception {
        assumeTrue(new ProcessBuilder("python3", "--version").start().waitFor() == 0, "there is no python3 here");
        Path server = folder.resolve("server.py");
        String program = Files.readString(Path.of("..", "examples", "mcp_server.py"));
        Files.writeString(server, program);
        String calls = CallingPolicyProvider.NAME + ".calls=roman {\"number\":1944}\nroman {\"number\":0}";
        List<String> job = List.of("--samples", "1", "--rollouts", "2", "--policy", CallingPolicyProvider.NAME);
        List<String> all = new ArrayList<>(job);
        all.addAll(List.of("--set", calls, "--mcp", "python3 '" + server + "'"));
        record(all.toArray(String[]::new));

        Cli same = replay("--replay");
        assertThat(same.exitCode()).as(same.err() + same.out()).isZero();

        Files.writeString(server, program.replace("\"IV\"", "\"IIII\""));
        Cli other = replay("--replay", "--json");
        assertThat(other.exitCode()).isEqualTo(1);
        assertThat(replayed(other).get("divergences")).hasSize(2).allSatisfy(divergence -> {
            assertThat(divergence.get("step").asInt()).isOne();
            assertThat(divergence.get("what").asString()).isEqualTo("output");
            assertThat(divergence.get("recorded").asString()).isEqualTo("MCMXLIV");
            assertThat(divergence.get("now").asString()).isEqualTo("MCMXLIIII");
        });

        Files.delete(server);
        Cli recorded = replay("--replay", "last", "--replay-tools", "recorded");
        assertThat(recorded.exitCode()).as(recorded.err()).isZero();
        RunSummary last = runs(replays).get(runs(replays).size() - 1);
        assertThat(events(replays, last.runId(), ToolCalled.class))
                .extracting(call -> call.result().text(), ToolCalled::provider)
                .containsExactly(tuple("MCMXLIV", "mcp"), tuple("", "mcp"));
        assertThat(last.run().params()).containsEntry("replay_tools", "recorded");
    }

    @Test
    void toolsWithoutTheirServer_areMissed() throws IOException {
        record("--samples", "1", "--rollouts", "1", "--error-rate", "0");
        try (Sinks sinks = sinks();
                Run run = sinks.startRun(RunSpec.builder("calc")
                        .param("tools", List.of("roman"))
                        .param("shaping", true)
                        .build());
                Step step = run.startStep("?")) {
            step.action("roman", "{}");
            step.complete("I");
            run.complete("I", "stop");
        }

        Cli run = replay("--replay");

        assertThat(run.err()).contains("is not replayed: its tool 'roman' is not there: expected --mcp");
        assertThat(run.out()).contains("1 of 1 runs came out as recorded, 0 differ; 1 could not be replayed");
        assertThat(run.exitCode()).isZero();
    }

    private Sinks sinks() {
        return Sinks.builder()
                .config(SinkConfig.of(Map.of("RLM_JSONL_DIR", record.toString())))
                .build();
    }

    @Test
    void whatAModelSaid_isSaidAgain_withoutTheModel() throws IOException {
        Path problems = Files.writeString(
                folder.resolve("problems.jsonl"),
                "{\"question\": \"What is 6 times 7?\", \"answer\": \"<<6*7=42>>\\n#### 42\"}\n");
        try (ChatServer server = ChatServer.start()) {
            server.answer(ChatAnswer.text("Two at once.")
                    .reasoning("Six sevens.")
                    .tool("c1", "calculator", "{\"expression\":\"6*7\"}")
                    .tool("c2", "calculator", "{\"expression\":")
                    .tokens(List.of(1, 2, 3), List.of(7, 8), List.of(-0.5, -0.25)));
            server.answer(ChatAnswer.text("So it is\n#### 42").reasoning("It is clear."));
            record(
                    "--policy",
                    "openai",
                    "--dataset",
                    problems.toString(),
                    "--base-url",
                    server.baseUrl(),
                    "--model",
                    "m",
                    "--token-ids",
                    "--logprobs",
                    "--policy-version",
                    "v3");
        }

        Cli run = replay("--replay", "last");

        assertThat(run.exitCode()).as(run.err()).isZero();
        RunSummary first = runs(record).get(0);
        RunSummary again = runs(replays).get(0);
        assertThat(again.run().model()).isEqualTo("m");
        assertThat(again.run().correlation().policyVersion()).isEqualTo("v3");
        List<ModelCalled> said = events(record, first.runId(), ModelCalled.class);
        List<ModelCalled> saidAgain = events(replays, again.runId(), ModelCalled.class);
        assertThat(saidAgain).extracting(ModelCalled::provider).containsOnly("replay");
        assertThat(saidAgain)
                .extracting(
                        ModelCalled::messages,
                        ModelCalled::reply,
                        ModelCalled::tokens,
                        ModelCalled::parameters,
                        ModelCalled::toolDefinitions,
                        ModelCalled::finishReason)
                .containsExactlyElementsOf(said.stream()
                        .map(call -> tuple(
                                call.messages(),
                                call.reply(),
                                call.tokens(),
                                call.parameters(),
                                call.toolDefinitions(),
                                call.finishReason()))
                        .toList());
        assertThat(events(replays, again.runId(), ToolCalled.class))
                .extracting(ToolCalled::callId)
                .containsExactly("c1", "c2");
        assertThat(events(replays, again.runId(), RunEnded.class))
                .singleElement()
                .matches(RunEnded::solved);

        Files.writeString(problems, "{\"question\": \"What is 6 times 7?!\", \"answer\": \"<<6*7=43>>\\n#### 43\"}\n");
        assertThat(replay("--replay", "last").err())
                .contains(" step 1: observation was 'What is 6 times 7?' and is 'What is 6 times 7?!'");
    }

    @Test
    void recordedSolutions_areReplayedByWhatWasDone() throws IOException {
        Path solutions = Files.writeString(folder.resolve("recorded.jsonl"), """
                {"question": "Two and three, doubled?", "ground_truth": "<<2+3=5>>5\\n<<5*2=10>>10\\nA: 10", \
                "large": {"solution": "First <<2+3=5>>5.\\nThen <<5*2=11>>11.\\nA: 10.0"}, \
                "small": {"solution": "I set <<X*2=10>>X and\\nA: 1/5"}}
                """);
        record("--policy", "recorded", "--dataset", solutions.toString());

        Cli run = replay("--replay", "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(replayed(run).get("runs").asInt()).isEqualTo(2);
        assertThat(runs(replays)).extracting(each -> each.run().model()).containsExactlyInAnyOrder("large", "small");
        assertThat(replayed(replay("--replay", "--model", "small", "--json"))
                        .get("runs")
                        .asInt())
                .isOne();
    }

    @Test
    void replyWithASecret_isToldOf() throws IOException {
        String secret = "sk-" + "proj-" + "4bQ7xT2mVz9KcLw8Rn3Yh6Jd".repeat(2);
        try (ChatServer server = ChatServer.start()) {
            server.answer(ChatAnswer.text("The key is " + secret + "\n#### 1"));
            record(
                    "--policy",
                    "openai",
                    "--base-url",
                    server.baseUrl(),
                    "--model",
                    "m",
                    "--samples",
                    "1",
                    "--rollouts",
                    "1");
        }

        Cli run = replay("--replay", "last");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err())
                .contains(" step 1: the replay is of redacted or cut text, and not of what the model said");
    }

    @Test
    void whatCannotBeReplayed_isSaid() {
        record("--samples", "1", "--rollouts", "1", "--error-rate", "0");
        String empty;
        String foreign;
        try (Sinks sinks = sinks()) {
            Run none = sinks.startRun(RunSpec.builder("calc").runId("empty-1").build());
            none.fail(new IllegalStateException("no seat"));
            Run other = sinks.startRun(
                    RunSpec.builder("my-agent").runId("foreign-1").build());
            try (Step step = other.startStep("hello")) {
                step.action("say", "hi");
                step.complete("hi");
            }
            other.complete("hi", "stop");
            empty = "empty";
            foreign = "foreign";
        }

        assertThat(replay("--replay", "nope"))
                .matches(run -> run.exitCode() == 2 && run.err().contains("no run 'nope'"));
        assertThat(replay("--replay", empty))
                .matches(run -> run.exitCode() == 2
                        && run.err().contains("run empty-1 cannot be replayed: it has no step: ")
                        && run.err().contains("no seat"));
        assertThat(replay("--replay", foreign))
                .matches(run -> run.exitCode() == 2 && run.err().contains("unknown environment 'my-agent'"));
        assertThat(replay("--replay"))
                .matches(run -> run.exitCode() == 2
                        && run.err()
                                .contains("the 3 runs were recorded with different options: environment calc (2),"
                                        + " my-agent (1)"));
        Cli chosen = replay("--replay-where", "env=calc", "--replay-where", "outcome=completed");
        assertThat(chosen.exitCode()).as(chosen.err()).isZero();
        assertThat(replay("--replay-where", "colour=red").err())
                .contains("--replay-where: ", "expected options of list");
        assertThat(replay("--replay-where", "model=none").err()).contains("nothing to replay");
        assertThat(replay("--policy", "replay").err()).contains("--policy replay needs a --replay RUN");
        assertThat(replay("--replay", "last", "--rollouts", "2").err()).contains("--rollouts is not for");
        assertThat(rlm(replays, "run", "--replay-tools", "recorded").err())
                .contains("--replay-tools is for --policy replay");
        assertThat(replay("--replay", "last", "--replay-where", "solved").err()).contains("give one of them");
    }

    @Test
    void runsOfDifferentOptions_areReplayedWithThoseGiven_andThoseOfSeveralSeedsWithTheirs() {
        record("--samples", "2", "--rollouts", "1", "--error-rate", "0", "--shaping", "--seed", "1");
        record("--samples", "2", "--rollouts", "1", "--error-rate", "0", "--no-shaping", "--seed", "2");

        assertThat(replay("--replay").err()).contains("shaping true (2), false (2)");
        Cli run = replay("--replay", "--shaping", "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(replayed(run).get("runs").asInt()).isEqualTo(4);
        assertThat(runs(replays)).extracting(each -> each.run().seed()).containsExactlyInAnyOrder(1L, 1L, 2L, 2L);
    }

    @Test
    void otherRewards_areNoFailure_andThatOfTheRecordIsTheUsualOne() {
        record(
                "--samples",
                "4",
                "--rollouts",
                "1",
                "--error-rate",
                "0",
                "--max-steps",
                "10",
                "--reward",
                "exact=1.0,brevity=-0.5");

        assertThat(replayed(replay("--replay", "--json")).has("rewards")).isFalse();
        Cli other = replay("--replay", "--reward", "exact=0.5", "--json");

        assertThat(other.exitCode()).as(other.err()).isZero();
        JsonNode rewards = replayed(other).get("rewards");
        assertThat(rewards.get("pairs").asInt()).isEqualTo(4);
        assertThat(rewards.get("now").asDouble()).isEqualTo(0.5);
        assertThat(rewards.get("lower").asInt() + rewards.get("higher").asInt()).isPositive();
        assertThat(rewards.get("low").asDouble())
                .isLessThanOrEqualTo(rewards.get("high").asDouble());
        assertThat(replay("--replay", "--reward", "exact=0.5").out()).contains("rewards  of 4 runs ", " now: ");
    }

    @Test
    void job_isKeptWithTheRunsThatWereMeant() throws IOException {
        record("--samples", "1", "--rollouts", "2", "--error-rate", "0");
        String last = runs(record).get(1).runId();

        assertThat(replay("--replay", "last").exitCode()).isZero();

        try (Stream<Path> jobs = Files.list(replays.resolve("jobs"))) {
            assertThat(Files.readString(jobs.filter(file -> file.toString().endsWith(".yaml"))
                            .findFirst()
                            .orElseThrow()))
                    .contains("replay:\n- " + last)
                    .doesNotContain("last");
        }
        assertThat(runs(replays)).extracting(run -> run.run().tags().get(TAG)).containsExactly(last);
        assertThat(rlm(replays, "run", "--resume").err()).contains("nothing is left to do");
    }
}
