package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.resource.v1.Resource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions of agents that send log records and no spans. */
@Timeout(180)
class AgentLogsTest extends CollectedSpans {
    private static final long SECOND = 1_000_000_000;

    @BeforeEach
    @Override
    void start() throws Exception {
        collector = RunningCollector.start(folder, "--idle-timeout", "1s");
    }

    /** A record as many seconds after the start; that its name is its body is so of Claude Code alone. */
    private static LogRecord.Builder log(int second, String event, Object... attributes) {
        Map<String, Object> all = new HashMap<>();
        for (int i = 0; i < attributes.length; i += 2) {
            all.put(attributes[i].toString(), attributes[i + 1]);
        }
        boolean claude = event.startsWith("claude_code.");
        all.putIfAbsent(event.startsWith("codex.") ? "conversation.id" : "session.id", "s-1");
        all.put("event.name", claude ? event.substring(event.indexOf('.') + 1) : event);
        return LogRecord.newBuilder()
                .setTimeUnixNano(Otlp.START + second * SECOND)
                .setBody(AnyValue.newBuilder().setStringValue(claude ? event : "Something was done."))
                .addAllAttributes(Otlp.attributes(all));
    }

    private void send(LogRecord.Builder... records) throws Exception {
        ExportLogsServiceRequest request = ExportLogsServiceRequest.newBuilder()
                .addResourceLogs(ResourceLogs.newBuilder()
                        .setResource(Resource.newBuilder()
                                .addAllAttributes(Otlp.attributes(Map.of("service.name", "my-agent"))))
                        .addScopeLogs(ScopeLogs.newBuilder()
                                .addAllLogRecords(List.of(records).stream()
                                        .map(LogRecord.Builder::build)
                                        .toList())))
                .build();
        assertThat(collector
                        .post("/v1/logs", request.toByteArray(), "Content-Type", "application/x-protobuf")
                        .statusCode())
                .isEqualTo(200);
    }

    private List<RunEvent> run(LogRecord.Builder... records) throws Exception {
        send(records);
        await().atMost(RunningCollector.PATIENCE).until(() -> !collector.runs().isEmpty());
        return collector.events(collector.runs().get(0).runId());
    }

    private static RunEnded end(List<RunEvent> run) {
        return only(RunEnded.class, run).get(0);
    }

    @Test
    void claudeCode() throws Exception {
        List<RunEvent> run = run(
                log(1, "claude_code.user_prompt", "prompt", "List files", "prompt_length", 10),
                log(
                        5,
                        "claude_code.api_request",
                        "model",
                        "c",
                        "cost_usd",
                        0.25,
                        "duration_ms",
                        "3000",
                        "input_tokens",
                        100,
                        "output_tokens",
                        10,
                        "cache_read_tokens",
                        50,
                        "cache_creation_tokens",
                        0),
                log(6, "claude_code.tool_decision", "tool_name", "Bash", "decision", "accept", "tool_use_id", "t1"),
                log(
                        8,
                        "claude_code.tool_result",
                        "tool_name",
                        "Bash",
                        "tool_use_id",
                        "t1",
                        "success",
                        "false",
                        "error",
                        "no such file",
                        "duration_ms",
                        2000,
                        "tool_parameters",
                        "{\"command\":\"ls\"}"),
                log(9, "claude_code.api_error", "model", "c", "error", "overloaded", "status_code", 529));

        assertThat(only(ModelCalled.class, run))
                .extracting(
                        ModelCalled::model,
                        call -> call.usage().inputTokens(),
                        call -> call.usage().outputTokens(),
                        call -> call.usage().cachedTokens(),
                        call -> call.usage().cacheCreationTokens(),
                        call -> call.nanos() - call.startNanos(),
                        ModelCalled::costAmount,
                        call -> String.valueOf(call.error()))
                .containsExactly(
                        tuple(
                                "c",
                                150L,
                                10L,
                                50L,
                                0L,
                                3 * SECOND,
                                0.25,
                                "null"), // those of the cache are part of the input
                        tuple("c", null, null, null, null, 0L, null, "overloaded"));
        assertThat(only(ToolCalled.class, run))
                .extracting(
                        ToolCalled::tool,
                        ToolCalled::callId,
                        tool -> tool.arguments().text(),
                        tool -> String.valueOf(tool.error()),
                        tool -> tool.nanos() - tool.startNanos())
                .containsExactly(tuple("Bash", "t1", "{\"command\":\"ls\"}", "no such file", 2 * SECOND));
        assertThat(only(StepEnded.class, run)).extracting(StepEnded::success).containsExactly(false, false);
        assertThat(only(SpanRecorded.class, run))
                .extracting(SpanRecorded::name)
                .containsExactly("claude_code.user_prompt", "claude_code.tool_decision");
        assertThat(end(run).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(run.get(0).run())
                .returns("List files", info -> info.task().text())
                .returns("my-agent", info -> info.environment())
                .returns("claude_code", info -> info.agent())
                .returns("s-1", info -> info.tags().get("session_id"));
    }

    @Test
    void codex() throws Exception {
        List<RunEvent> run = run(
                log(1, "codex.conversation_starts", "model", "gpt", "provider_name", "OpenAI"),
                log(2, "codex.user_prompt", "prompt", "[REDACTED]", "prompt_length", "10"),
                log(3, "codex.api_request", "model", "gpt", "duration_ms", "900", "http.response.status_code", 200),
                log(4, "codex.sse_event", "event.kind", "response.output_text.delta", "duration_ms", "1"),
                log(
                        5,
                        "codex.sse_event",
                        "event.kind",
                        "response.completed",
                        "model",
                        "gpt",
                        "input_token_count",
                        "100",
                        "output_token_count",
                        "10",
                        "cached_token_count",
                        40,
                        "reasoning_token_count",
                        5,
                        "tool_token_count",
                        "110"),
                log(
                        6,
                        "codex.tool_result",
                        "tool_name",
                        "shell",
                        "call_id",
                        "c1",
                        "arguments",
                        "{\"command\":[\"ls\"]}",
                        "duration_ms",
                        "500",
                        "success",
                        "true",
                        "output",
                        "a.txt"),
                log(7, "codex.api_request", "model", "gpt", "http.response.status_code", 500, "error.message", "gone"));

        assertThat(only(ModelCalled.class, run))
                .extracting(
                        ModelCalled::model,
                        call -> call.usage().inputTokens(),
                        call -> call.usage().outputTokens(),
                        call -> call.usage().cachedTokens(),
                        call -> call.usage().reasoningTokens(),
                        call -> call.usage().cacheCreationTokens(),
                        call -> String.valueOf(call.error()))
                .containsExactly(
                        tuple("gpt", 100L, 10L, 40L, 5L, null, "null"),
                        tuple("gpt", null, null, null, null, null, "gone"));
        assertThat(only(ToolCalled.class, run))
                .extracting(
                        ToolCalled::tool,
                        ToolCalled::callId,
                        tool -> tool.arguments().text(),
                        tool -> tool.result().text(),
                        ToolCalled::failed)
                .containsExactly(tuple("shell", "c1", "{\"command\":[\"ls\"]}", "a.txt", false));
        assertThat(run.get(0).run().task().text()).isEmpty();
        assertThat(only(SpanRecorded.class, run))
                .allSatisfy(span -> assertThat(span.attributes()).doesNotContainKey("prompt"));
        collector.stop();
        assertThat(collector.err()).contains("left out 1 log record of other matters");
    }

    @Test
    void geminiCli() throws Exception {
        List<RunEvent> run = run(
                log(1, "gemini_cli.config", "model", "gemini", "mcp_servers_count", 1),
                log(2, "gemini_cli.user_prompt", "prompt", "Weather?", "prompt_length", 8),
                log(3, "gemini_cli.api_request", "model", "gemini", "request_text", "[]"),
                log(
                        5,
                        "gemini_cli.api_response",
                        "model",
                        "gemini",
                        "duration_ms",
                        2000,
                        "status_code",
                        200,
                        "input_token_count",
                        100,
                        "output_token_count",
                        10,
                        "cached_content_token_count",
                        40,
                        "thoughts_token_count",
                        5,
                        "response_text",
                        "Sunny."),
                log(6, "gen_ai.client.inference.operation.details", "gen_ai.usage.input_tokens", 100),
                log(
                        7,
                        "gemini_cli.tool_call",
                        "function_name",
                        "look",
                        "function_args",
                        "{}",
                        "duration_ms",
                        500,
                        "success",
                        false,
                        "error_type",
                        "unhandled",
                        "tool_type",
                        "mcp"),
                log(8, "gemini_cli.api_error", "model", "gemini", "error", "quota", "error_type", "429"));

        assertThat(only(ModelCalled.class, run))
                .extracting(
                        ModelCalled::model,
                        call -> call.usage().inputTokens(),
                        call -> call.usage().outputTokens(),
                        call -> call.usage().cachedTokens(),
                        call -> call.usage().reasoningTokens(),
                        call -> String.valueOf(call.error()))
                .containsExactly(
                        tuple("gemini", 100L, 10L, 40L, 5L, "null"), tuple("gemini", null, null, null, null, "quota"));
        assertThat(reply(only(ModelCalled.class, run).get(0)).content()).hasToString("Sunny.");
        assertThat(only(ToolCalled.class, run))
                .extracting(ToolCalled::tool, ToolCalled::provider, tool -> String.valueOf(tool.error()))
                .containsExactly(tuple("look", ToolCalled.MCP, "unhandled"));
        assertThat(run.get(0).run().task()).hasToString("Weather?");
    }

    @Test
    void timesOfARecord_areTakenAsTheyAreTold() throws Exception {
        LogRecord.Builder observed = log(0, "claude_code.api_request", "duration_ms", 1000, "model", "c")
                .clearTimeUnixNano()
                .setObservedTimeUnixNano(Otlp.START + 9 * SECOND);
        LogRecord.Builder stamped = log(
                        0,
                        "claude_code.api_request",
                        "duration_ms",
                        1000,
                        "model",
                        "c",
                        "event.timestamp",
                        "2026-01-02T03:04:06.500Z")
                .clearTimeUnixNano();
        List<RunEvent> run = run(observed, stamped);

        assertThat(run.get(0).run().startedAt()).hasToString("2026-01-02T03:04:05.500Z");
        assertThat(only(ModelCalled.class, run))
                .extracting(ModelCalled::startNanos, ModelCalled::nanos)
                .containsExactly(tuple(0L, SECOND), tuple(7 * SECOND + SECOND / 2, 8 * SECOND + SECOND / 2));
    }

    @Test
    void sessions_areRunsOfTheirOwn_andARecordThatComesTwiceIsToldOnce() throws Exception {
        LogRecord.Builder call = log(2, "claude_code.api_request", "model", "c", "session.id", "s-2");
        send(log(1, "claude_code.api_request", "model", "c"), call, log(1, "codex.tool_result", "tool_name", "shell"));
        send(call);
        await().atMost(RunningCollector.PATIENCE)
                .until(() -> collector.runs().stream()
                                .filter(run -> run.row().end() != null)
                                .count()
                        == 3);
        assertThat(collector.runs())
                .flatExtracting(run -> collector.events(run.runId()))
                .filteredOn(ModelCalled.class::isInstance)
                .hasSize(2);
    }

    @Test
    void sessionThatGoesOn_afterItsRunHasEnded_losesNothing_alsoAfterARestart() throws Exception {
        LogRecord.Builder first = log(1, "claude_code.api_request", "model", "c", "output_tokens", 1);
        String runId = run(first).get(0).run().runId();
        collector.kill();
        collector.close();
        start();

        send(first, log(100, "claude_code.api_request", "model", "c", "output_tokens", 2));
        List<RunEvent> later = collector.events(runId + ".2");

        assertThat(only(ModelCalled.class, later))
                .extracting(call -> call.usage().outputTokens())
                .containsExactly(2L);
        assertThat(later.get(0).run().correlation().parentRun()).isEqualTo(runId);
        assertThat(end(later).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(collector.runs())
                .extracting(RunSummary::runId)
                .containsExactlyInAnyOrderElementsOf(Set.of(runId, runId + ".2"));
    }

    @Test
    void recordOfNoSession_isPassedOver() throws Exception {
        collector.post("/v1/logs", """
                {"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1795880000000000000",
                "body":{"stringValue":"claude_code.api_request"},"attributes":[]}]}]}]}""");
        collector.stop();
        assertThat(collector.err()).contains("left out 1 log record");
        assertThat(collector.runs()).isEmpty();
    }
}
