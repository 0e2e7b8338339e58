package dev.rlm.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionContentPart;
import com.openai.models.chat.completions.ChatCompletionContentPartImage;
import com.openai.models.chat.completions.ChatCompletionContentPartText;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessage;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import dev.rlm.cli.testkit.agent.AgentRecording;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import dev.rlm.sinks.traced.ChatClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TracedOpenAiTest {
    private static final String CONVERSATION = """
            [{"role":"system","content":"You count."},
            {"role":"user","content":"What is 1 + 2?\\n[image_url]"},
            {"role":"assistant","content":"Let me see.","tool_calls":[
             {"id":"call_a","type":"function","function":{"name":"add","arguments":"{\\"a\\": 1, \\"b\\": 2}"}},
             {"id":"call_b","type":"function","function":{"name":"divide","arguments":"{\\"a\\": 1, \\"b\\": 0}"}}]},
            {"role":"tool","content":"3","tool_call_id":"call_a"},
            {"role":"tool","content":"/ by zero","tool_call_id":"call_b","is_error":true},
            {"role":"assistant","content":"<think>\\nDone.\\n</think>\\n\\nIt is 3, \\"and\\" nothing."}]""";

    @TempDir
    private Path folder;

    private AgentRecording recorded;
    private OpenAIClient client;

    @BeforeEach
    void start() throws IOException {
        recorded = new AgentRecording(folder);
        client = OpenAIOkHttpClient.builder()
                .baseUrl(recorded.server().baseUrl())
                .apiKey("none")
                .maxRetries(0)
                .build();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        recorded.close();
    }

    private static ChatCompletionCreateParams.Builder question() {
        return ChatCompletionCreateParams.builder()
                .model("gpt-4o-mini")
                .addSystemMessage("You count.")
                .addUserMessageOfArrayOfContentParts(List.of(
                        ChatCompletionContentPart.ofText(ChatCompletionContentPartText.builder()
                                .text("What is 1 + 2?")
                                .build()),
                        ChatCompletionContentPart.ofImageUrl(ChatCompletionContentPartImage.builder()
                                .imageUrl(ChatCompletionContentPartImage.ImageUrl.builder()
                                        .url("https://example.org/sum.png")
                                        .build())
                                .build())));
    }

    @Test
    void agent_withTools_isExportedAsItWasSaid() {
        recorded.scriptTools("Let me see.");

        var model = TracedOpenAi.chat(client);
        var tools = TracedOpenAi.tools(Map.of("add", this::add, "divide", this::divide));

        assertThat(recorded.answer(
                        "What is 1 + 2?",
                        () -> answer(
                                params -> model.send(params).choices().get(0).message(), tools)))
                .isEqualTo("It is 3, \"and\" nothing.");
        assertThat(recorded.messages()).isEqualTo(AgentRecording.json(CONVERSATION));
        assertCalls();
        assertThat(recorded.calls())
                .allSatisfy(call -> assertThat(call.firstTokenNanos()).isNull());
    }

    @Test
    void streamingAgent_withTools_isExportedAsItWasSaid() {
        recorded.scriptTools("Let me see.");

        var model = TracedOpenAi.streaming(client);
        var tools = TracedOpenAi.tools(Map.of("add", this::add, "divide", this::divide));

        assertThat(recorded.answer("What is 1 + 2?", () -> answer(params -> message(model.send(params)), tools)))
                .isEqualTo("It is 3, \"and\" nothing.");
        assertThat(recorded.messages()).isEqualTo(AgentRecording.json(CONVERSATION));
        assertCalls();
        assertThat(recorded.calls())
                .allSatisfy(call -> assertThat(call.firstTokenNanos()).isBetween(call.startNanos(), call.nanos()));
    }

    private void assertCalls() {
        assertThat(recorded.calls())
                .extracting(ModelCalled::provider, ModelCalled::model, ModelCalled::usage)
                .containsExactly(
                        tuple("openai", "gpt-4o-mini", new Usage(20L, 10L, 16L, 4L)),
                        tuple("openai", "gpt-4o-mini", new Usage(40L, 7L, null, null)));
        assertThat(recorded.turns())
                .extracting(turn -> turn.path("finish_reason").asString())
                .containsExactly("tool_calls", "stop");
        assertThat(recorded.turns().get(0).at("/response/content").asString())
                .isEqualTo("<think>\nTwo tools, then.\n</think>\n\nLet me see.");
        assertThat(recorded.tools())
                .extracting(
                        ToolCalled::tool,
                        ToolCalled::callId,
                        ToolCalled::failed,
                        call -> call.arguments().text(),
                        call -> call.result().text())
                .containsExactly(
                        tuple("add", "call_a", false, "{\"a\": 1, \"b\": 2}", "3"),
                        tuple("divide", "call_b", true, "{\"a\": 1, \"b\": 0}", ""));
    }

    @Test
    void streamThatBreaks_isRecordedWithWhatHadCome() {
        recorded.server().answer(ChatAnswer.text("Let me see that.").pieces(4).cutAfter(3));
        ChatClient<ChatCompletionCreateParams, Stream<ChatCompletionChunk>, RuntimeException> model =
                TracedOpenAi.streaming(client);

        recorded.answer("?", () -> {
            assertThatThrownBy(() -> message(model.send(question().build()))).isInstanceOf(RuntimeException.class);
            return "broken";
        });

        assertThat(recorded.calls()).singleElement().satisfies(call -> {
            assertThat(call.error()).isNotNull();
            assertThat(Objects.requireNonNull(call.reply()).content().text()).isEqualTo("Let me see t");
        });
    }

    /** Asks the model until it wants no more tools. */
    private static String answer(
            Function<ChatCompletionCreateParams, ChatCompletionMessage> model,
            Map<String, Function<ChatCompletionMessageFunctionToolCall, String>> tools) {
        ChatCompletionCreateParams.Builder conversation = question()
                .streamOptions(
                        ChatCompletionStreamOptions.builder().includeUsage(true).build());
        ChatCompletionMessage said = model.apply(conversation.build());
        while (!said.toolCalls().orElse(List.of()).isEmpty()) {
            conversation.addMessage(said);
            said.toolCalls()
                    .orElseThrow()
                    .forEach(asked -> conversation.addMessage(ChatCompletionToolMessageParam.builder()
                            .toolCallId(asked.asFunction().id())
                            .content(result(tools, asked.asFunction()))
                            .build()));
            said = model.apply(conversation.build());
        }
        return said.content().orElse("");
    }

    private static String result(
            Map<String, Function<ChatCompletionMessageFunctionToolCall, String>> tools,
            ChatCompletionMessageFunctionToolCall asked) {
        try {
            return Objects.requireNonNull(tools.get(asked.function().name())).apply(asked);
        } catch (RuntimeException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static ChatCompletionMessage message(Stream<ChatCompletionChunk> chunks) {
        ChatCompletionAccumulator whole = ChatCompletionAccumulator.create();
        try (chunks) {
            chunks.forEach(whole::accumulate);
        }
        return whole.chatCompletion().choices().get(0).message();
    }

    private String add(ChatCompletionMessageFunctionToolCall asked) {
        Numbers numbers = asked.function().arguments(Numbers.class);
        return "" + (numbers.a + numbers.b);
    }

    private String divide(ChatCompletionMessageFunctionToolCall asked) {
        Numbers numbers = asked.function().arguments(Numbers.class);
        return "" + numbers.a / numbers.b;
    }

    static final class Numbers {
        public int a;
        public int b;
    }
}
