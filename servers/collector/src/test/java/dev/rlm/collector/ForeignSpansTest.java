package dev.rlm.collector;

import static dev.rlm.collector.Otlp.event;
import static dev.rlm.collector.Otlp.failed;
import static dev.rlm.collector.Otlp.lasting;
import static dev.rlm.collector.Otlp.request;
import static dev.rlm.collector.Otlp.span;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Spans of other programs, and the runs that they become. */
@Timeout(180)
class ForeignSpansTest extends CollectedSpans {
    private static final String PROTOBUF = "application/x-protobuf";

    /** Starts another in its place, which does not wait for a root for long. */
    private void startImpatient() throws Exception {
        collector.stop();
        collector = RunningCollector.start(folder, "--idle-timeout", "300ms");
    }

    private static <T extends RunEvent> T one(Class<T> kind, List<RunEvent> events) {
        assertThat(only(kind, events)).hasSize(1);
        return only(kind, events).get(0);
    }

    private static String text(@Nullable Content content) {
        return Objects.requireNonNull(content).text();
    }

    private static Map<String, Object> chat(Object... more) {
        Map<String, Object> attributes = new HashMap<>(Map.of(
                "gen_ai.operation.name", "chat", "gen_ai.provider.name", "openai", "gen_ai.request.model", "gpt-x"));
        for (int i = 0; i < more.length; i += 2) {
            attributes.put(more[i].toString(), more[i + 1]);
        }
        return attributes;
    }

    @Test
    void attributes_whoseNamesSaySecret_areMarks_onTheDiskToo() throws Exception {
        String secret = "hunter2-of-mine";
        send(
                lasting(9, span(1, 0, "agent", Map.of("gen_ai.operation.name", "invoke_agent", "db.password", secret))),
                span(2, 1, "ask", Map.of("http.request.header.authorization", "Basic " + secret)),
                span(3, 1, "look", Map.of("db.name", "shop-2"), event("login", Map.of("client_secret", secret))));

        assertThat(collector.events(Otlp.TRACE).toString())
                .contains("db.password=[REDACTED:named:", "http.request.header.authorization=[REDACTED:named:")
                .contains("db.name=shop-2")
                .doesNotContain(secret);
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(Files::isRegularFile))
                    .allSatisfy(file -> assertThat(Files.readAllBytes(file))
                            .asString(StandardCharsets.ISO_8859_1)
                            .doesNotContain(secret));
        }
    }

    @Test
    void agent_ofTheConventions_becomesARunWithSteps() throws Exception {
        String asked = "[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"How warm is it?\"}]}]";
        String calls = "[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"weather\","
                + "\"arguments\":{\"city\":\"Rome\"}}],\"finish_reason\":\"tool_call\"}]";
        String says = "[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"It is 20 degrees.\"}]}]";
        Map<String, Object> tool = Map.of(
                "gen_ai.operation.name", "execute_tool",
                "gen_ai.tool.name", "weather",
                "gen_ai.tool.call.id", "c1",
                "gen_ai.tool.call.arguments", "{\"city\":\"Rome\"}",
                "gen_ai.tool.call.result", "20");
        Span root = lasting(
                9,
                span(
                        1,
                        0,
                        "invoke_agent guide",
                        Map.of("gen_ai.operation.name", "invoke_agent", "gen_ai.agent.name", "guide")));
        send(
                span(
                        2,
                        1,
                        "chat gpt-x",
                        chat(
                                "gen_ai.input.messages",
                                asked,
                                "gen_ai.output.messages",
                                calls,
                                "gen_ai.usage.input_tokens",
                                12,
                                "gen_ai.usage.output_tokens",
                                3)),
                span(3, 1, "execute_tool weather", tool),
                span(4, 1, "plan", Map.of("plan.length", 3)),
                span(5, 4, "chat gpt-x", chat("gen_ai.output.messages", says, "gen_ai.request.temperature", 0.5)),
                root);

        List<RunEvent> run = collector.events(Otlp.TRACE);
        assertThat(run.get(0).run().task().text()).isEqualTo("How warm is it?");
        assertThat(run.get(0).run().agent()).isEqualTo("guide");
        assertThat(run.get(0).run().environment()).isEqualTo("my-agent");
        assertThat(run.get(0).run().model()).isEqualTo("gpt-x");
        assertThat(only(StepStarted.class, run)).hasSize(2);
        ModelCalled first = only(ModelCalled.class, run).get(0);
        assertThat(first.usage().inputTokens()).isEqualTo(12);
        assertThat(reply(first).toolCalls())
                .extracting(Message.ToolRequest::tool)
                .containsExactly("weather");
        ToolCalled called = one(ToolCalled.class, run);
        assertThat(called.step()).isEqualTo(1);
        assertThat(called.result().text()).isEqualTo("20");
        assertThat(one(SpanRecorded.class, run).attributes()).containsEntry("plan.length", 3);
        ModelCalled second = only(ModelCalled.class, run).get(1);
        assertThat(second.step()).isEqualTo(2);
        assertThat(second.parentSeq()).isEqualTo(one(SpanRecorded.class, run).seq());
        assertThat(second.parameters()).containsEntry("temperature", 0.5);
        assertThat(only(StepEnded.class, run)).extracting(StepEnded::actionType).containsExactly("weather", "");
        RunEnded end = one(RunEnded.class, run);
        assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(text(end.finalAnswer())).isEqualTo("It is 20 degrees.");
        assertThat(end.nanos()).isEqualTo(9_000_000_000L);
        assertThat(end.seq()).isEqualTo(run.size());
    }

    @Test
    void messagesOfEvents_areRead_asBefore137() throws Exception {
        send(span(
                1,
                0,
                "chat gpt-x",
                Map.of(
                        "gen_ai.operation.name",
                        "chat",
                        "gen_ai.system",
                        "openai",
                        "gen_ai.request.model",
                        "gpt-x",
                        "gen_ai.usage.prompt_tokens",
                        7),
                event("gen_ai.system.message", Map.of("content", "Be short.")),
                event("gen_ai.user.message", Map.of("content", "Hi")),
                event("gen_ai.choice", Map.of("index", 0, "message", "{\"content\":\"Hello\"}"))));
        ModelCalled call = one(ModelCalled.class, collector.events(Otlp.TRACE));
        assertThat(call.messages()).extracting(Message::role).containsExactly("system", "user");
        assertThat(reply(call).content().text()).isEqualTo("Hello");
        assertThat(call.provider()).isEqualTo("openai");
        assertThat(call.usage().inputTokens()).isEqualTo(7);
    }

    @Test
    void openInference_isRead() throws Exception {
        Map<String, Object> llm = new HashMap<>(Map.of(
                "openinference.span.kind", "LLM",
                "llm.model_name", "claude",
                "llm.system", "anthropic",
                "llm.invocation_parameters", "{\"temperature\":0.2}",
                "llm.input_messages.0.message.role", "user",
                "llm.input_messages.0.message.content", "2+2?",
                "llm.output_messages.0.message.role", "assistant",
                "llm.output_messages.0.message.tool_calls.0.tool_call.function.name", "add",
                "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments", "[2,2]",
                "llm.token_count.prompt", 5));
        llm.put("llm.token_count.completion", 6);
        send(
                lasting(
                        9,
                        span(
                                1,
                                0,
                                "agent",
                                Map.of(
                                        "openinference.span.kind",
                                        "AGENT",
                                        "input.value",
                                        "2+2?",
                                        "output.value",
                                        "4"))),
                span(2, 1, "llm", llm),
                span(
                        3,
                        1,
                        "add",
                        Map.of(
                                "openinference.span.kind",
                                "TOOL",
                                "tool.name",
                                "add",
                                "input.value",
                                "[2,2]",
                                "output.value",
                                "4")),
                span(
                        4,
                        1,
                        "search",
                        Map.of(
                                "openinference.span.kind",
                                "RETRIEVER",
                                "retrieval.documents.0.document.id",
                                "d1",
                                "retrieval.documents.0.document.score",
                                0.5)));
        List<RunEvent> run = collector.events(Otlp.TRACE);
        ModelCalled call = one(ModelCalled.class, run);
        assertThat(call.model()).isEqualTo("claude");
        assertThat(call.provider()).isEqualTo("anthropic");
        assertThat(call.parameters()).containsEntry("temperature", 0.2);
        assertThat(call.messages())
                .extracting(message -> message.content().text())
                .containsExactly("2+2?");
        assertThat(reply(call).toolCalls().get(0).arguments().text()).isEqualTo("[2,2]");
        assertThat(call.usage().outputTokens()).isEqualTo(6);
        assertThat(only(ToolCalled.class, run)).extracting(ToolCalled::tool).containsExactly("add", "search");
        assertThat(only(ToolCalled.class, run).get(1).documents().get(0).score())
                .isEqualTo(0.5);
        assertThat(text(one(RunEnded.class, run).finalAnswer())).isEqualTo("4");
    }

    @Test
    void openInference_ofResponses_isOneReply_andTellsTheModelThatWasAsked() throws Exception {
        Map<String, Object> asked = Map.of(
                "openinference.span.kind", "LLM",
                "llm.system", "openai",
                "llm.invocation_parameters", "{\"model\":\"gpt-x\",\"temperature\":0.2}",
                "llm.tools.0.tool.json_schema", "{\"name\":\"add\"}",
                "llm.tools.1.tool.json_schema", "{\"name\":\"subtract\"}");
        Map<String, Object> answered = new HashMap<>(asked);
        answered.put("llm.model_name", "gpt-x-2026");
        answered.put("llm.output_messages.0.message.role", "assistant");
        answered.put("llm.output_messages.0.message.contents.0.message_content.type", "text");
        answered.put("llm.output_messages.0.message.contents.0.message_content.text", "A sum.");
        answered.put("llm.output_messages.1.message.role", "assistant");
        answered.put("llm.output_messages.1.message.tool_calls.0.tool_call.id", "c1");
        answered.put("llm.output_messages.1.message.tool_calls.0.tool_call.function.name", "add");
        Map<String, Object> choices = new HashMap<>(answered);
        choices.put("llm.invocation_parameters", "{\"model\":\"gpt-x\",\"n\":2}");
        send(
                lasting(9, span(1, 0, "agent", Map.of())),
                failed(span(2, 1, "Response", asked), "refused"),
                span(3, 1, "Response", answered),
                span(4, 1, "ChatCompletion", choices));
        List<ModelCalled> calls = only(ModelCalled.class, collector.events(Otlp.TRACE));
        assertThat(calls).extracting(ModelCalled::model).containsOnly("gpt-x");
        assertThat(calls).extracting(ModelCalled::responseModel).containsExactly(null, "gpt-x-2026", "gpt-x-2026");
        assertThat(calls.get(1).parameters()).isEqualTo(Map.of("temperature", 0.2));
        assertThat(text(calls.get(1).toolDefinitions())).isEqualTo("[{\"name\":\"add\"},{\"name\":\"subtract\"}]");
        assertThat(reply(calls.get(1)).content().text()).isEqualTo("A sum.");
        assertThat(reply(calls.get(1)).toolCalls())
                .extracting(Message.ToolRequest::tool)
                .containsExactly("add");
        assertThat(reply(calls.get(2)).toolCalls()).isEmpty(); // that is another choice
    }

    @Test
    void openLlmetry_isRead() throws Exception {
        Map<String, Object> llm = Map.of(
                "llm.request.type", "chat",
                "gen_ai.system", "OpenAI",
                "gen_ai.request.model", "gpt-4",
                "gen_ai.prompt.0.role", "user",
                "gen_ai.prompt.0.content", "Tell a joke",
                "gen_ai.completion.0.role", "assistant",
                "gen_ai.completion.0.content", "No.",
                "gen_ai.completion.0.finish_reason", "stop");
        send(
                lasting(
                        9,
                        span(
                                1,
                                0,
                                "joke.workflow",
                                Map.of("traceloop.span.kind", "workflow", "traceloop.entity.name", "joke"))),
                span(2, 1, "openai.chat", llm),
                span(
                        3,
                        1,
                        "laugh.tool",
                        Map.of(
                                "traceloop.span.kind",
                                "tool",
                                "traceloop.entity.name",
                                "laugh",
                                "traceloop.entity.input",
                                "{}")));
        List<RunEvent> run = collector.events(Otlp.TRACE);
        ModelCalled call = one(ModelCalled.class, run);
        assertThat(reply(call).content().text()).isEqualTo("No.");
        assertThat(call.finishReason()).isEqualTo("stop");
        assertThat(one(ToolCalled.class, run).tool()).isEqualTo("laugh");
    }

    @Test
    void mcp_isAToolCall_andItsServersSpanAPartOfIt() throws Exception {
        Span client = span(
                2,
                1,
                "tools/call add",
                Map.of("mcp.method.name", "tools/call", "gen_ai.tool.name", "add", "mcp.session.id", "s"));
        Span server =
                span(3, 2, "tools/call add", Map.of("mcp.method.name", "tools/call", "gen_ai.tool.name", "add"))
                        .toBuilder()
                        .setKind(Span.SpanKind.SPAN_KIND_SERVER)
                        .build();
        send(lasting(9, span(1, 0, "agent", Map.of())), client, server);
        List<RunEvent> run = collector.events(Otlp.TRACE);
        ToolCalled call = one(ToolCalled.class, run);
        assertThat(call.provider()).isEqualTo(ToolCalled.MCP);
        assertThat(call.attributes()).containsEntry("mcp.session.id", "s");
        assertThat(one(SpanRecorded.class, run).name()).isEqualTo("tools/call add");
    }

    @Test
    void evaluation_isAReward_asAnEventAndAsALogRecord() throws Exception {
        startImpatient();
        send(
                span(2, 1, "chat gpt-x", chat()),
                lasting(
                        9,
                        span(
                                1,
                                0,
                                "agent",
                                Map.of(),
                                event(
                                        "gen_ai.evaluation.result",
                                        Map.of(
                                                "gen_ai.evaluation.name",
                                                "judge",
                                                "gen_ai.evaluation.score.value",
                                                1.0)))));
        List<RunEvent> run = collector.events(Otlp.TRACE);
        assertThat(one(RewardGiven.class, run).value()).isEqualTo(1.0);
        assertThat(one(RunEnded.class, run).solved()).isTrue();

        String log = "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"timeUnixNano\":\"" + Otlp.START
                + "\",\"eventName\":\"gen_ai.evaluation.result\",\"traceId\":\"" + "ab".repeat(16)
                + "\",\"spanId\":\"0000000000000009\",\"attributes\":[{\"key\":\"gen_ai.evaluation.name\",\"value\":"
                + "{\"stringValue\":\"person\"}},{\"key\":\"gen_ai.evaluation.score.value\",\"value\":{\"doubleValue\":0.5}}]}]}]}]}";
        for (int i = 0; i < 2; i++) {
            assertThat(collector
                            .post("/v1/logs", log.getBytes(StandardCharsets.UTF_8), "Content-Type", "application/json")
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(one(RewardGiven.class, collector.events("ab".repeat(16))).source())
                .isEqualTo("person");
    }

    @Test
    void rewards_ofAgentLightning_areRewards() throws Exception {
        send(
                span(
                        2,
                        1,
                        "agentlightning.annotation",
                        Map.of("agentlightning.reward.0.name", "primary", "agentlightning.reward.0.value", 0.75)),
                span(
                        3,
                        1,
                        "agentlightning.annotation",
                        Map.of(
                                "agentlightning.reward.0.name",
                                "task",
                                "agentlightning.reward.0.value",
                                1.0,
                                "agentlightning.reward.1.name",
                                "brevity",
                                "agentlightning.reward.1.value",
                                0.2)),
                lasting(9, span(1, 0, "rollout", Map.of("agentlightning.rollout_id", "ro-1"))));
        List<RunEvent> run = collector.events(Otlp.TRACE);
        assertThat(run.get(0).run().correlation().rollout()).isEqualTo("ro-1");
        List<RewardGiven> rewards = only(RewardGiven.class, run);
        assertThat(rewards).extracting(RewardGiven::source).containsExactly("primary", "task");
        assertThat(rewards).extracting(RewardGiven::value).containsExactly(0.75, 1.0);
        assertThat(rewards.get(0).components()).isEmpty();
        assertThat(rewards.get(1).components())
                .containsExactly(
                        new RewardComponent("task", 1.0, 1, null), new RewardComponent("brevity", 0.2, 0, null));
    }

    @Test
    void rewardThatIsInfinite_isKept_andLeftOutOfTheTotal() throws Exception {
        String name = "gen_ai.evaluation.result";
        send(lasting(
                9,
                span(
                        1,
                        0,
                        "invoke_agent a",
                        Map.of("gen_ai.operation.name", "invoke_agent"),
                        Otlp.event(name, Map.of("gen_ai.evaluation.score.value", 0.5)),
                        Otlp.event(name, Map.of("error.type", "infinite")),
                        Otlp.event(name, Map.of("gen_ai.evaluation.score.value", -2.0)))));

        List<RunEvent> run = collector.events(Otlp.TRACE);
        assertThat(only(RewardGiven.class, run))
                .extracting(RewardGiven::value)
                .containsExactly(0.5, Double.POSITIVE_INFINITY, -2.0);
        assertThat(one(RunEnded.class, run).totalReward()).isEqualTo(-1.5);
    }

    @Test
    void failure_ofTheRoot_failsTheRun_andThatOfATool_itsStep() throws Exception {
        send(
                span(2, 1, "chat gpt-x", chat()),
                failed(
                        span(
                                3,
                                1,
                                "execute_tool t",
                                Map.of("gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "t")),
                        "no such city"),
                failed(lasting(9, span(1, 0, "agent", Map.of())), "gave up"));
        List<RunEvent> run = collector.events(Otlp.TRACE);
        assertThat(text(one(StepEnded.class, run).error())).isEqualTo("no such city");
        assertThat(one(RunEnded.class, run).outcome()).isEqualTo(Outcome.FAILED);
        assertThat(one(RunEnded.class, run).status().message()).isEqualTo("gave up");
    }

    @Test
    void spans_outOfOrder_twice_late_orNeverEnded_areEachThereOnce() throws Exception {
        startImpatient();
        Span chat = span(2, 1, "chat gpt-x", chat());
        send(lasting(9, span(1, 0, "agent", Map.of())), chat, chat);
        send(chat);
        List<RunEvent> run = collector.events(Otlp.TRACE);
        assertThat(only(ModelCalled.class, run)).hasSize(1);

        send(chat, span(3, 1, "chat gpt-x", chat("gen_ai.response.id", "late")));
        List<RunEvent> late = collector.events(Otlp.TRACE + ".2");
        assertThat(late.get(0).run().correlation().parentRun()).isEqualTo(Otlp.TRACE);
        assertThat(one(ModelCalled.class, late).responseId()).isEqualTo("late");

        send(
                Otlp.of(7, 5, 4, "chat gpt-x", chat()).build(),
                Otlp.of(7, 6, 3, "chat gpt-x", chat()).build());
        List<RunEvent> rootless = collector.events("00000000000000000000000000000007");
        assertThat(one(RunEnded.class, rootless).outcome()).isEqualTo(Outcome.ABANDONED);
        assertThat(only(ModelCalled.class, rootless)).hasSize(2);
    }

    @Test
    void spansThatAreNotValid_areRejected_andToldSo_andOthersTaken() throws Exception {
        ExportTraceServiceResponse answer = send(
                span(1, 0, "chat gpt-x", chat()),
                span(2, 1, "bad", Map.of()).toBuilder().clearTraceId().build());
        assertThat(answer.getPartialSuccess().getRejectedSpans()).isEqualTo(1);
        assertThat(answer.getPartialSuccess().getErrorMessage()).isEqualTo("an id is not valid");
        assertThat(only(ModelCalled.class, collector.events(Otlp.TRACE))).hasSize(1);
    }

    @Test
    void tracesOfOtherMatters_areLeftOut() throws Exception {
        send(Otlp.of(9, 1, 0, "GET /", Map.of("http.method", "GET")).build());
        send(span(1, 0, "chat gpt-x", chat()));
        assertThat(collector.events(Otlp.TRACE)).isNotEmpty();
        collector.stop();
        assertThat(collector.err()).contains("left out 1 trace");
        assertThat(collector.runs()).hasSize(1);
    }

    @Test
    void acknowledgedSpans_surviveAKill_alsoGzipped() throws Exception {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        ExportTraceServiceRequest request = request(span(2, 1, "chat gpt-x", chat()));
        try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
            request.writeTo(out);
        }
        assertThat(collector
                        .post("/v1/traces", zipped.toByteArray(), "Content-Type", PROTOBUF, "Content-Encoding", "gzip")
                        .statusCode())
                .isEqualTo(200);
        collector.kill();
        collector = RunningCollector.start(folder);
        send(lasting(9, span(1, 0, "agent", Map.of())));
        List<RunEvent> run = collector.events(Otlp.TRACE);
        assertThat(only(ModelCalled.class, run)).hasSize(1);
        assertThat(one(RunEnded.class, run).outcome()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void secret_isInNoFile() throws Exception {
        String secret = "sk-" + "a1B2c3D4e5F6g7H8".repeat(3);
        send(span(1, 0, "chat gpt-x", chat("gen_ai.prompt", "my key is " + secret)));
        collector.events(Otlp.TRACE);
        try (var files = java.nio.file.Files.walk(folder)) {
            for (Path file : files.filter(java.nio.file.Files::isRegularFile).toList()) {
                assertThat(java.nio.file.Files.readString(file, StandardCharsets.ISO_8859_1))
                        .doesNotContain(secret);
            }
        }
    }
}
