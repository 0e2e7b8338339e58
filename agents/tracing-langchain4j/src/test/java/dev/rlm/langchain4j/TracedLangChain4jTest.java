package dev.rlm.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.langchain4j.agent.tool.Tool;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.SystemMessage;
import dev.langchain4j.service.TokenStream;
import dev.langchain4j.service.UserMessage;
import dev.langchain4j.service.tool.ToolProvider;
import dev.langchain4j.service.tool.ToolProviderResult;
import dev.langchain4j.service.tool.ToolService;
import dev.rlm.cli.testkit.agent.AgentRecording;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.testkit.chat.ChatAnswer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TracedLangChain4jTest {
    private static final String QUESTION = "What is 1 + 2?";
    private static final ImageContent PICTURE = ImageContent.from("https://example.org/sum.png");

    private static final String CONVERSATION = """
            [{"role":"system","content":"You count."},
            {"role":"user","content":"What is 1 + 2?\\n[image]"},
            {"role":"assistant","content":"Let me see.","tool_calls":[
             {"id":"call_a","type":"function","function":{"name":"add","arguments":"{\\"a\\": 1, \\"b\\": 2}"}},
             {"id":"call_b","type":"function","function":{"name":"divide","arguments":"{\\"a\\": 1, \\"b\\": 0}"}}]},
            {"role":"tool","content":"3","tool_call_id":"call_a"},
            {"role":"tool","content":"/ by zero","tool_call_id":"call_b","is_error":true},
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
                .baseUrl(recorded.server().baseUrl())
                .apiKey("none")
                .modelName("gpt-4o-mini")
                .returnThinking(true)
                .maxRetries(0)
                .build();
    }

    private StreamingChatModel openAiStreaming() {
        return OpenAiStreamingChatModel.builder()
                .baseUrl(recorded.server().baseUrl())
                .apiKey("none")
                .modelName("gpt-4o-mini")
                .returnThinking(true)
                .build();
    }

    @Test
    void service_withTools_isExportedAsItWasSaid() {
        recorded.scriptTools("Let me see.");
        ChatModel openAi = openAi();
        Calculator myTools = new Calculator();

        Assistant assistant = AiServices.builder(Assistant.class)
                .chatModel(TracedLangChain4j.chat("openai", openAi))
                .tools(TracedLangChain4j.tools(myTools))
                .build();

        assertThat(recorded.answer("What is 1 + 2?", () -> assistant.answer(QUESTION, PICTURE)))
                .isEqualTo("It is 3, \"and\" nothing.");
        assertThat(recorded.messages()).isEqualTo(AgentRecording.json(CONVERSATION));
        assertCalls();
        assertThat(recorded.calls())
                .allSatisfy(call -> assertThat(call.firstTokenNanos()).isNull());
    }

    @Test
    void streamingService_withTools_isExportedAsItWasSaid() {
        recorded.scriptTools("Let me see.");
        StreamingChatModel openAiStreaming = openAiStreaming();
        Calculator myTools = new Calculator();

        StreamingAssistant assistant = AiServices.builder(StreamingAssistant.class)
                .streamingChatModel(TracedLangChain4j.streaming("openai", openAiStreaming))
                .tools(TracedLangChain4j.tools(myTools))
                .build();

        assertThat(recorded.answer("What is 1 + 2?", () -> said(assistant.answer(QUESTION, PICTURE))))
                .isEqualTo("It is 3, \"and\" nothing.");
        assertThat(recorded.messages()).isEqualTo(AgentRecording.json(CONVERSATION));
        assertCalls();
        assertThat(recorded.calls())
                .allSatisfy(call -> assertThat(call.firstTokenNanos()).isBetween(call.startNanos(), call.nanos()));
    }

    private void assertCalls() {
        assertThat(recorded.calls()).extracting(ModelCalled::provider).containsExactly("openai", "openai");
        assertThat(recorded.calls()).extracting(ModelCalled::model).containsExactly("gpt-4o-mini", "gpt-4o-mini");
        assertThat(recorded.calls())
                .extracting(ModelCalled::usage)
                .containsExactly(new Usage(20L, 10L, null, null), new Usage(40L, 7L, null, null));
        assertThat(recorded.turns())
                .extracting(turn -> turn.path("finish_reason").asString())
                .containsExactly("tool_calls", "stop");
        assertThat(recorded.turns().get(0).at("/response/content").asString())
                .isEqualTo("<think>\nTwo tools, then.\n</think>\n\nLet me see.");
        assertThat(recorded.tools())
                .extracting(ToolCalled::tool, ToolCalled::callId, ToolCalled::provider, ToolCalled::step)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("add", "call_a", "function", 1),
                        org.assertj.core.groups.Tuple.tuple("divide", "call_b", "function", 1));
        assertThat(recorded.tools().get(0).arguments().text()).isEqualTo("{\"a\": 1, \"b\": 2}");
        assertThat(recorded.tools().get(0).result().text()).isEqualTo("3");
        assertThat(recorded.tools().get(1).failed()).isTrue();
        assertThat(recorded.tools().get(1).error()).hasToString("java.lang.ArithmeticException: / by zero");
    }

    @Test
    void model_thatIsAskedByItself_isRecordedInEachOfItsForms() {
        recorded.server().answers(request -> ChatAnswer.text("Yes."));
        ChatModel model = TracedLangChain4j.chat("openai", openAi());

        recorded.answer(
                "?",
                () -> model.chat("Is it?")
                        + model.chat(dev.langchain4j.data.message.UserMessage.from("Or?"))
                                .aiMessage()
                                .text());

        assertThat(recorded.calls())
                .extracting(call -> call.messages().get(0).content().text())
                .containsExactly("Is it?", "Or?");
        assertThat(recorded.calls()).extracting(ModelCalled::usage).containsOnly(Usage.UNKNOWN);
    }

    @Test
    void streamThatBreaks_isRecordedAsFailed() {
        recorded.server().answer(ChatAnswer.refusal(400, "no such model"));
        StreamingAssistant assistant = AiServices.builder(StreamingAssistant.class)
                .streamingChatModel(TracedLangChain4j.streaming("openai", openAiStreaming()))
                .build();

        recorded.answer("?", () -> said(assistant.answer(QUESTION, PICTURE)));

        assertThat(recorded.calls())
                .singleElement()
                .satisfies(call -> assertThat(String.valueOf(call.error())).contains("no such model"));
    }

    @Test
    void toolsOfAProvider_areRecordedAsMcps() {
        recorded.scriptTools("Let me see.");
        ToolProvider mcpToolProvider = request -> ToolProviderResult.builder()
                .addAll(ToolService.findTools(new Calculator()))
                .build();

        Assistant assistant = AiServices.builder(Assistant.class)
                .chatModel(TracedLangChain4j.chat("openai", openAi()))
                .toolProvider(TracedLangChain4j.mcp(mcpToolProvider))
                .build();

        recorded.answer("?", () -> assistant.answer(QUESTION, PICTURE));
        assertThat(recorded.tools()).extracting(ToolCalled::provider).containsExactly(ToolCalled.MCP, ToolCalled.MCP);
        assertThat(recorded.tools()).extracting(ToolCalled::callId).containsExactly("call_a", "call_b");
    }

    /** Waits for the end of the stream and returns its text, or the error's message. */
    private static String said(TokenStream stream) {
        CompletableFuture<String> said = new CompletableFuture<>();
        stream.onPartialResponse(piece -> {})
                .onCompleteResponse(
                        response -> said.complete(response.aiMessage().text()))
                .onError(error -> said.complete(String.valueOf(error)))
                .start();
        return said.join();
    }

    interface Assistant {
        @SystemMessage("You count.")
        String answer(@UserMessage String question, @UserMessage ImageContent picture);
    }

    interface StreamingAssistant {
        @SystemMessage("You count.")
        TokenStream answer(@UserMessage String question, @UserMessage ImageContent picture);
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
