package dev.rlm.sinks.otel.spans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import dev.rlm.sinks.traced.ToolShape;
import dev.rlm.sinks.traced.Traced;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of tools, as the GenAI and MCP semantic conventions have them. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class ToolSpanTest {
    private static final String PAYLOAD = "{\"x\":\"" + "€".repeat(5_000) + "\"}";
    private static final String CUT = "{\"x\":\"" + "€".repeat(680); // 2,046 bytes

    private final String protocol;

    ToolSpanTest(String protocol) {
        this.protocol = protocol;
    }

    /** Three calls in a step: of a function, of a server's tool, and one that fails. */
    private Rig record(Map<String, String> variables) throws IOException {
        Rig rig = Rig.by(protocol, variables);
        try (Run run = rig.startRun("r");
                Step step = run.startStep()) {
            try (ToolCall call = step.startToolCall("calculator")) {
                call.arguments(PAYLOAD).callId("c1");
                rig.clock().advanceMillis(20);
                call.result(PAYLOAD);
            }
            try (ToolCall call = step.startToolCall("search")) {
                call.arguments("{}").provider(ToolCalled.MCP).retries(1);
                call.attribute("network.transport", "tcp").attribute("server.port", 8080);
                call.result("found");
            }
            try (ToolCall call = step.startToolCall("broken")) {
                call.fail(RunStatus.DEADLINE_EXCEEDED, "too slow");
            }
            step.complete("");
            run.complete("");
        }
        return rig;
    }

    @Test
    void call_ofAFunction_hasTheConventionsAttributes() throws IOException {
        try (Rig rig = record(Map.of())) {
            OtlpSpan tool = rig.span("execute_tool calculator");
            assertThat(tool.kind()).isEqualTo(SpanKind.INTERNAL);
            assertThat(tool.parentId()).isEqualTo(rig.span("rlm.step").spanId());
            assertThat(tool.endNanos() - tool.startNanos()).isEqualTo(20_000_000);
            assertThat(tool.status()).isEqualTo(StatusCode.UNSET);
            assertThat(tool.attributes())
                    .isEqualTo(Map.ofEntries(
                            Map.entry("rlm.run_id", "r"),
                            Map.entry("rlm.environment", "calc"),
                            Map.entry("rlm.model", ""),
                            Map.entry("rlm.step", 1L),
                            Map.entry("gen_ai.operation.name", "execute_tool"),
                            Map.entry("gen_ai.conversation.id", "r"),
                            Map.entry("gen_ai.tool.name", "calculator"),
                            Map.entry("gen_ai.tool.type", "function"),
                            Map.entry("gen_ai.tool.call.id", "c1"),
                            Map.entry("gen_ai.tool.call.arguments", CUT),
                            Map.entry("gen_ai.tool.call.result", CUT)));
        }
    }

    @Test
    void retrieval_isASpanOfItsDataSource_withItsDocuments() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                try (ToolCall call = step.startToolCall("search")) {
                    call.arguments("tides").attribute("gen_ai.data_source.id", "atlas");
                    call.document("d1", 0.75, "ab".repeat(32)).document("d2", Double.NaN, null);
                }
                step.startToolCall("nothing").provider(ToolCalled.RETRIEVAL).close();
                try (ToolCall call = step.startToolCall("many")) {
                    for (int i = 0; i < 1_000; i++) {
                        call.document("document-" + i, 1.0, null);
                    }
                }
                step.complete("");
                run.complete("");
            }

            OtlpSpan found = rig.span("retrieval atlas");
            assertThat(found.kind()).isEqualTo(SpanKind.CLIENT);
            assertThat(found.parentId()).isEqualTo(rig.span("rlm.step").spanId());
            assertThat(found.attributes())
                    .isEqualTo(Map.ofEntries(
                            Map.entry("rlm.run_id", "r"),
                            Map.entry("rlm.environment", "calc"),
                            Map.entry("rlm.model", ""),
                            Map.entry("rlm.step", 1L),
                            Map.entry("gen_ai.operation.name", "retrieval"),
                            Map.entry("gen_ai.conversation.id", "r"),
                            Map.entry("gen_ai.data_source.id", "atlas"),
                            Map.entry("gen_ai.tool.name", "search"),
                            Map.entry("gen_ai.tool.type", "function"),
                            Map.entry("gen_ai.retrieval.query.text", "tides"),
                            Map.entry(
                                    "gen_ai.retrieval.documents",
                                    "[{\"id\":\"d1\",\"score\":0.75,\"sha256\":\"" + "ab".repeat(32)
                                            + "\"},{\"id\":\"d2\"}]")));
            assertThat(rig.span("retrieval nothing").attributes())
                    .containsEntry("gen_ai.operation.name", "retrieval")
                    .containsEntry("gen_ai.tool.type", "datastore")
                    .doesNotContainKeys("gen_ai.retrieval.documents", "rlm.left_out");
            Map<String, Object> many = rig.span("retrieval many").attributes();
            String sent = String.valueOf(many.get("gen_ai.retrieval.documents"));
            int count = sent.split("\\{", -1).length - 1;
            assertThat(sent).startsWith("[{").endsWith("}]").hasSizeBetween(1_500, 2_048);
            assertThat(many)
                    .containsEntry("rlm.left_out", List.of("gen_ai.retrieval.documents=" + (1_000 - count) + " more"));
        }
    }

    @Test
    void retrieval_underNone_sendsIdsAndNoQuery() throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("RLM_CAPTURE_CONTENT", "none"))) {
            try (Run run = rig.startRun("r");
                    ToolCall call = run.startToolCall("search")) {
                call.arguments("tides").document("d1", null, null);
            }

            assertThat(rig.span("retrieval search").attributes())
                    .containsEntry("gen_ai.retrieval.documents", "[{\"id\":\"d1\"}]")
                    .doesNotContainKeys("gen_ai.retrieval.query.text", "gen_ai.tool.call.arguments");
        }
    }

    @Test
    void name_thatIsNone_isCut_alsoInWhatIsMeasured() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("r")) {
                run.startStep().startToolCall("t".repeat(100_000)).close();
                run.complete("");
            }
            rig.flush();

            assertThat(rig.receiver().spans())
                    .extracting(OtlpSpan::name)
                    .allSatisfy(name -> assertThat(name).hasSizeLessThanOrEqualTo(2_048));
            assertThat(rig.receiver().histograms("rlm.tool_duration"))
                    .extracting(point -> point.attributes().get("tool"))
                    .containsExactly("t".repeat(2_048));
        }
    }

    @Test
    void call_ofAServersTool_namesTheProtocolsMethod() throws IOException {
        try (Rig rig = record(Map.of())) {
            assertThat(rig.span("execute_tool search").attributes())
                    .containsEntry("mcp.method.name", "tools/call")
                    .containsEntry("network.transport", "tcp")
                    .containsEntry("server.port", 8080L)
                    .containsEntry("gen_ai.tool.type", "extension")
                    .containsEntry("rlm.retries", 1L);
        }
    }

    @Test
    void call_ofAServersTool_thatIsTraced_hasTheSameType() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep();
                    Scope scope = step.makeCurrent()) {
                assertThat(Traced.tool("search", (String query) -> "found", ToolShape.MCP)
                                .apply("x"))
                        .isEqualTo("found");
                run.complete("");
            }
            rig.flush();

            assertThat(rig.span("execute_tool search").attributes())
                    .containsEntry("mcp.method.name", "tools/call")
                    .containsEntry("gen_ai.tool.type", "extension")
                    .containsEntry("gen_ai.tool.name", "search");
        }
    }

    @Test
    void call_thatFailed_isAnErrorOfItsStatusCode() throws IOException {
        try (Rig rig = record(Map.of())) {
            OtlpSpan tool = rig.span("execute_tool broken");
            assertThat(tool.status()).isEqualTo(StatusCode.ERROR);
            assertThat(tool.statusMessage()).isEqualTo("too slow");
            assertThat(tool.attributes()).containsEntry("error.type", "4");
        }
    }

    @Test
    void kindOfFailure_isTheCallersWord_whereItHasOne() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("r");
                    ToolCall call = run.startStep().startToolCall("failing")) {
                call.attribute("error.type", "tool_error");
                call.fail(RunStatus.UNKNOWN, "no such file");
            }

            assertThat(rig.span("execute_tool failing").attributes()).containsEntry("error.type", "tool_error");
        }
    }

    @Test
    void payloads_areWholeUnderFull_andDoNotLeaveUnderNone() throws IOException {
        try (Rig rig = record(Map.of("RLM_CAPTURE_CONTENT", "full"))) {
            assertThat(rig.span("execute_tool calculator").attributes())
                    .containsEntry("gen_ai.tool.call.arguments", PAYLOAD)
                    .containsEntry("gen_ai.tool.call.result", PAYLOAD);
            assertThat(rig.span("execute_tool broken").attributes())
                    .doesNotContainKeys("gen_ai.tool.call.arguments", "gen_ai.tool.call.result");
        }
        try (Rig rig = record(Map.of("RLM_CAPTURE_CONTENT", "none"))) {
            assertThat(rig.spans().toString()).doesNotContain("€");
        }
    }

    @Test
    void genAiSpans_turnedOff_areNotMadeAndTheirEventsCountWithTheStep() throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("RLM_OTEL_GENAI_SPANS", "false"))) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                step.startModelCall("openai", "m").close();
                step.startToolCall("t").close();
                rig.flush();
                assertThat(rig.ledger().queued()).as("of the step").isEqualTo(3);
                step.complete("");
                run.complete("");
            }

            assertThat(rig.spans())
                    .extracting(OtlpSpan::name)
                    .containsExactly("rlm.run.started", "rlm.step", "rlm.run");
            assertThat(rig.ledger().delivered()).isEqualTo(6);
            assertThat(rig.receiver().points())
                    .extracting(point -> point.name())
                    .noneMatch(name -> name.startsWith("gen_ai."))
                    .contains("rlm.tool_duration");
        }
    }
}
