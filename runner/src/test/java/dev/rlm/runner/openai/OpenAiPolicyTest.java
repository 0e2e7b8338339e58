package dev.rlm.runner.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.json.Json;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.testkit.chat.ChatRequest;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Option;

/** What a model is asked, what is made of its replies, and what is recorded of them. */
class OpenAiPolicyTest extends ModelTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void model_calculatesAndSubmits(boolean stream) throws Exception {
        server.answer(Asking.calculate("6*7")
                .reasoning("Six sevens.")
                .usage("{\"prompt_tokens\":30,\"completion_tokens\":9,\"prompt_tokens_details\":{\"cached_tokens\":16,"
                        + "\"cache_write_tokens\":8},"
                        + "\"completion_tokens_details\":{\"reasoning_tokens\":4},\"cost\":0.0125}")
                .tokens(List.of(1, 2, 3), List.of(7, 8), List.of(-0.5, -0.25))
                .member("\"metadata\":{\"weight_version\":\"step-7\"}")
                .pieces(3));
        server.answer(Asking.submit("42").usage(40, 3));

        Cli run = stream
                ? asking.run("--temperature", "0.5", "--max-tokens", "64", "--logprobs", "--token-ids")
                : asking.run("--temperature", "0.5", "--max-tokens", "64", "--logprobs", "--token-ids", "--no-stream");

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(KeptSinkProvider.events(RunEnded.class)).singleElement().matches(RunEnded::solved);
        ModelCalled first = Asking.calls().get(0);
        assertThat(first.provider()).isEqualTo("openai");
        assertThat(first.model()).isEqualTo("m");
        assertThat(first.responseId()).isEqualTo("chatcmpl-1");
        assertThat(first.costAmount()).isEqualTo(0.0125);
        assertThat(first.costCurrency()).isEqualTo("USD");
        assertThat(first.responseModel()).isEqualTo("scripted");
        assertThat(first.serverAddress()).isEqualTo(URI.create(server.baseUrl()).getHost());
        assertThat(first.serverPort()).isEqualTo(URI.create(server.baseUrl()).getPort());
        assertThat(first.parameters())
                .containsEntry("stream", stream)
                .containsEntry("temperature", 0.5)
                .containsEntry("max_tokens", 64)
                .containsEntry("logprobs", true)
                .containsEntry("return_token_ids", true)
                .containsKey("seed");
        assertThat(first.usage()).isEqualTo(new Usage(30L, 9L, 16L, 4L, 8L));
        assertThat(String.valueOf(first.toolDefinitions()))
                .startsWith("[{\"type\":\"function\",\"name\":\"calculator\",\"description\":\"")
                .contains("\"parameters\":{");
        TokenTrace tokens = Objects.requireNonNull(first.tokens());
        assertThat(tokens)
                .isEqualTo(new TokenTrace(
                        List.of(1, 2, 3),
                        List.of(7, 8),
                        List.of(-0.5, -0.25),
                        "step-7",
                        Content.redacted("tt"),
                        List.of(1, 1)));
        assertThat(tokens.responseTexts()).containsExactly("t", "t");
        assertThat(first.finishReason()).isEqualTo("tool_calls");
        assertThat(first.firstTokenNanos() != null).isEqualTo(stream);
        assertThat(first.error()).isNull();
        assertThat(Objects.requireNonNull(first.reply()).content().text())
                .isEqualTo("<think>\nSix sevens.\n</think>\n\n");
        assertThat(first.messages()).extracting(Message::role).containsExactly("system", "user");
    }

    @Test
    void conversation_isRecordedAsTheModelWasShownIt() throws Exception {
        server.answer(Asking.calculate("6*7")).answer(Asking.submit("42"));

        asking.run();

        List<Message> shown = Asking.calls().get(1).messages();
        assertThat(shown).extracting(Message::role).containsExactly("system", "user", "assistant", "tool");
        assertThat(shown.get(2).toolCalls()).singleElement().satisfies(request -> {
            assertThat(request.tool()).isEqualTo("calculator");
            assertThat(request.arguments().text()).isEqualTo("{\"expression\":\"6*7\"}");
        });
        assertThat(shown.get(3).toolCallId()).isEqualTo("c1");
        assertThat(shown.get(3).content().text()).isEqualTo("42");
        assertThat(messages(server.requests().get(1)).get(3))
                .isEqualTo(Map.of("role", "tool", "content", "42", "tool_call_id", "c1"));
    }

    @Test
    void severalRequests_areOneTurn_alsoWithoutIds() throws Exception {
        server.answer(ChatAnswer.text("Both at once.")
                .tool("", "calculator", "{\"expression\":\"6*6\"}")
                .tool("", "calculator", "{\"expression\":\"36+6\"}")
                .pieces(5));
        server.answer(Asking.submit("42"));

        asking.run();

        assertThat(KeptSinkProvider.events(StepEnded.class)).hasSize(2);
        assertThat(KeptSinkProvider.events(ToolCalled.class))
                .extracting(call -> call.result().text())
                .containsExactly("36", "42");
        assertThat(messages(server.requests().get(1)).subList(3, 5))
                .extracting(message -> message.get("tool_call_id"))
                .containsExactly("call-1-1", "call-1-2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "calculator | {\"expression\": \"6* | the arguments are no JSON object",
                "calculator | {\"sum\": 1} | the argument 'expression' is missing",
                "browser | {} | there is no tool 'browser': known are calculator, submit",
            })
    void wrongRequest_isToldToTheModel_whichMayGoOn(String tool, String arguments, String told) throws Exception {
        server.answer(ChatAnswer.text("").tool("c1", tool, arguments).pieces(2));
        server.answer(Asking.submit("42"));

        Cli run = asking.run();

        assertThat(run.exitCode()).isZero();
        assertThat(KeptSinkProvider.events(RunEnded.class)).singleElement().matches(RunEnded::solved);
        assertThat(messages(server.requests().get(1)).get(3).get("content"))
                .asString()
                .startsWith(told);
        assertThat(Objects.requireNonNull(Asking.calls().get(0).reply())
                        .toolCalls()
                        .get(0)
                        .arguments()
                        .text())
                .isEqualTo(arguments);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "42 | true",
                "$42.00 | true",
                "42 apples. | true",
                "It is 6*7.\\n#### 42 | true",
                "First 41.\\nA: 41\\nNo.\\nA: 42 | true",
                "**Answer:** 42 | true",
                "So \\\\boxed{42} it is, after 3 tries. | true",
                "6 * 7 = 42 | false",
                "#### 41\\n42 | false",
                "forty-two | false",
                "−42 | false",
                "4,2 | false",
            })
    void words_areASubmissionOfTheirMarkedNumber(String words, boolean solved) throws Exception {
        server.answer(ChatAnswer.text(words.replace("\\n", "\n").replace("\\\\", "\\")));

        asking.run("--no-tools");

        assertThat(KeptSinkProvider.events(RunEnded.class))
                .singleElement()
                .extracting(RunEnded::solved)
                .isEqualTo(solved);
        assertThat(server.requests().get(0).body()).doesNotContain("\"tools\"");
    }

    @Test
    void everyModel_actsOnEverySample_withSeedsOfTheirOwn() throws Exception {
        server.answers(request -> ChatAnswer.text("42"));

        asking.run("--model", "other/m-2", "--rollouts", "2");
        List<Object> seeds = seeds();
        asking.run("--model", "other/m-2", "--rollouts", "2");

        assertThat(Asking.calls()).extracting(ModelCalled::model).containsOnly("m", "other/m-2");
        assertThat(seeds).hasSize(4).doesNotHaveDuplicates().allMatch(seed -> (Integer) seed >= 0);
        assertThat(seeds()).containsExactlyInAnyOrderElementsOf(seeds);
    }

    private static List<Object> seeds() {
        return Asking.calls().stream()
                .map(call -> call.parameters().get("seed"))
                .toList();
    }

    @Test
    void baseUrl_mayCarryIdsInItsPath() throws Exception {
        server.answer(ChatAnswer.text("42"));
        String base = server.baseUrl().replace("/v1", "/rollout/r%2F1//attempt/../2/v1/");

        asking.run("--base-url", base);

        assertThat(server.requests().get(0).path()).isEqualTo("/rollout/r%2F1//attempt/../2/v1/chat/completions");
        assertThat(KeptSinkProvider.events(RunStarted.class))
                .singleElement()
                .satisfies(started -> assertThat(started.run().params()).containsEntry("base_url", base));
    }

    @Test
    void extraBody_addsAndTakesAway() throws Exception {
        server.answer(ChatAnswer.text("42"));

        asking.run("--extra-body", "{\"top_k\": 20, \"seed\": null, \"chat_template_kwargs\": {\"thinking\": false}}");

        assertThat(body(server.requests().get(0)))
                .containsEntry("top_k", 20)
                .containsEntry("chat_template_kwargs", Map.of("thinking", false))
                .doesNotContainKey("seed");
        assertThat(Asking.call().parameters()).containsEntry("top_k", 20).doesNotContainKey("seed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "7",
                "{\"prompt_tokens\":-1,\"completion_tokens\":\"many\",\"prompt_tokens_details\":null}",
                "{\"prompt_tokens\":1.5,\"completion_tokens\":1e300,\"completion_tokens_details\":[]}",
            })
    void usageThatCannotBe_isUnknown(String usage) throws Exception {
        server.answer(ChatAnswer.text("42").usage(usage));

        asking.run();

        assertThat(Asking.call().usage()).isEqualTo(Usage.UNKNOWN);
        assertThat(KeptSinkProvider.events(RunEnded.class)).singleElement().matches(RunEnded::solved);
    }

    @Test
    void thoughts_areShownAgainWhereThatIsAskedFor() throws Exception {
        server.answer(Asking.calculate("6*7").reasoning("Six sevens.")).answer(Asking.submit("42"));

        asking.run("--send-reasoning");

        assertThat(messages(server.requests().get(1)).get(2)).containsEntry("reasoning_content", "Six sevens.");
    }

    @Test
    void call_isAChatSpan_whoseTraceTheServerJoins() throws Exception {
        server.answer(ChatAnswer.text("42").usage(12, 1));
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            Map<String, String> variables = Map.of(
                    "RLM_JSONL_ENABLED", "false",
                    "RLM_OTEL_ENABLED", "true",
                    "BAGGAGE", "user=ann",
                    "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.httpEndpoint());
            List<String> arguments = asking.arguments();

            Cli.with(variables, arguments.toArray(String[]::new));

            OtlpSpan chat = receiver.spans("chat m").get(0);
            OtlpSpan step = receiver.spans("rlm.step").get(0);
            assertThat(chat.attributes())
                    .containsEntry("gen_ai.provider.name", "openai")
                    .containsEntry("gen_ai.request.model", "m")
                    .containsEntry("gen_ai.usage.input_tokens", 12L)
                    .containsEntry("gen_ai.request.stream", true)
                    .containsKeys("gen_ai.request.seed", "gen_ai.response.time_to_first_chunk");
            ChatRequest request = server.requests().get(0);
            assertThat(request.header("traceparent")).hasValue("00-" + step.traceId() + "-" + step.spanId() + "-01");
            assertThat(request.header("baggage")).isEmpty();
        }
    }

    @Test
    void everyOption_isDocumented() throws Exception {
        String page = Files.readString(Path.of("..", "docs", "models.md"));

        assertThat(Arrays.stream(OpenAiOptions.class.getDeclaredFields())
                        .filter(field -> field.isAnnotationPresent(Option.class))
                        .map(field -> "`" + field.getAnnotation(Option.class).names()[0] + "`"))
                .hasSize(16)
                .allMatch(page::contains);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> messages(ChatRequest request) {
        return (List<Map<String, Object>>) Objects.requireNonNull(body(request).get("messages"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> body(ChatRequest request) {
        return (Map<String, Object>) Objects.requireNonNull(Json.values(Json.REPLY.object(request.body())));
    }
}
