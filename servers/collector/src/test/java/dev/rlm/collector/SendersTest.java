package dev.rlm.collector;

import static dev.rlm.collector.Otlp.lasting;
import static dev.rlm.collector.Otlp.span;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.ToolCalled;
import io.opentelemetry.proto.trace.v1.Span;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Spans in the forms in which programs and instrumentations really send them. */
@Timeout(180)
class SendersTest extends CollectedSpans {
    private static final Map<String, Object> CHAT =
            Map.of("gen_ai.operation.name", "chat", "gen_ai.provider.name", "openai", "gen_ai.request.model", "m");
    private static final Map<String, Object> AGENT = Map.of("gen_ai.operation.name", "invoke_agent");

    private List<RunEvent> run(Map<String, ?> root, Span... below) throws Exception {
        Span[] all = new Span[below.length + 1];
        System.arraycopy(below, 0, all, 1, below.length);
        all[0] = lasting(60, span(1, 0, "agent", root));
        send(all);
        return collector.events(Otlp.TRACE);
    }

    private static Map<String, Object> with(Map<String, Object> attributes, Object... more) {
        Map<String, Object> all = new HashMap<>(attributes);
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i].toString(), more[i + 1]);
        }
        return all;
    }

    private static List<ModelCalled> calls(List<RunEvent> run) {
        return only(ModelCalled.class, run);
    }

    private static List<ToolCalled> tools(List<RunEvent> run) {
        return only(ToolCalled.class, run);
    }

    @Test
    void claudeCode() throws Exception {
        List<RunEvent> run = run(
                Map.of("span.type", "interaction", "user_prompt", "List files"),
                span(
                        2,
                        1,
                        "claude_code.llm_request",
                        Map.of(
                                "span.type", "llm_request",
                                "gen_ai.system", "anthropic",
                                "gen_ai.request.model", "c",
                                "input_tokens", 100,
                                "output_tokens", 10,
                                "cache_read_tokens", 50,
                                "stop_reason", "tool_use")),
                span(3, 1, "claude_code.tool", Map.of("span.type", "tool", "tool_name", "Bash", "tool_use_id", "t1")));

        assertThat(calls(run))
                .extracting(
                        call -> call.usage().inputTokens(),
                        call -> call.usage().outputTokens(),
                        call -> call.usage().cachedTokens(),
                        ModelCalled::finishReason)
                .containsExactly(tuple(150L, 10L, 50L, "tool_use")); // those of the cache are part of the input
        assertThat(tools(run)).extracting(ToolCalled::tool, ToolCalled::callId).containsExactly(tuple("Bash", "t1"));
        assertThat(run.get(0).run().task()).hasToString("List files");
    }

    @Test
    void vercelsSdk() throws Exception {
        String messages = "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Weather?\"}]},"
                + "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool-call\",\"toolCallId\":\"c1\",\"toolName\":\"look\",\"input\":{}}]},"
                + "{\"role\":\"tool\",\"content\":[{\"type\":\"tool-result\",\"toolCallId\":\"c1\",\"output\":\"sun\"}]}]";
        List<RunEvent> run = run(
                Map.of("ai.operationId", "ai.generateText", "ai.response.text", "Sunny."),
                span(
                        2,
                        1,
                        "ai.generateText.doGenerate",
                        Map.of(
                                "ai.operationId", "ai.generateText.doGenerate",
                                "ai.model.id", "m",
                                "ai.usage.promptTokens", 9,
                                "ai.usage.completionTokens", 2,
                                "ai.prompt.messages", messages,
                                "ai.response.toolCalls",
                                        "[{\"toolCallId\":\"c2\",\"toolName\":\"look\",\"input\":\"{}\"}]",
                                "ai.response.text", "Sunny.")),
                span(
                        3,
                        1,
                        "ai.toolCall",
                        Map.of(
                                "ai.operationId", "ai.toolCall",
                                "ai.toolCall.name", "look",
                                "ai.toolCall.id", "c2",
                                "ai.toolCall.args", "{}",
                                "ai.toolCall.result", "sun")));

        ModelCalled call = calls(run).get(0);
        assertThat(call.model()).isEqualTo("m");
        assertThat(call.usage().inputTokens()).isEqualTo(9);
        assertThat(call.messages())
                .extracting(Message::role, Message::toolCallId)
                .containsExactly(tuple("user", null), tuple("assistant", null), tuple("tool", "c1"));
        assertThat(reply(call).content()).hasToString("Sunny.");
        assertThat(reply(call).toolCalls()).extracting(Message.ToolRequest::id).containsExactly("c2");
        assertThat(tools(run))
                .extracting(ToolCalled::tool, tool -> tool.result().text())
                .containsExactly(tuple("look", "sun"));
    }

    @Test
    void callThatTwoSpansTell_isOne_andOneThatHoldsSeveralIsNone() throws Exception {
        List<RunEvent> twice = run(
                AGENT,
                span(2, 1, "chat", with(CHAT, "gen_ai.usage.input_tokens", 100)),
                span(3, 2, "chat", with(CHAT, "gen_ai.usage.input_tokens", 100)));
        assertThat(calls(twice)).hasSize(1);

        send(
                lasting(60, Otlp.of(7, 1, 0, "agent", AGENT).build()),
                lasting(30, Otlp.of(7, 2, 1, "generate", CHAT).build()),
                Otlp.of(7, 3, 2, "chat", with(CHAT, "gen_ai.usage.input_tokens", 1))
                        .build(),
                Otlp.of(7, 4, 2, "chat", with(CHAT, "gen_ai.usage.input_tokens", 2))
                        .build());
        assertThat(calls(collector.events("00000000000000000000000000000007")))
                .extracting(call -> call.usage().inputTokens())
                .containsExactly(1L, 2L);
    }

    @Test
    void tokens_thatAreTexts_orOfOldNames() throws Exception {
        List<RunEvent> run = run(
                AGENT,
                span(2, 1, "chat", with(CHAT, "gen_ai.usage.input_tokens", "100")),
                span(3, 1, "chat", with(CHAT, "gen_ai.response.input_tokens", 200)));
        assertThat(calls(run)).extracting(call -> call.usage().inputTokens()).containsExactly(100L, 200L);
    }

    @Test
    void toolsOfOlderInstrumentations_haveNoOperation() throws Exception {
        List<RunEvent> run = run(
                AGENT,
                span(2, 1, "chat", CHAT),
                span(
                        3,
                        1,
                        "running tool",
                        Map.of(
                                "gen_ai.tool.name", "add",
                                "gen_ai.tool.call.id", "c1",
                                "tool_arguments", "{}",
                                "tool_response", "2")));
        assertThat(tools(run))
                .extracting(
                        ToolCalled::tool,
                        ToolCalled::callId,
                        tool -> tool.arguments().text(),
                        tool -> tool.result().text())
                .containsExactly(tuple("add", "c1", "{}", "2"));
    }

    @Test
    void resultsOfTools_areMessagesOfTools_whoeverTellsThem() throws Exception {
        String messages =
                "[{\"role\":\"user\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"c1\",\"result\":\"4\"},"
                        + "{\"type\":\"tool_call_response\",\"id\":\"c2\",\"result\":\"5\"},{\"type\":\"text\",\"content\":\"Go on\"}]}]";
        List<RunEvent> run = run(AGENT, span(2, 1, "chat", with(CHAT, "gen_ai.input.messages", messages)));
        assertThat(calls(run).get(0).messages())
                .extracting(
                        Message::role,
                        Message::toolCallId,
                        message -> message.content().text())
                .containsExactly(tuple("tool", "c1", "4"), tuple("tool", "c2", "5"), tuple("user", null, "Go on"));
    }

    @Test
    void messageWithoutARole_isTheUsers() throws Exception {
        String messages = "[{\"parts\":[{\"type\":\"text\",\"content\":\"Hi\"}]}]";
        List<RunEvent> run = run(AGENT, span(2, 1, "chat", with(CHAT, "gen_ai.input.messages", messages)));
        assertThat(calls(run).get(0).messages())
                .extracting(Message::role, message -> message.content().text())
                .containsExactly(tuple("user", "Hi"));
    }

    @Test
    void partsOfOpenInference_andOfOpenLlmetry() throws Exception {
        String at = "llm.input_messages.0.message.";
        Map<String, Object> inference = Map.of(
                "openinference.span.kind",
                "LLM",
                "llm.model_name",
                "m",
                at + "role",
                "user",
                at + "content",
                "What is this?",
                at + "contents.0.message_content.type",
                "text",
                at + "contents.0.message_content.text",
                "What is this?",
                at + "contents.1.message_content.type",
                "image",
                at + "contents.1.message_content.image.image.url",
                "https://example.org/a.png");
        Map<String, Object> metry = Map.of(
                "llm.request.type", "chat",
                "gen_ai.prompt.0.role", "user",
                "gen_ai.prompt.0.content",
                        "[{\"type\":\"text\",\"text\":\"What is this?\"},{\"type\":\"image_url\",\"image_url\":"
                                + "{\"url\":\"https://example.org/a.png\"}}]");
        List<RunEvent> run = run(AGENT, span(2, 1, "one", inference), span(3, 1, "other", metry));

        assertThat(calls(run)).allSatisfy(call -> {
            Message message = call.messages().get(0);
            assertThat(message.content()).hasToString("What is this?");
            assertThat(message.parts())
                    .extracting(MessagePart::type, MessagePart::uri)
                    .containsExactly(
                            tuple(MessagePart.Type.TEXT, null),
                            tuple(MessagePart.Type.IMAGE, "https://example.org/a.png"));
        });
        assertThat(calls(run)).hasSize(2);
    }

    @Test
    void replyOfAChoice_isTheAssistants_whereNoRoleSaysSo() throws Exception {
        List<RunEvent> run = run(
                AGENT,
                span(2, 1, "chat", with(CHAT, "output.value", "{\"choices\":[{\"message\":{\"content\":\"4\"}}]}")));
        assertThat(reply(calls(run).get(0)).role()).isEqualTo("assistant");
        assertThat(reply(calls(run).get(0)).content()).hasToString("4");
    }

    @Test
    void langSmith_withMessagesOfLangChain_andTemplatesThatAreNoCalls() throws Exception {
        String asked =
                "{\"messages\":[[{\"lc\":1,\"type\":\"constructor\",\"id\":[\"SystemMessage\"],\"kwargs\":{\"type\":\"system\",\"content\":\"Be brief\"}},"
                        + "{\"lc\":1,\"type\":\"constructor\",\"id\":[\"HumanMessage\"],\"kwargs\":{\"type\":\"human\",\"content\":\"2+2?\"}}]]}";
        String said =
                "{\"generations\":[[{\"text\":\"\",\"message\":{\"lc\":1,\"type\":\"constructor\",\"id\":[\"AIMessage\"],\"kwargs\":{\"type\":\"ai\","
                        + "\"content\":\"I add\",\"tool_calls\":[{\"name\":\"add\",\"args\":{\"a\":2},\"id\":\"c1\"}]}}}]]}";
        List<RunEvent> run = run(
                Map.of("langsmith.span.kind", "chain", "gen_ai.operation.name", "chain"),
                span(2, 1, "ChatPromptTemplate", with(CHAT, "langsmith.span.kind", "prompt")),
                span(
                        3,
                        1,
                        "ChatOpenAI",
                        with(
                                with(with(CHAT, "langsmith.span.kind", "llm"), "gen_ai.prompt", asked),
                                "gen_ai.completion",
                                said)),
                span(
                        4,
                        1,
                        "add",
                        Map.of(
                                "langsmith.span.kind", "tool",
                                "gen_ai.operation.name", "execute_tool",
                                "gen_ai.prompt", "{\"a\":2}",
                                "gen_ai.completion", "4")),
                span(5, 1, "docs", Map.of("langsmith.span.kind", "retriever", "gen_ai.operation.name", "embeddings")));
        assertThat(calls(run)).hasSize(1);
        ModelCalled call = calls(run).get(0);
        assertThat(call.messages())
                .extracting(Message::role, message -> message.content().text())
                .containsExactly(tuple("system", "Be brief"), tuple("user", "2+2?"));
        assertThat(reply(call).content()).hasToString("I add");
        assertThat(reply(call).toolCalls())
                .extracting(
                        Message.ToolRequest::id,
                        Message.ToolRequest::tool,
                        asking -> asking.arguments().text())
                .containsExactly(tuple("c1", "add", "{\"a\":2}"));
        assertThat(tools(run))
                .extracting(ToolCalled::tool, tool -> tool.arguments().text(), tool -> String.valueOf(tool.result()))
                .containsExactly(tuple("add", "{\"a\":2}", "4"), tuple("docs", "", ""));
    }

    @Test
    void agentThatIsOnlyMade_isNoRun() throws Exception {
        send(Otlp.of(9, 1, 0, "create_agent", Map.of("gen_ai.operation.name", "create_agent"))
                .build());
        run(AGENT, span(2, 1, "chat", CHAT));
        assertThat(collector.runs()).hasSize(1);
    }

    @Test
    void json_withTheNamesOfTheDefinition_isTaken() throws Exception {
        String span = "{\"trace_id\":\"" + Otlp.TRACE + "\",\"span_id\":\"0000000000000001\",\"name\":\"chat m\","
                + "\"start_time_unix_nano\":\"" + Otlp.START + "\",\"attributes\":[{\"key\":\"gen_ai.operation.name\","
                + "\"value\":{\"string_value\":\"chat\"}},{\"key\":\"gen_ai.request.model\",\"value\":{\"string_value\":\"m_1\"}}]}";
        collector.post("/v1/traces", "{\"resource_spans\":[{\"scope_spans\":[{\"spans\":[" + span + "]}]}]}");
        assertThat(calls(collector.events(Otlp.TRACE)))
                .extracting(ModelCalled::model)
                .containsExactly("m_1");
    }
}
