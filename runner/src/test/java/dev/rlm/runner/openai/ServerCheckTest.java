package dev.rlm.runner.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatRequest;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The look for a model's server before the first run. */
class ServerCheckTest extends ModelTest {
    private static final String KEY = "wholly-plain-words-7f3a";

    @Test
    void serverThatIsNotThere_isSaidBeforeAnythingIsRecorded() throws Exception {
        server.close();
        Path journal = folder.resolve(".rlm");

        Cli run = Cli.with(
                Map.of("RLM_JSONL_DIR", journal.toString()), asking.arguments().toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .isEqualTo("rlm: --policy openai finds no server at " + server.baseUrl() + ": cannot connect\n");
        assertThat(run.out()).isEmpty();
        assertThat(journal).doesNotExist();
    }

    @Test
    void hostThatIsUnknown_isSaid() throws Exception {
        refused(
                asking.run("--base-url", "http://no-such-host.invalid/v1"),
                "finds no server at http://no-such-host.invalid/v1: unknown host");
    }

    @Tag("thorough")
    @Test
    void serverThatDoesNotAnswer_isGivenUpAfterSeconds() throws Exception {
        server.models(ChatAnswer.raw(200, "application/json", "{}").stallEarly(gate));

        refused(asking.run(), "finds no server at " + server.baseUrl() + ": no answer within 5 s");
    }

    @Test
    void keyThatIsMissingOrRefused_isSaidWithoutIt() throws Exception {
        server.models(ChatAnswer.refusal(401, "the key " + KEY + " is wrong"));

        refused(asking.run(), server.baseUrl() + " wants a key (status 401): set RLM_OPENAI_API_KEY or OPENAI_API_KEY");
        Cli wrong = asking.with(Map.of("OPENAI_API_KEY", KEY));
        refused(wrong, server.baseUrl() + " does not take the key (status 401)");
        assertThat(wrong.err()).doesNotContain(KEY);
    }

    @Test
    void addressOfEachRun_isFilledWithItsIds() throws Exception {
        server.answers(request -> Asking.submit("42"));
        String template =
                server.baseUrl().replace("/v1", "/rollout/{rollout}/attempt/{attempt}/run/{run}/of/{sample}/v1");
        Cli run = asking.run("--base-url", template, "--rollouts", "2");
        assertThat(run.exitCode()).as(run.err()).isZero();
        for (RunStarted start : KeptSinkProvider.events(RunStarted.class)) {
            Correlation ids = start.run().correlation();
            assertThat(server.requests())
                    .extracting(ChatRequest::path)
                    .contains("/rollout/" + ids.rollout() + "/attempt/1/run/"
                            + start.run().runId() + "/of/" + ids.sample() + "/v1/chat/completions");
            assertThat(start.run().params()).containsEntry("base_url", template);
        }
        assertThat(server.requests()).hasSize(2);
        Cli unknown = asking.run("--base-url", "http://127.0.0.1:1/{session}/v1");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err())
                .isEqualTo("rlm: --base-url has {session}: known are {attempt}, {rollout}, {run}, {sample}\n");
    }

    @ParameterizedTest
    @CsvSource({"404,there is no such model", "400,Invalid model name passed in model=m"})
    void modelThatTheServerDoesNotHave_isSaid_withWhatItHas(int status, String message) throws Exception {
        server.models(models("a", "b/c", "\u001B[31md", "e", "f", "g", "h"));
        server.answer(ChatAnswer.refusal(status, message));

        refused(asking.run(), server.baseUrl() + " has no model 'm': it has a, b/c, ␛[31md, e, f and 2 more");
        assertThat(server.requests())
                .singleElement()
                .satisfies(request -> assertThat(request.body()).contains("\"max_tokens\":1"));
    }

    @Test
    void modelBesideTheList_isUsed_whereTheServerTakesIt() throws Exception {
        server.models(models("m:latest"));
        server.answers(request -> ChatAnswer.text("42"));

        solved(asking.run());
    }

    @ParameterizedTest
    @ValueSource(strings = {"'max_tokens' is not supported with m", "the messages are malformed"})
    void errorThatIsNotAboutTheModel_refusesNone(String message) throws Exception {
        server.models(models("another"));
        server.answer(ChatAnswer.refusal(400, message)).answer(ChatAnswer.text("42"));

        solved(asking.run());
    }

    @Test
    void modelInTheList_isAskedForNothingBeforeItsRuns() throws Exception {
        server.models(models("other", "m"));
        server.answer(ChatAnswer.text("42"));

        solved(asking.run());
        assertThat(server.requests()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "403 | {\"error\":\"this key may not list models\"}",
                "404 | Not Found",
                "405 | ''",
                "429 | {\"error\":\"later\"}",
                "503 | {\"error\":\"loading\"}",
                "301 | ''",
                "200 | <html>",
                "200 | {\"data\":[]}",
                "200 | [{\"id\":\"another\"}]",
                "200 | {\"data\":[{\"id\":\"another\"}],\"has_more\":true}",
            })
    void serverWithoutAWholeList_isUsedAsItIs(int status, String body) throws Exception {
        server.models(ChatAnswer.raw(status, "text/plain", body));
        server.answer(ChatAnswer.text("42"));

        solved(asking.run());
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void listThatIsTooLong_isNone_andIsNotReadToItsEnd() throws Exception {
        server.models(models("another", "x".repeat(1 << 24)));
        server.answer(ChatAnswer.text("42"));

        solved(asking.run());
        assertThat(server.requests()).as("of runs alone").hasSize(1);
    }

    private static ChatAnswer models(String... names) {
        StringBuilder data = new StringBuilder();
        for (String name : names) {
            data.append(data.isEmpty() ? "" : ",")
                    .append("{\"object\":\"model\",\"id\":\"")
                    .append(name.replace("\u001B", "\\u001b"))
                    .append("\"}");
        }
        return ChatAnswer.raw(200, "application/json", "{\"object\":\"list\",\"data\":[" + data + "]}");
    }

    private static void refused(Cli run, String told) {
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("rlm: --policy openai")
                .endsWith(told);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(KeptSinkProvider.events(Event.class)).isEmpty();
    }

    private static void solved(Cli run) {
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(KeptSinkProvider.events(RunEnded.class)).singleElement().matches(RunEnded::solved);
    }
}
