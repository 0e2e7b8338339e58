package dev.rlm.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.cli.testkit.agent.AgentRecording;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.content.Media;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;
import org.springframework.ai.support.ToolCallbacks;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.util.MimeTypeUtils;

@Timeout(120)
class TracedSpringAiTest {
    private static final Prompt QUESTION = new Prompt(
            new SystemMessage("You count."),
            UserMessage.builder()
                    .text("What is 1 + 2?")
                    .media(new Media(MimeTypeUtils.IMAGE_PNG, URI.create("https://example.org/sum.png")))
                    .build());

    private static final String CONVERSATION = """
            [{"role":"system","content":"You count."},
            {"role":"user","content":"What is 1 + 2?\\n[image/png]"},
            {"role":"assistant","content":"Let me see.","tool_calls":[
             {"id":"call_a","type":"function","function":{"name":"add","arguments":"{\\"a\\": 1, \\"b\\": 2}"}},
             {"id":"call_b","type":"function","function":{"name":"divide","arguments":"{\\"a\\": 1, \\"b\\": 0}"}}]},
            {"role":"tool","content":"3","tool_call_id":"call_a"},
            {"role":"tool","content":"/ by zero","tool_call_id":"call_b"},
            {"role":"assistant","content":"<think>\\nDone.\\n</think>\\n\\nIt is 3, \\"and\\" nothing."}]""";

    @TempDir
    private Path folder;

    private AgentRecording recorded;

    @BeforeEach
    void start() throws IOException {
        recorded = new AgentRecording(folder);
    }

    @AfterEach
    void close() throws IOException {
        recorded.close();
    }

    private ChatModel openAi() {
        return OpenAiChatModel.builder()
                .options(OpenAiChatOptions.builder()
                        .baseUrl(recorded.server().baseUrl())
                        .apiKey("none")
                        .model("gpt-4o-mini")
                        .maxRetries(0)
                        .build())
                .build();
    }

    @Test
    void client_withTools_isExportedAsItWasSaid() {
        recorded.scriptTools("Let me see.");
        ChatModel openAi = openAi();
        List<ToolCallback> myTools = List.of(ToolCallbacks.from(new Calculator()));

        ChatClient client = ChatClient.builder(TracedSpringAi.chat("openai", openAi))
                .defaultTools(TracedSpringAi.tools(myTools))
                .build();

        assertThat(recorded.answer(
                        "What is 1 + 2?",
                        () -> Objects.requireNonNull(
                                client.prompt(QUESTION).call().content())))
                .isEqualTo("It is 3, \"and\" nothing.");
        assertThat(recorded.messages()).isEqualTo(AgentRecording.json(CONVERSATION));
        assertCalls("Let me see.");
        assertThat(recorded.calls())
                .allSatisfy(call -> assertThat(call.firstTokenNanos()).isNull());
    }

    @Test
    void streamingClient_withTools_isExportedAsItWasSaid() {
        recorded.scriptTools(""); // the client's answer is all that is said
        ChatClient client = ChatClient.builder(TracedSpringAi.chat("openai", openAi()))
                .defaultTools(TracedSpringAi.tools(List.of(ToolCallbacks.from(new Calculator()))))
                .build();

        assertThat(recorded.answer("What is 1 + 2?", () -> said(client.prompt(QUESTION))))
                .isEqualTo("It is 3, \"and\" nothing.");
        assertThat(recorded.messages()).isEqualTo(AgentRecording.json(CONVERSATION.replace("\"Let me see.\"", "null")));
        assertCalls("");
        assertThat(recorded.calls())
                .allSatisfy(call -> assertThat(call.firstTokenNanos()).isBetween(call.startNanos(), call.nanos()));
    }

    private void assertCalls(String first) {
        assertThat(recorded.calls())
                .extracting(ModelCalled::provider, ModelCalled::model, ModelCalled::usage)
                .containsExactly(
                        tuple("openai", "gpt-4o-mini", new Usage(20L, 10L, 16L, null)),
                        tuple("openai", "gpt-4o-mini", new Usage(40L, 7L, null, null)));
        assertThat(recorded.turns())
                .extracting(turn -> turn.path("finish_reason").asString())
                .containsExactly("tool_calls", "stop");
        assertThat(recorded.turns().get(0).at("/response/content").asString())
                .isEqualTo("<think>\nTwo tools, then.\n</think>\n\n" + first);
        assertThat(recorded.tools())
                .extracting(
                        ToolCalled::tool,
                        ToolCalled::provider,
                        ToolCalled::step,
                        ToolCalled::failed,
                        call -> call.arguments().text(),
                        call -> call.result().text())
                .containsExactly(
                        tuple("add", "function", 1, false, "{\"a\": 1, \"b\": 2}", "3"),
                        tuple("divide", "function", 1, true, "{\"a\": 1, \"b\": 0}", ""));
        assertThat(recorded.tools().get(1).error()).hasToString("java.lang.ArithmeticException: / by zero");
    }

    @Test
    void model_thatIsAskedByItself_isRecordedInEachOfItsForms() {
        recorded.server().answers(request -> ChatAnswer.text("Yes."));
        ChatModel model = TracedSpringAi.chat("openai", openAi());

        recorded.answer("?", () -> model.call("Is it?") + model.stream("Or?").blockLast());

        assertThat(recorded.calls())
                .extracting(call -> call.messages().get(0).content().text())
                .containsExactly("Is it?", "Or?");
        assertThat(recorded.calls()).extracting(ModelCalled::usage).containsOnly(Usage.UNKNOWN);
    }

    @Test
    void streamThatBreaks_isRecordedWithWhatHadCome() {
        recorded.server().answer(ChatAnswer.text("Let me see that.").pieces(4).cutAfter(3));
        ChatModel model = TracedSpringAi.chat("openai", openAi());

        recorded.answer(
                "?",
                () -> model.stream("Or?").onErrorReturn("broken").collectList().block() + "");

        assertThat(recorded.calls()).singleElement().satisfies(call -> {
            assertThat(call.error()).isNotNull();
            assertThat(Objects.requireNonNull(call.reply()).content().text()).isEqualTo("Let me see t");
        });
    }

    @Test
    void toolsOfServers_areRecordedAsMcps() {
        recorded.scriptTools("Let me see.");
        ChatClient client = ChatClient.builder(TracedSpringAi.chat("openai", openAi()))
                .defaultTools(TracedSpringAi.mcp(List.of(ToolCallbacks.from(new Calculator()))))
                .build();

        recorded.answer(
                "?", () -> Objects.requireNonNull(client.prompt(QUESTION).call().content()));

        assertThat(recorded.tools()).extracting(ToolCalled::provider).containsExactly(ToolCalled.MCP, ToolCalled.MCP);
    }

    private static String said(ChatClient.ChatClientRequestSpec request) {
        List<String> pieces =
                Objects.requireNonNull(request.stream().content().collectList().block());
        return String.join("", pieces);
    }

    static final class Calculator {
        @Tool
        int add(int a, int b) {
            return a + b;
        }

        @Tool
        int divide(int a, int b) {
            return a / b;
        }
    }
}
