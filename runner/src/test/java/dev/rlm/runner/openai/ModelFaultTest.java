package dev.rlm.runner.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a run whose model's server fails. */
class ModelFaultTest extends ModelTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @ParameterizedTest
    @ValueSource(ints = {408, 409, 425, 429, 500, 503, 529})
    void passingFailure_isTriedAgain(int status) throws Exception {
        server.answer(ChatAnswer.refusal(status, "later").header("retry-after-ms", "5"));
        server.answer(ChatAnswer.refusal(status, "later").header("Retry-After", "0"));
        server.answer(ChatAnswer.text("42"));

        asking.run();

        assertThat(Asking.call().retries()).isEqualTo(2);
        assertThat(Asking.call().error()).isNull();
        assertThat(end().solved()).isTrue();
    }

    @Test
    void connectionThatBreaksBeforeTheFirstToken_isTriedAgain() throws Exception {
        server.answer(ChatAnswer.text("42").cutAfter(0)).answer(ChatAnswer.text("42"));

        asking.run();

        assertThat(Asking.call().retries()).isEqualTo(1);
        assertThat(end().solved()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 404, 422})
    void lastingFailure_failsTheRunInALine(int status) throws Exception {
        server.answer(ChatAnswer.refusal(status, "no such\nmodel"));

        Cli run = asking.run();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).isEqualTo("rlm: every run failed: 1 × " + error() + "\n");
        assertThat(server.requests()).hasSize(1);
        assertThat(error()).isEqualTo("status " + status + ": no such model (POST " + address() + "/chat/completions)");
        assertThat(end().outcome()).isEqualTo(Outcome.FAILED);
        assertThat(end().status().message()).contains(error());
    }

    @Test
    void failure_isToldWhenAllTriesAreUsedUp() throws Exception {
        server.answers(request -> ChatAnswer.refusal(503, "overloaded").header("retry-after-ms", "1"));

        asking.run("--model-retries", "2");

        assertThat(server.requests()).hasSize(3);
        assertThat(Asking.call().retries()).isEqualTo(2);
        assertThat(error()).isEqualTo("status 503: overloaded (POST " + address() + "/chat/completions)");
    }

    @Test
    void pauseThatWouldBeTooLong_isNotWaitedFor() throws Exception {
        String tomorrow = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                ZonedDateTime.now(ZoneOffset.UTC).plusDays(1));
        server.answer(ChatAnswer.refusal(429, "quota").header("Retry-After", tomorrow));

        asking.run();

        assertThat(server.requests()).hasSize(1);
        assertThat(error()).startsWith("status 429: quota (to try again in 86").contains("would be too late");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "text/html | <html><h1>Bad\tgateway</h1></html> | malformed JSON",
                "application/json | | malformed JSON",
                "application/json | [] | malformed JSON: no JSON object",
                "text/event-stream | data: {\"error\":{\"message\":\"out of memory\",\"code\":400}} | the server failed: out of memory",
                "text/event-stream | : ping | the stream was cut off",
            })
    void replyThatIsNone_failsTheRun(String contentType, String body, String told) throws Exception {
        server.answer(ChatAnswer.raw(200, contentType, body == null ? "" : body + "\n\n"));

        asking.run("--model-retries", "0");

        assertThat(error()).contains(told);
        assertThat(end().outcome()).isEqualTo(Outcome.FAILED);
    }

    @Test
    void replyThatWasCut_isRecordedAsFarAsItCame_andNotAskedForAgain() throws Exception {
        server.answer(ChatAnswer.text("The answer is 42").pieces(4).cutAfter(2));

        asking.run();

        assertThat(server.requests()).hasSize(1);
        assertThat(Objects.requireNonNull(Asking.call().reply()).content().text())
                .isEqualTo("The answ");
        assertThat(Asking.call().error()).isNotNull();
        assertThat(end().outcome()).isEqualTo(Outcome.FAILED);
    }

    @Test
    void malformedPiece_failsTheRun() throws Exception {
        server.answer(ChatAnswer.text("42 or so").pieces(2).malformedAfter(1));

        asking.run();

        assertThat(error()).contains("malformed JSON");
        assertThat(end().outcome()).isEqualTo(Outcome.FAILED);
    }

    @Test
    void wholeReplyThatWasCut_isNotAskedForAgain() throws Exception {
        server.answer(ChatAnswer.text("42").cutAfter(1));

        asking.run("--no-stream");

        assertThat(server.requests()).hasSize(1);
        assertThat(end().outcome()).isEqualTo(Outcome.FAILED);
    }

    @Test
    void streamThatForgetsItsManners_isUnderstood() throws Exception {
        server.answer(Asking.calculate("6*7").withoutDone());
        server.answer(Asking.submit("42").withoutFinish());

        asking.run();

        assertThat(end().solved()).isTrue();
        assertThat(Asking.calls()).extracting(ModelCalled::finishReason).containsExactly("tool_calls", null);
    }

    @Test
    void redirect_isNotFollowed() throws Exception {
        try (ChatServer other = ChatServer.start()) {
            server.answer(ChatAnswer.raw(307, "text/plain", "").header("Location", other.baseUrl()));

            asking.run();

            assertThat(other.requests()).isEmpty();
            assertThat(error()).contains("status 307: redirects are not followed");
        }
    }

    @Test
    void serverThatGoesAway_isSaid() throws Exception {
        server.answers(request -> {
            closeQuietly(server);
            return Asking.calculate("6*7");
        });

        asking.run("--model-retries", "1");

        ModelCalled last = Asking.calls().get(Asking.calls().size() - 1);
        assertThat(Objects.requireNonNull(last.error()).text())
                .isEqualTo("cannot connect (POST " + address() + "/chat/completions)");
    }

    private String address() {
        return server.baseUrl().replace("http://", "");
    }

    private static void closeQuietly(ChatServer server) {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void keyInAnAnswer_isInNoCause() throws Exception {
        String key = "wholly-plain-words-7f3a";
        server.answers(request -> ChatAnswer.refusal(400, "the key " + key + " is not known here"));

        Cli run = asking.with(Map.of("OPENAI_API_KEY", key), "--rollouts", "3");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out() + run.err())
                .contains("failed   3 × status 400: ", "rlm: every run failed: 3 × status 400: ", " is not known here")
                .doesNotContain(key);
    }

    @Test
    void serverThatDoesNotAnswer_isGivenUp() throws Exception {
        server.answer(ChatAnswer.text("42").stallEarly(gate));

        asking.run("--model-timeout", "300ms");

        assertThat(error()).startsWith("no answer in time (--model-timeout) (POST ");
        await().atMost(PATIENCE).until(() -> server.abandoned() == 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--model-timeout", "--model-silence"})
    void streamThatStalls_isGivenUp(String limit) throws Exception {
        server.answer(ChatAnswer.text("42 and").pieces(2).stallAfter(1, gate));

        asking.run(limit, "1s");

        assertThat(server.requests()).hasSize(1);
        assertThat(error()).contains(limit);
        assertThat(Objects.requireNonNull(Asking.call().reply()).content().text())
                .isEqualTo("42");
        await().atMost(PATIENCE).until(() -> server.abandoned() == 1);
    }

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(strings = {"--timeout", "--step-timeout"})
    void runThatIsOutOfTime_closesTheConnection(String limit) throws Exception {
        server.answer(ChatAnswer.text("42 and").pieces(2).stallAfter(1, gate));

        Cli run = asking.run(limit, "2s");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(end().outcome()).isEqualTo(Outcome.FAILED);
        await().atMost(PATIENCE).until(() -> server.abandoned() == 1);
    }

    @Test
    void callOfARunThatIsOutOfTime_isInTheRecord() throws Exception {
        server.answer(ChatAnswer.text("42").stallEarly(gate));
        String journal = folder.resolve("journal").toString();

        asking.run("--timeout", "1s", "--sink", "jsonl", "--journal", journal);

        assertThat(error()).isEqualTo("the run ended before the call");
        assertThat(Asking.call().step()).isEqualTo(1);
        assertThat(Asking.call().seq())
                .isLessThan(KeptSinkProvider.events(StepEnded.class).get(0).seq());
        String runId = end().run().runId();
        Cli show = Cli.with(Map.of(), "show", runId, "--messages", "--journal", journal);
        assertThat(show.out()).contains("What is 6 times 7?", "the run ended before the call");
    }

    @Test
    void callsAtATime_areLimitedOverTheJob() throws Exception {
        server.answers(request -> ChatAnswer.text("42").stallEarly(gate));
        CompletableFuture<Void> opener = CompletableFuture.runAsync(() -> {
            await().atMost(PATIENCE).until(() -> server.answering() == 2);
            gate.open();
        });

        Cli run = asking.run("--rollouts", "6", "--concurrency", "6", "--model-concurrency", "2");

        opener.join();
        assertThat(run.exitCode()).isZero();
        assertThat(server.mostAtOnce()).isEqualTo(2);
        assertThat(KeptSinkProvider.events(RunEnded.class)).hasSize(6).allMatch(RunEnded::solved);
    }

    private static String error() {
        return Objects.requireNonNull(Asking.call().error()).text();
    }

    private static RunEnded end() {
        return KeptSinkProvider.events(RunEnded.class).get(0);
    }
}
