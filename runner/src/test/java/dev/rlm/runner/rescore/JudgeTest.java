package dev.rlm.runner.rescore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatRequest;
import dev.rlm.sinks.testkit.chat.ChatServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A model as judge of recorded runs, from a server that says what it is told. */
class JudgeTest {
    private static final String SCORES = "score:judge@1";
    private static final String KEY = "wholly-plain-words-7f3a";

    @TempDir
    Path folder;

    private ScoredJournal journal;
    private ChatServer server;

    @BeforeEach
    void start() throws IOException {
        journal = new ScoredJournal(folder.resolve("journal"));
        server = ChatServer.start();
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private String[] options(String... more) throws IOException {
        Path rubric = Files.writeString(folder.resolve("rubric.txt"), "Full marks for the sum.\n");
        List<String> all = new ArrayList<>(
                List.of("--judge", server.baseUrl(), "m", "--rubric", rubric.toString(), "--version", "1"));
        all.addAll(Arrays.asList(more));
        return all.toArray(String[]::new);
    }

    private static ChatAnswer says(String score, String reason) {
        return ChatAnswer.text("I think {so}.\n{\"reason\": \"" + reason + "\", \"score\": " + score + "}");
    }

    @Test
    void judgements_becomeScoresWithTheirReasons_andTheKeyIsNowhere() throws IOException {
        journal.answered("right", "a", "7", 1);
        server.answers(request -> says("0.75", "the key is " + KEY));

        Cli done = journal.with(Map.of("OPENAI_API_KEY", KEY), "rescore", options("--judge-steps"));

        assertThat(done.exitCode()).as(done.err()).isZero();
        RewardGiven score = journal.score(SCORES, "right");
        assertThat(score.value()).isEqualTo(0.75);
        assertThat(score.kind()).isEqualTo(RewardGiven.Kind.MODEL);
        assertThat(score.max()).isEqualTo(1);
        assertThat(String.valueOf(score.explanation())).startsWith("the key is [REDACTED");
        assertThat(journal.text() + done.out() + done.err()).doesNotContain(KEY);
        ChatRequest asked = server.requests().get(server.requests().size() - 1);
        assertThat(asked.header("authorization")).hasValue("Bearer " + KEY);
        assertThat(asked.body()).contains("Full marks for the sum.", "What is 3 + 4?", "true_answer", "submit");
        assertThat(journal.json("report").at("/all/scores/0/kind").asString()).isEqualTo("model");
    }

    @Test
    void severalJudgements_areOneScore_withTheirSpread() throws IOException {
        journal.answered("right", "a", "7", 1);
        AtomicInteger asked = new AtomicInteger();
        server.answers(request -> says(asked.getAndIncrement() % 2 == 0 ? "0" : "1", "unsure"));

        Cli done = journal.run("rescore", options("--samples", "4"));

        RewardGiven score = journal.score(SCORES, "right");
        assertThat(score.value()).isEqualTo(0.5);
        assertThat(score.components().get(0).name()).isEqualTo("judge/sd");
        assertThat(score.components().get(0).value()).isEqualTo(Math.sqrt(1.0 / 3), within(1e-9));
        assertThat(done.out()).contains("spread     0.577");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.5", "{\"score\": 7}", "{\"score\": \"good\"}", "{\"score\": NaN}", "{\"score\": 1"})
    void replyWithoutAScore_isAFailure_andTheRunIsJudgedNextTime(String reply) throws IOException {
        journal.answered("right", "a", "7", 1);
        server.answers(request -> ChatAnswer.text(reply));
        Cli failed = journal.run("rescore", options());
        server.answers(request -> says("1", ""));
        Cli done = journal.run("rescore", options());

        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.out()).contains("failed     1 run: the judge's");
        assertThat(done.exitCode()).isZero();
        assertThat(journal.scores(SCORES)).hasSize(1);
    }

    @Test
    void serverThatAnswersNoMore_isNotAskedForEveryRun() throws IOException {
        journal.many(60);
        server.answers(request -> ChatAnswer.refusal(400, "no more"));

        Cli failed = journal.run("rescore", options("--parallel", "1"));

        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.err()).contains("gave up: 20 runs in a row", "no more", "goes on with the rest");
        assertThat(server.requests().size()).isLessThan(30);
    }

    @Test
    void serverThatIsNotThere_isRefusedBeforeAnythingIsWritten() throws IOException {
        journal.many(1);
        List<Path> before = journal.writers();
        String[] options = options();
        server.close();

        Cli refused = journal.run("rescore", options);

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).startsWith("rlm: --judge finds no server at ");
        assertThat(journal.writers()).isEqualTo(before);
    }
}
