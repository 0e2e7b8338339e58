package dev.rlm.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.JournalJson;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.Usage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ShowCommandTest {
    private static final String NASTY = "\u001B[31mred\u0007\r\u009B0m\u202Eback\u2028\u007F\u0000";

    @TempDir
    Path directory;

    private Recorded recorded;

    @BeforeEach
    void open() {
        recorded = new Recorded(directory);
    }

    @Test
    void tree_showsTheWholeRun() {
        recorded.record(
                Recorded.spec("run-1")
                        .agent("solver", "1.4.0")
                        .expectedAnswer("7")
                        .seed(7)
                        .tag("team", "red")
                        .correlation(Recorded.ids("s-1", "r-1", "train"))
                        .build(),
                Recorded::solve);
        Cli result = recorded.show("run");
        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out().replaceAll("\\d+\\.\\d+ms", "T")).isEqualToNormalizingNewlines("""
                        run run-1  completed, solved, reward +0.9, T
                        │  task        What is 3 + 4?
                        │  expected    7
                        │  environment calc
                        │  model       a-model
                        │  agent       solver 1.4.0
                        │  started     2026-03-01T10:20:30Z
                        │  seed        7
                        │  ids         sample=s-1  rollout=r-1  split=train
                        │  tags        team=red
                        ├─ step 1  +T  T  calculate  failed  reward -0.1  total -0.1
                        │  sees      a pocket calculator
                        │  code      3 +
                        │  tool      calculator({"expression":"3 +"}) → failed (3)  T
                        │  │  error     not an expression
                        │  reward    -0.1  environment  (format +1 × -0.1)
                        │  error     not an expression
                        ├─ step 2  +T  T  plan  reward 0  total -0.1
                        │  code      first calculate
                        │  ├─ step 3  +T  T  calculate  reward 0  total -0.1
                        │  │  code      3 + 4
                        │  │  tool      calculator({"expression":"3 + 4"}) → 7  T
                        │  │  output    7
                        │  output    planned
                        ├─ step 4  +T  T  submit  reward +1  total +0.9
                        │  code      7
                        │  output    right
                        │  reward    +1  environment
                        └─ completed  +T  solved  reward +0.9  steps 4
                           status    100
                           reason    stop
                           answer    It is 7.
                        """);
    }

    @Test
    void state_isShownWhereItChanged_andWhereItDidNot() {
        recorded.record(Recorded.spec("run-1").build(), run -> {
            run.initialState("0123456789abcdef");
            step(run, "0123456789abcdef", "fedcba9876543210");
            step(run, "fedcba9876543210", "fedcba9876543210");
            step(run, null, "s\u001B");
            run.complete("7");
        });
        assertThat(recorded.show("run").lines())
                .contains(
                        "│  state     changed 0123456789ab → fedcba987654",
                        "│  state     unchanged fedcba987654",
                        "│  state     changed ? → s␛",
                        "   state     first 0123456789ab");
    }

    @Test
    void retrieval_isShownWithItsDocuments() {
        recorded.record(Recorded.spec("run-1").build(), run -> {
            try (ToolCall call = run.startToolCall("search")) {
                call.arguments("tides").document("d1", 0.75, "0123456789abcdef").document("d\u001B2", null, null);
            }
            run.startToolCall("nothing").provider("retrieval").close();
            run.complete("7");
        });
        assertThat(recorded.show("run").out().replaceAll("\\d+\\.\\d+ms", "T")).contains("""
                        ├─ tool      search(tides) → 2 documents  T
                        │  found     d1  score 0.75  0123456789ab
                        │            d␛2
                        ├─ tool      nothing() → 0 documents  T
                        """);
        assertThat(recorded.show("run", "--tools").out()).contains("2 documents", "0 documents");
    }

    private static void step(Run run, @Nullable String before, String after) {
        try (Step step = run.startStep()) {
            step.state(before, after);
            step.complete("");
        }
    }

    @Test
    void reward_isShownWithWhatItsSourceSays() {
        Reward reward = Reward.of(1.5)
                .label("good")
                .explanation("It adds up.")
                .kind(RewardGiven.Kind.MODEL)
                .max(1.0)
                .build();
        recorded.record(Recorded.spec("run-1").build(), run -> {
            run.reward("judge", reward);
            run.startEvaluation("test").reward(reward);
            run.complete("7");
        });
        assertThat(recorded.show("run").lines())
                .contains("├─ reward    +1.5 good  judge, model  outside ..+1", "│  because   It adds up.");
    }

    @Test
    void rewardAfterTheEnd_isShownBelowIt_andAddsToTheTotal() {
        try (Sinks sinks = recorded.open()) {
            try (Run run = sinks.startRun(Recorded.spec("run-1").build())) {
                run.reward(0.5);
                run.complete("7");
            }
            assertThat(sinks.reward("run-1", "judge", -2, List.of())).isTrue();
        }
        Cli result = recorded.show("run");
        assertThat(result.err()).isEmpty();
        assertThat(result.lines().get(0)).contains("reward -1.5");
        assertThat(result.lines()).last().asString().matches(" +reward +-2  judge  \\+.*, after the end  total -1.5");
        assertThat(recorded.list().out()).contains("-1.5");
        assertThat(recorded.show("run", "--messages").exitCode()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--follow"})
    void rewardThatCameOnlyLate_decidesTheRun(String option) {
        try (Sinks sinks = recorded.open()) {
            sinks.startRun(Recorded.spec("run").build()).complete("7");
            assertThat(sinks.reward("run", "person", 1, List.of())).isTrue();
        }
        Cli result = option.isEmpty() ? recorded.show("run") : recorded.show("run", option);
        assertThat(result.lines().get(0)).startsWith("run run  completed, solved, reward +1, ");
        assertThat(result.out())
                .containsPattern("└─ completed  \\+[^ ]+  solved  reward -")
                .containsPattern("reward +\\+1  person  .* after the end  total \\+1");
    }

    @Test
    void last_isTheRunThatStartedLast() {
        recorded.record(Recorded.spec("b").build(), run -> run.complete(null));
        recorded.record(Recorded.spec("a").build(), run -> run.complete(null));
        assertThat(recorded.show("last").out()).startsWith("run a  completed");
        recorded.record(Recorded.spec("last").build(), run -> run.complete(null));
        recorded.record(Recorded.spec("c").build(), run -> run.complete(null));
        assertThat(recorded.show("last").out()).startsWith("run last  completed");
    }

    @Test
    void tree_showsModelCallsAndTheRunsOwnRewards() {
        recorded.record(Recorded.spec("run").build(), run -> {
            try (Step step = run.startStep()) {
                modelCall(step);
                step.complete("");
            }
            run.rewardAbsent("judge", "timed out");
            run.complete(null);
        });
        assertThat(recorded.show("run").out())
                .containsPattern("model     asked-model  .*  tokens in 1,200, out 34")
                .contains("out 34  cost 0.00012 USD")
                .contains("thinks    Let me see.")
                .contains("image     file:///1.png  image/png")
                .contains("told      Be brief.")
                .contains("offered   [{\"name\":\"calculator\"}]")
                .contains("answered  asked-model-2  localhost:8000  r1\n")
                .contains("reply     I shall add.")
                .contains("├─ reward    absent: timed out  judge")
                .contains("reward absent");
    }

    @Test
    void longText_isCut_unlessFull() {
        String text = "0123456789\n".repeat(500);
        recorded.record(Recorded.spec("run").task(text).build(), run -> run.complete("x".repeat(3_000)));
        assertThat(recorded.show("run").out())
                .contains("… 5,369 more characters (--full shows them)")
                .contains("… 2,000 more characters (--full shows them)");
        assertThat(recorded.show("run", "--full").out())
                .contains("x".repeat(3_000))
                .doesNotContain("more characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--messages", "--tools", "--json", "--full"})
    void controlCharacters_neverReachTheTerminal(String form) {
        recorded.record(
                Recorded.spec("run" + NASTY)
                        .task(NASTY)
                        .model(NASTY)
                        .param(NASTY, NASTY)
                        .tag(NASTY, NASTY)
                        .correlation(Recorded.ids(NASTY, NASTY, NASTY))
                        .build(),
                run -> {
                    try (Step step = run.startStep(NASTY)) {
                        step.action(NASTY, NASTY);
                        step.tag(NASTY, NASTY);
                        try (ToolCall tool = step.startToolCall(NASTY)) {
                            tool.arguments(NASTY).fail(2, NASTY);
                        }
                        step.rewardAbsent(NASTY, NASTY);
                        step.fail(NASTY, NASTY);
                    }
                    run.metric(NASTY, 1);
                    run.fail(2, new IllegalStateException(NASTY));
                });
        Cli shown = form.isEmpty() ? recorded.show("run") : recorded.show("run", form);
        assertThat(shown.exitCode()).isZero();
        assertThat(shown.out()).isNotBlank();
        for (Cli result : List.of(shown, recorded.list(), recorded.list("--json"), recorded.show("nothing"))) {
            assertThat(result.out() + result.err()).doesNotContainPattern("[\\p{Cc}\u2028\u202E&&[^\n]]");
        }
    }

    @Test
    void colours_areUsedWhereAllowed() {
        recorded.record(Recorded.spec("run").build(), Recorded::solve);
        assertThat(recorded.inColours(new ShowCommand(), "run"))
                .contains("\u001B[32m+1\u001B[0m", "\u001B[31m-0.1\u001B[0m", "\u001B[32msolved\u001B[0m");
        assertThat(recorded.show("run").out()).doesNotContain("\u001B");
    }

    @Test
    void messages_areAConversation() {
        recorded.record(Recorded.spec("run").build(), run -> {
            try (Step step = run.startStep()) {
                modelCall(step);
                try (ToolCall tool = step.startToolCall("calculator")) {
                    tool.arguments("3 + 4").result("7");
                }
                step.action("calculate", "3 + 4");
                step.complete("7");
            }
            try (Step step = run.startStep("7")) {
                step.action("submit", "It is 7.");
                step.complete("right");
            }
            run.complete("7");
        });
        assertThat(recorded.show("run", "--messages").out()).isEqualToNormalizingNewlines("""
                        system (step 1)
                          Be brief.

                        user
                          What is 3 + 4?

                        assistant (step 1, thinks)
                          Let me see.

                        assistant (step 1, image)
                          file:///1.png  image/png

                        assistant (step 1)
                          I shall add.
                          → calculator(3 + 4)

                        tool calculator (step 1)
                          7

                        assistant (step 2, submit)
                          It is 7.

                        environment (step 2)
                          right

                        assistant (final answer)
                          7

                        """);
    }

    @Test
    void messages_thatACallIsNewlyShown_areSaidByWhoseTheyAre_theSystemsFirst() {
        List<String> turns = List.of("Where is my order?", "It is 12.", "Thanks!");
        recorded.record(Recorded.spec("run").task("Serve the user.").build(), run -> {
            for (int i = 0; i < turns.size(); i++) {
                try (Step step = run.startStep(turns.get(i))) {
                    for (int tries = 0; tries < (i == 1 ? 2 : 1); tries++) {
                        try (ModelCall call = step.startModelCall("p", "m")) {
                            call.message("system", "Be kind. Serve the user.");
                            for (int before = 0; before < i; before++) {
                                call.message("user", turns.get(before)).message("assistant", "reply " + before);
                            }
                            call.message("user", turns.get(i)).reply("reply " + i);
                        }
                    }
                    step.complete(i + 1 < turns.size() ? turns.get(i + 1) : "###STOP###");
                }
            }
            run.complete("");
        });
        assertThat(recorded.show("run", "--messages").out()).isEqualToNormalizingNewlines("""
                        system (step 1)
                          Be kind. Serve the user.

                        user (step 1)
                          Where is my order?

                        assistant (step 1)
                          reply 0

                        user (step 2)
                          It is 12.

                        assistant (step 2)
                          reply 1

                        assistant (step 2)
                          reply 1

                        user (step 3)
                          Thanks!

                        assistant (step 3)
                          reply 2

                        environment (step 3)
                          ###STOP###

                        """);
    }

    @Test
    void taskThatIsTheFirstObservation_isSaidOnce() {
        recorded.record(Recorded.spec("run").build(), run -> {
            try (Step step = run.startStep("What is 3 + 4?")) {
                step.action("submit", "7");
                step.complete("right");
            }
            run.complete("");
        });
        assertThat(recorded.show("run", "--messages").out()).isEqualToNormalizingNewlines("""
                        user
                          What is 3 + 4?

                        assistant (step 1, submit)
                          7

                        environment (step 1)
                          right

                        """);
    }

    @Test
    void instructionsApart_areTheSystems_andATaskThatNoMessageSaysComesAfterThem() {
        recorded.record(Recorded.spec("run").build(), run -> {
            try (ModelCall call = run.startModelCall("p", "m")) {
                call.systemInstructions("Be brief.")
                        .message("user", "Add them.")
                        .reply("7");
            }
            run.complete("7");
        });
        assertThat(recorded.show("run", "--messages").out()).isEqualToNormalizingNewlines("""
                        system
                          Be brief.

                        user
                          What is 3 + 4?

                        user
                          Add them.

                        assistant
                          7

                        assistant (final answer)
                          7

                        """);
    }

    @Test
    void media_thatAModelIsShown_areInTheConversation_once() {
        recorded.record(Recorded.spec("run").build(), run -> {
            for (int i = 1; i <= 2; i++) {
                try (ModelCall call = run.startModelCall("p", "m")) {
                    call.messageParts("user", parts -> parts.image("file:///1.png", "image/png", null));
                    if (i == 2) {
                        call.message("assistant", "A cat?")
                                .messageParts("user", parts -> parts.audio("file:///2.wav", null, null));
                    }
                    call.reply("reply " + i);
                }
            }
        });
        assertThat(recorded.show("run", "--messages").out()).isEqualToNormalizingNewlines("""
                        user
                          What is 3 + 4?

                        user (image)
                          file:///1.png  image/png

                        assistant
                          reply 1

                        assistant
                          A cat?

                        user (audio)
                          file:///2.wav

                        assistant
                          reply 2

                        """);
    }

    @Test
    void costs_ofModelCalls_areAddedUp_byCurrency() {
        recorded.record(Recorded.spec("run").build(), run -> {
            for (double amount : List.of(0.1, 0.2, Double.NaN)) {
                run.startModelCall("p", "m").cost(amount, "USD").close();
            }
            try (Step step = run.startStep()) {
                step.startModelCall("p", "m").cost(1.5, "EUR").close();
                step.startModelCall("p", "m").close();
                step.complete("");
            }
            run.complete("7");
        });
        assertThat(recorded.show("run").lines()).contains("   cost      1.5 EUR, 0.3 USD");
    }

    @Test
    void tools_areATable() {
        recorded.record(Recorded.spec("run").build(), Recorded::solve);
        assertThat(recorded.show("run", "--tools").out().replaceAll("\\d+\\.\\d+ms", "T"))
                .isEqualToNormalizingNewlines("""
                        step  tool        arguments               result             status      duration
                           1  calculator  {"expression":"3 +"}    not an expression  failed (3)    T
                           3  calculator  {"expression":"3 + 4"}  7                  ok            T
                        2 tool calls, 1 failed
                        """);
    }

    @Test
    void json_isTheEventsOfTheJournal() {
        recorded.record(Recorded.spec("run").build(), Recorded::solve);
        assertThat(recorded.show("run", "--json").lines())
                .isEqualTo(Journal.open(directory).events("run").stream()
                        .map(JournalJson::event)
                        .toList());
    }

    @Test
    void tree_drawsSpansWithWhatLiesInThem_alsoWhereTheRunIsWatched() {
        recorded.record(Recorded.spec("run-1").build(), run -> {
            try (Span generate = run.span("generate")) {
                try (Step step = run.startStep();
                        Span search = step.span("search");
                        Span rank = search.span("rank")) {
                    rank.startToolCall("grep").close();
                    search.startModelCall("openai", "ranker").close();
                }
                generate.span("cut").close();
                generate.startToolCall("tokenizer").close();
            }
            try (Evaluation judge = run.startEvaluation("judge")) {
                judge.startModelCall("openai", "judge").close();
                judge.reward(1);
            }
            run.complete("");
        });

        String shown = recorded.show("run").out().replaceAll("\\d+(\\.\\d+)?ms", "T");

        assertThat(shown).contains("""
                        │  span      search  T
                        │  │  span      rank  T
                        │  │  │  tool      grep() →   T
                        │  │  model     ranker  T
                        """, """
                        ├─ span      generate  T
                        │  span      cut  T
                        │  tool      tokenizer() →   T
                        ├─ reward    +1  judge
                        │  model     judge  T
                        └─ completed""");
        assertThat(recorded.show("run", "--follow").out().replaceAll("\\d+(\\.\\d+)?ms", "T"))
                .isEqualTo(shown);
    }

    @Test
    void follow_showsTheRunAsItGrows_untilItsEnd() throws Exception {
        try (Sinks sinks = recorded.open();
                Run run = sinks.startRun(Recorded.spec("run").build())) {
            sinks.flush(Duration.ofSeconds(20));
            try (RunningCli following = recorded.start("show", "run", "--follow")) {
                following.await(() -> following.out().contains("run run  running"));
                try (Step step = run.startStep()) {
                    step.action("calculate", "3 + 4");
                    step.complete("7");
                }
                following.await(() -> following.out().contains("output    7"));
                assertThat(following.isAlive()).isTrue();
                run.complete("7");
                assertThat(following.awaitExit()).isZero();
                assertThat(following.out()).contains("└─ completed");
            }
        }
    }

    @Test
    void follow_ofARunWhoseWriterDied_saysSo() throws Exception {
        Process writer = DyingRunner.start(directory);
        assertThat(writer.getInputStream().read()).isEqualTo('!');
        writer.destroyForcibly().waitFor();
        Cli result = recorded.show("run", "--follow");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).contains("run run  abandoned", "step 1", "has not ended", "sees      a view");
        assertThat(result.err().lines()).containsExactly("the run has no end, and its writer has died");
        assertThat(recorded.list("--outcome", "abandoned").out()).contains("abandoned", "1 of 1 runs");
    }

    @Test
    void run_thatIsUnknownOrAmbiguous_isAnErrorOfOneLine() {
        recorded.record(Recorded.spec("abc").build(), run -> run.complete(null));
        recorded.record(Recorded.spec("abd").build(), run -> run.complete(null));
        Cli unknown = recorded.show("x");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err().lines())
                .containsExactly("rlm: no run 'x' in " + directory + "; its latest are abc, abd");
        Cli ambiguous = recorded.show("ab");
        assertThat(ambiguous.exitCode()).isEqualTo(2);
        assertThat(ambiguous.err().lines()).containsExactly("rlm: 'ab' fits 2 runs: abc, abd");
        assertThat(recorded.show("abc", "--messages", "--tools").exitCode()).isEqualTo(2);
    }

    private void attempt(String run, String rollout, int attempt) {
        Correlation ids =
                Correlation.builder().rollout(rollout).attempt(attempt).build();
        recorded.record(Recorded.spec(run).correlation(ids).build(), done -> done.complete(run + " is done"));
    }

    @Test
    void rollout_namesItsRun_unlessSeveralFit() {
        attempt("abc", "r-1", 1);
        attempt("abd", "r-2", 1);
        attempt("abe", "r-2", 2);
        attempt("xyz", "ab", 1);
        assertThat(recorded.show("r-1").out()).contains("run abc", "abc is done");
        Cli several = recorded.show("r-2");
        assertThat(several.exitCode()).isEqualTo(2);
        assertThat(several.err().lines()).containsExactly("rlm: 'r-2' fits 2 runs: abd (attempt 1), abe (attempt 2)");
        Cli both = recorded.show("ab");
        assertThat(both.exitCode()).isEqualTo(2);
        assertThat(both.err().lines()).containsExactly("rlm: 'ab' fits 4 runs: abc, abd, abe, xyz (attempt 1)");
        assertThat(recorded.show("abc").out()).contains("abc is done");
        assertThat(recorded.show("r-").err().lines())
                .containsExactly("rlm: no run 'r-' in " + directory + "; its latest are abc, abd, abe, xyz");
    }

    private static void modelCall(Step step) {
        try (ModelCall call = step.startModelCall("openai", "asked-model")) {
            call.systemInstructions("Be brief.").toolDefinitions("[{\"name\":\"calculator\"}]");
            call.cost(0.00012, "USD").server("localhost", 8000).response("r1", "asked-model-2");
            call.replyParts(parts -> parts.reasoning("Let me see.")
                            .text("I shall add.")
                            .image("file:///1.png", "image/png", null))
                    .toolRequest("c1", "calculator", "3 + 4")
                    .usage(new Usage(1_200L, 34L, null, null));
        }
    }

    /** A process that starts a run and a step of it, and waits to be killed. */
    static final class DyingRunner {
        private DyingRunner() {}

        static Process start(Path directory) throws IOException {
            return new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            DyingRunner.class.getName(),
                            directory.toString())
                    .start();
        }

        @SuppressWarnings("SystemOut") // the other process waits for it
        public static void main(String[] args) throws IOException {
            Sinks sinks = new Recorded(Path.of(args[0])).open();
            sinks.startRun(Recorded.spec("run").build()).startStep("a view");
            sinks.flush(Duration.ofSeconds(20));
            System.out.write('!');
            System.out.flush();
            while (System.in.read() >= 0) {
                // until the other side is gone
            }
        }
    }
}
