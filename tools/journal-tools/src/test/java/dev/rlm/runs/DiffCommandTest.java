package dev.rlm.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.json.Json;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Usage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

@Timeout(120)
class DiffCommandTest {
    @TempDir
    Path directory;

    private Recorded recorded;

    @BeforeEach
    void open() {
        recorded = new Recorded(directory);
    }

    private void record(String runId, String... actions) {
        recorded.record(Recorded.spec(runId).build(), run -> act(run, actions));
    }

    /** A step for each action, such as {@code calculate 3+4}, whose output is its length. */
    private static void act(Run run, String... actions) {
        for (String action : actions) {
            try (Step step = run.startStep()) {
                String[] parts = action.split(" ", 2);
                step.action(parts[0], parts[1]);
                step.complete(String.valueOf(parts[1].length()));
            }
        }
        run.complete("done");
    }

    private static List<String> steps(Cli result) {
        return result.lines().stream().filter(line -> line.matches("[=~+-] .*")).toList();
    }

    @Test
    void facts_thatDiffer_areATable_andTheOthersALine() {
        recorded.record(
                Recorded.spec("one")
                        .seed(7)
                        .tag("team", "red")
                        .correlation(Recorded.ids("s-1", "r-1", "train"))
                        .build(),
                Recorded::solve);
        recorded.record(
                RunSpec.builder("calc")
                        .runId("two")
                        .task(Recorded.TASK)
                        .model("other")
                        .seed(8)
                        .param("temperature", 0.5)
                        .correlation(Recorded.ids("s-1", "r-2", "train"))
                        .build(),
                run -> run.fail(13, new IllegalStateException("broken")));
        Cli result = recorded.diff("one", "two");
        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.lines().stream().map(line -> line.replaceAll(" {2,}", "|")))
                .contains(
                        "fact|this side|other side",
                        "run id|one|two",
                        "state|completed|failed",
                        "solved|yes|none",
                        "total reward|+0.9|none",
                        "steps|4|0",
                        "failure|none|java.lang.IllegalStateException",
                        "final answer|It is 7.|none",
                        "model|a-model|other",
                        "seed|7|8",
                        "rollout id|r-1|r-2",
                        "params.temperature|none|0.5",
                        "tags.team|red|none",
                        "tool calls|2|0");
        assertThat(result.out().replaceAll("\\s+", " "))
                .contains("the same: environment calc, task What is 3 + 4?, sample id s-1, split train, model calls 0");
    }

    @Test
    void equalRuns_haveNoDivergence_whateverTheirIdsAndTimes() {
        recorded.record(Recorded.spec("one").build(), Recorded::solve);
        recorded.record(Recorded.spec("two").build(), Recorded::solve);
        Cli result = recorded.diff("one", "two");
        assertThat(steps(result))
                .containsExactly(
                        "= step 1  calculate  3 +",
                        "= step 2  plan  first calculate",
                        "= step 3  calculate  3 + 4",
                        "= step 4  submit  7");
        assertThat(result.lines()).last().asString().startsWith("no step differs; steps: 4 the same, 0 changed");
    }

    @Test
    void steps_thatWerePutInOrLeftOut_areFound() {
        record("one", "search a", "calculate 1+1", "calculate 2+2", "note x", "submit 4");
        record("two", "search a", "calculate 2+2", "think y", "note x", "submit 4");
        Cli result = recorded.diff("one", "two");
        assertThat(steps(result))
                .containsExactly(
                        "= step 1  search  a",
                        "- step 2  calculate  1+1  <- first divergence",
                        "= step 3 and 2  calculate  2+2",
                        "+ step 3  think  y",
                        "= step 4  note  x",
                        "= step 5  submit  4");
        assertThat(result.lines())
                .last()
                .isEqualTo("first divergence: step 2; steps: 4 the same, 0 changed, 1 on this side only,"
                        + " 1 on the other only");
    }

    @Test
    void action_ofTheSameKind_isComparedWithWhatStandsInItsPlace() {
        record("one", "search a", "calculate 1+1", "submit 2");
        record("two", "search a", "calculate 1+100", "submit 101");
        Cli result = recorded.diff("one", "two");
        assertThat(result.lines())
                .containsSubsequence(
                        "= step 1  search  a",
                        "~ step 2  calculate  <- first divergence",
                        "    code    - 1+1",
                        "            + 1+100",
                        "    output  - 3",
                        "            + 5",
                        "~ step 3  submit");
    }

    @Test
    void runs_thatBeginDifferently_areAlignedByTheirLongestCommonActions() {
        record("one", "a 1", "b 2", "c 3", "d 4", "e 5", "f 6");
        record("two", "d 4", "a 1", "c 3", "f 6", "b 2");
        assertThat(steps(recorded.diff("one", "two")))
                .containsExactly(
                        "+ step 1  d  4  <- first divergence",
                        "= step 1 and 2  a  1",
                        "- step 2  b  2",
                        "= step 3  c  3",
                        "- step 4  d  4",
                        "- step 5  e  5",
                        "= step 6 and 4  f  6",
                        "+ step 5  b  2");
    }

    @Test
    void longText_isCutToThePartThatDiffers_unlessAllIsWanted() {
        String before = "It was a long way, and ".repeat(20);
        String after = ", so they slept at noon".repeat(20);
        record("one", "tell " + before + "nobody sang" + after);
        record("two", "tell " + before + "everybody sang" + after);
        assertThat(recorded.diff("one", "two").lines())
                .contains(
                        "    code    - …, and It was a long way, and nobody sang, so they slept at noon, …",
                        "            + …, and It was a long way, and everybody sang, so they slept at noon, …");
        assertThat(recorded.diff("one", "two", "--full").lines())
                .contains("    code    - " + before + "nobody sang" + after);
    }

    @Test
    void differingText_thatIsLong_isCut_andSaysSo() {
        record("one", "tell " + "a".repeat(5_000) + " end");
        record("two", "tell b end");
        assertThat(recorded.diff("one", "two").lines())
                .contains("    code    - " + "a".repeat(1_000))
                .anyMatch(line -> line.strip().equals("… 4,000 more characters (--full shows them)"))
                .contains("            + b end");
    }

    @ParameterizedTest
    @CsvSource({"'7', '7 ', '7␣'", "'7', '7\n', '7⏎'", "'a  b', 'a b', 'a b'"})
    void blanks_thatDiffer_areSeen(String one, String two, String shown) {
        recorded.record(Recorded.spec("one").build(), run -> output(run, one));
        recorded.record(Recorded.spec("two").build(), run -> output(run, two));
        assertThat(recorded.diff("one", "two").lines()).contains("            + " + shown);
    }

    private static void output(Run run, String text) {
        try (Step step = run.startStep()) {
            step.action("say", "it");
            step.complete(text);
        }
        run.complete("");
    }

    @Test
    void callsOfModelsAndTools_count_butNotTheirTokens() {
        recorded.record(Recorded.spec("one").build(), run -> call(run, "I look.", "{\"q\":1}", "found", 10));
        recorded.record(Recorded.spec("two").build(), run -> call(run, "I search.", "{\"q\":2}", "nothing", 10));
        recorded.record(Recorded.spec("three").build(), run -> call(run, "I look.", "{\"q\":1}", "found", 999));
        assertThat(recorded.diff("one", "two").lines())
                .containsSubsequence(
                        "~ step 1  act  go  <- first divergence",
                        "    model call 1 reply     - I look.",
                        "                           + I search.",
                        "    tool call 1 arguments  - {\"q\":1}",
                        "                           + {\"q\":2}",
                        "    tool call 1 result     - found",
                        "                           + nothing");
        Cli sameCalls = recorded.diff("one", "three");
        assertThat(steps(sameCalls)).containsExactly("= step 1  act  go");
        assertThat(sameCalls.out()).containsPattern("input tokens +10 +999");
    }

    private static void call(Run run, String reply, String arguments, String result, long tokens) {
        try (Step step = run.startStep()) {
            try (ModelCall call = step.startModelCall("p", "m")) {
                call.reply(reply).usage(new Usage(tokens, 1L, null, null));
            }
            try (ToolCall tool = step.startToolCall("search")) {
                tool.arguments(arguments).result(result);
            }
            step.action("act", "go");
            step.complete("");
        }
        run.complete("");
    }

    @Test
    void callsOutsideOfSteps_areCompared_andAreNoDivergenceOfAStep() {
        for (String reply : List.of("yes", "no")) {
            recorded.record(Recorded.spec("says-" + reply).build(), run -> {
                try (ModelCall call = run.startModelCall("p", "m")) {
                    call.reply(reply);
                }
                run.complete("");
            });
        }
        assertThat(recorded.diff("says-yes", "says-no").lines())
                .contains("~ outside of steps", "    model call 1 reply  - yes")
                .last()
                .asString()
                .startsWith("no step differs")
                .endsWith("what happened outside of steps differs");
    }

    @Test
    void rewards_andFailures_count() {
        recorded.record(Recorded.spec("one").build(), run -> {
            try (Step step = run.startStep()) {
                step.action("try", "it");
                step.reward(1);
                step.complete("well");
            }
            run.complete("");
        });
        recorded.record(Recorded.spec("two").build(), run -> {
            try (Step step = run.startStep()) {
                step.action("try", "it");
                step.rewardAbsent("judge", "timed out");
                step.fail("badly");
            }
            run.complete("");
        });
        assertThat(recorded.diff("one", "two").lines())
                .contains(
                        "    success           - yes",
                        "    error             - none",
                        "                      + badly",
                        "    reward            - +1",
                        "                      + absent",
                        "    reward 1 absence  - none",
                        "                      + timed out");
    }

    @Test
    void run_thatGoesOn_isComparedAsFarAsItIs() throws Exception {
        record("whole", "calculate 1+1", "submit 2");
        Sinks sinks = recorded.open();
        Run run = sinks.startRun(Recorded.spec("open").build());
        try (Step step = run.startStep()) {
            step.action("calculate", "1+1");
            step.complete("3");
        }
        Step open = run.startStep();
        assertThat(sinks.flush(Duration.ofSeconds(60)).isComplete()).isTrue();
        Cli result = recorded.diff("open", "whole");
        assertThat(result.out()).containsPattern("state +running +completed");
        assertThat(steps(result)).startsWith("= step 1  calculate  1+1").hasSize(3);
        assertThat(result.lines()).contains("    ended  no");
        open.close();
        run.close();
        sinks.close();
    }

    @Test
    void json_isTheFacts_thenAnObjectAStep() {
        record("one", "search a", "calculate 1+1", "submit 2");
        record("two", "search a", "submit 2");
        List<JsonNode> objects = recorded.diff("one", "two", "--json").lines().stream()
                .<JsonNode>map(Json.RECORD::object)
                .toList();
        assertThat(objects).hasSize(4);
        JsonNode head = objects.get(0);
        assertThat(head.path("first_divergence").intValue()).isEqualTo(2);
        assertThat(head.path("facts").path("steps").toString())
                .isEqualTo("{\"this_side\":3,\"other_side\":2,\"differs\":true}");
        assertThat(head.path("steps").toString())
                .isEqualTo("{\"same\":2,\"changed\":0,\"this_side_only\":1,\"other_side_only\":0}");
        assertThat(objects.get(2).path("change").stringValue()).isEqualTo("this_side_only");
        assertThat(objects.get(2).path("this_side").path("code").stringValue()).isEqualTo("1+1");
        assertThat(objects.get(2).path("other_side").isNull()).isTrue();
        assertThat(objects.get(3).path("other_side").path("step").intValue()).isEqualTo(2);
    }

    @Test
    void json_ofEqualRuns_hasNoDivergence_andOfChangedStepsTheFields() {
        record("one", "submit 2");
        record("two", "submit 20");
        assertThat(recorded.diff("one", "one", "--json").lines().get(0)).startsWith("{\"first_divergence\":null,");
        assertThat(recorded.diff("one", "two", "--json").lines().get(1))
                .startsWith("{\"change\":\"changed\",\"differing\":[\"code\",\"output\"],\"this_side\":{\"step\":1,");
    }

    @Test
    void otherJournal_holdsTheSecondRun_inTheRealProgram() throws Exception {
        record("same-id", "calculate 1+1");
        Path other = Files.createDirectory(directory.resolve("other"));
        new Recorded(other).record(Recorded.spec("same-id").build(), run -> act(run, "calculate 1+2"));
        Cli diff = recorded.diff("same", "last", "--against", other.toString());
        assertThat(diff.exitCode()).as(diff.err()).isZero();
        assertThat(diff.out())
                .contains("~ step 1  calculate  <- first divergence", "    code  - 1+1", "          + 1+2");
    }

    @ParameterizedTest
    @CsvSource({
        "one nothing, no run 'nothing' in",
        "one, Missing required parameter: 'RUN'",
        "one one --against nowhere, nowhere",
        "one one one, unexpected argument 'one'",
    })
    void wrongRuns_areErrorsOfOneLine(String options, String message) {
        record("one", "submit 1");
        Cli result = recorded.diff(options.split(" ", -1));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains(message).hasLineCount(1);
    }

    @Test
    void recordedControlCharacters_areNotPrinted() {
        String nasty = "\u001B[31mred\u0007\u202Eback";
        recorded.record(Recorded.spec("one").tag("t\u001B[1m", nasty).build(), run -> act(run, "a\u001B[2m " + nasty));
        recorded.record(Recorded.spec("two").build(), run -> act(run, "b " + nasty + nasty));
        for (String form : List.of("--full", "--json")) {
            assertThat(recorded.diff("one", "two", form).out()).doesNotContain("\u001B", "\u0007", "\u202E");
        }
    }

    @Test
    void colours_tellTheSidesApart() {
        record("one", "calculate 1+1");
        record("two", "calculate 1+22");
        assertThat(recorded.inColours(new DiffCommand(), "one", "two"))
                .contains("1+\u001B[31m1\u001B[0m", "1+\u001B[32m22\u001B[0m", "\u001B[33m  <- first divergence");
    }
}
