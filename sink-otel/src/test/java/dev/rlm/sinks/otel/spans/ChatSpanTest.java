package dev.rlm.sinks.otel.spans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.otel.FakeClock;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls of models, as the GenAI semantic conventions have them. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class ChatSpanTest {
    private static final JsonMapper JSON = new JsonMapper();

    private final String protocol;

    ChatSpanTest(String protocol) {
        this.protocol = protocol;
    }

    private Rig rig(String capture) throws IOException {
        return Rig.by(protocol, Map.of("RLM_CAPTURE_CONTENT", capture));
    }

    @Test
    void call_withAllSaid_hasTheConventionsAttributes() throws IOException {
        try (Rig rig = rig("preview")) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                call(rig, step);
                step.complete("");
                run.complete("");
            }

            OtlpSpan chat = rig.span("chat gpt-9");
            OtlpSpan step = rig.span("rlm.step");
            assertThat(chat.kind()).isEqualTo(SpanKind.CLIENT);
            assertThat(chat.traceId()).isEqualTo(step.traceId());
            assertThat(chat.parentId()).isEqualTo(step.spanId());
            assertThat(chat.startNanos()).isEqualTo(FakeClock.at(0));
            assertThat(chat.endNanos()).isEqualTo(FakeClock.at(1_000));
            assertThat(chat.status()).isEqualTo(StatusCode.UNSET);
            assertThat(chat.events())
                    .containsExactly(
                            RunSpanTest.event("message", 0, Map.of("role", "tool", "content", "12\n")),
                            RunSpanTest.event(
                                    "reply", 1_000, Map.of("role", "assistant", "content", "It is\ncalc({\"x\":1})")));
            assertThat(chat.attributes())
                    .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                            Map.entry("rlm.run_id", "r"),
                            Map.entry("rlm.environment", "calc"),
                            Map.entry("rlm.model", ""),
                            Map.entry("rlm.step", 1L),
                            Map.entry("rlm.retries", 2L),
                            Map.entry("gen_ai.operation.name", "chat"),
                            Map.entry("gen_ai.conversation.id", "r"),
                            Map.entry("gen_ai.provider.name", "openai"),
                            Map.entry("gen_ai.request.model", "gpt-9"),
                            Map.entry("gen_ai.request.temperature", 0.5),
                            Map.entry("gen_ai.request.max_tokens", 100L),
                            Map.entry("gen_ai.request.seed", 7L),
                            Map.entry("gen_ai.request.choice.count", 2L),
                            Map.entry("gen_ai.request.stop_sequences", List.of("END")),
                            Map.entry("gen_ai.request.stream", true),
                            Map.entry("gen_ai.response.time_to_first_chunk", 0.25),
                            Map.entry("gen_ai.response.finish_reasons", List.of("tool_calls")),
                            Map.entry(
                                    "gen_ai.input.messages",
                                    "[{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",\"id\":\"c0\","
                                            + "\"response\":\"12\\n\"}]}]"),
                            Map.entry(
                                    "gen_ai.output.messages",
                                    "[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"It is\"},"
                                            + "{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"calc\","
                                            + "\"arguments\":\"{\\\"x\\\":1}\"}],\"finish_reason\":\"tool_call\"}]"),
                            Map.entry("gen_ai.response.id", "chatcmpl-7"),
                            Map.entry("gen_ai.response.model", "gpt-9-2026"),
                            Map.entry("server.address", "api.example.com"),
                            Map.entry("server.port", 443L),
                            Map.entry("gen_ai.usage.input_tokens", 11L),
                            Map.entry("gen_ai.usage.output_tokens", 5L),
                            Map.entry("gen_ai.request.reasoning.level", "high"),
                            Map.entry("rlm.cost.amount", 0.00012),
                            Map.entry("rlm.cost.currency", "USD"),
                            Map.entry("gen_ai.usage.cache_creation.input_tokens", 2L),
                            Map.entry("gen_ai.usage.cache_read.input_tokens", 4L),
                            Map.entry("gen_ai.usage.reasoning.output_tokens", 3L)));
            assertThat(step.attributes().keySet()).noneMatch(name -> name.startsWith("gen_ai.usage."));
        }
    }

    private static void call(Rig rig, Step step) {
        try (ModelCall call = step.startModelCall("openai", "gpt-9")) {
            call.server("api.example.com", 443)
                    .response("chatcmpl-7", "gpt-9-2026")
                    .parameter("temperature", 0.5)
                    .parameter("max_tokens", 100)
                    .parameter("seed", 7)
                    .parameter("n", 2)
                    .parameter("stop", "END")
                    .parameter("user", "nobody")
                    .message("system", "Be \"brief\".")
                    .message("user", "What is 3 * 4?")
                    .toolMessage("c0", "12\n")
                    .reply("It is")
                    .toolRequest("c1", "calc", "{\"x\":1}")
                    .parameter("reasoning_effort", "high")
                    .systemInstructions("Be kind.")
                    .toolDefinitions("[]")
                    .usage(new Usage(11L, 5L, 4L, 3L, 2L))
                    .cost(0.00012, "USD")
                    .finishReason("tool_calls")
                    .retries(2);
            rig.clock().advanceMillis(250);
            call.firstToken();
            rig.clock().advanceMillis(750);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"preview", "full"})
    void messagesOfParts_areThoseOfTheConvention(String capture) throws IOException {
        try (Rig rig = rig(capture)) {
            try (Run run = rig.startRun("r");
                    ModelCall call = run.startModelCall("openai", "m")) {
                call.messageParts(
                                "user",
                                parts -> parts.text("What is \"this\"?")
                                        .image("s3://b/1.png", "image/png", "0a")
                                        .file("s3://b/2", null, null))
                        .replyParts(
                                parts -> parts.reasoning("Hm.").text("A cat.").toolCall("c1", "zoom", "{}"));
            }

            assertThat(rig.span("chat m").attributes())
                    .containsEntry(
                            "gen_ai.input.messages",
                            "[{\"role\":\"user\",\"parts\":["
                                    + "{\"type\":\"text\",\"content\":\"What is \\\"this\\\"?\"},"
                                    + "{\"type\":\"uri\",\"modality\":\"image\",\"mime_type\":\"image/png\","
                                    + "\"uri\":\"s3://b/1.png\",\"sha256\":\"0a\"},"
                                    + "{\"type\":\"uri\",\"modality\":\"file\",\"uri\":\"s3://b/2\"}]}]")
                    .containsEntry(
                            "gen_ai.output.messages",
                            "[{\"role\":\"assistant\",\"parts\":["
                                    + "{\"type\":\"reasoning\",\"content\":\"Hm.\"},"
                                    + "{\"type\":\"text\",\"content\":\"A cat.\"},"
                                    + "{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"zoom\",\"arguments\":\"{}\"}],"
                                    + "\"finish_reason\":\"\"}]");
        }
    }

    @Test
    void parameter_thatIsNothing_isLeftOut() throws IOException {
        try (Rig rig = rig("preview")) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                step.startModelCall("openai", "m")
                        .parameter("stop", Optional.empty())
                        .parameter("stream", Optional.empty())
                        .parameter("seed", 7)
                        .close();
                step.complete("");
                run.complete("");
            }

            assertThat(rig.span("chat m").attributes())
                    .containsEntry("gen_ai.request.seed", 7L)
                    .doesNotContainKeys("gen_ai.request.stop_sequences", "gen_ai.request.stream");
        }
    }

    @Test
    void parameter_thatIsNotFinite_isNamedInItsPlace() throws IOException {
        try (Rig rig = rig("preview")) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                step.startModelCall("openai", "m")
                        .parameter("top_p", Double.NaN)
                        .parameter("stream", false)
                        .parameter("n", 1)
                        .close();
                step.complete("");
                run.complete("");
            }

            assertThat(rig.span("chat m").attributes())
                    .containsEntry("rlm.left_out", List.of("gen_ai.request.top_p=NaN"))
                    .doesNotContainKeys("gen_ai.request.top_p", "gen_ai.request.stream", "gen_ai.request.choice.count");
        }
    }

    @Tag("thorough")
    @Test
    void call_thatFailed_isAnErrorOfAKnownType() throws IOException {
        try (Rig rig = rig("preview")) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                try (ModelCall call = step.startModelCall("openai", "")) {
                    call.fail("😀".repeat(300));
                }
                step.complete("");
                run.complete("");
            }

            OtlpSpan chat = rig.span("chat");
            assertThat(chat.status()).isEqualTo(StatusCode.ERROR);
            assertThat(chat.statusMessage()).isEqualTo("😀".repeat(200));
            assertThat(chat.attributes())
                    .containsEntry("error.type", "model_call_failed")
                    .doesNotContainKey("gen_ai.request.model");
        }
    }

    @Test
    void call_thatItsRunHasEnded_isAnErrorInItsStep() throws IOException {
        try (Rig rig = rig("preview")) {
            Run run = rig.startRun("r");
            run.startStep().startModelCall("openai", "gpt-9").firstToken();
            run.abort("stopped");

            OtlpSpan chat = rig.span("chat gpt-9");
            OtlpSpan step = rig.span("rlm.step");
            assertThat(chat.parentId()).isEqualTo(step.spanId());
            assertThat(chat.endNanos()).isLessThanOrEqualTo(step.endNanos());
            assertThat(chat.status()).isEqualTo(StatusCode.ERROR);
            assertThat(chat.statusMessage()).isEqualTo("the run ended before the call");
            assertThat(chat.attributes())
                    .containsEntry("error.type", "model_call_failed")
                    .containsKey("gen_ai.response.time_to_first_chunk");
        }
    }

    @Test
    void messages_underFull_areTheConversationAsJson() throws IOException {
        try (Rig rig = rig("full")) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                call(rig, step);
                step.complete("");
                run.complete("");
            }

            Map<String, Object> chat = rig.span("chat gpt-9").attributes();
            assertThat(json(chat, "gen_ai.input.messages")).isEqualTo(JSON.readTree("""
                    [{"role":"system","parts":[{"type":"text","content":"Be \\"brief\\"."}]},
                     {"role":"user","parts":[{"type":"text","content":"What is 3 * 4?"}]},
                     {"role":"tool","parts":[{"type":"tool_call_response","id":"c0","response":"12\\n"}]}]"""));
            assertThat(json(chat, "gen_ai.output.messages")).isEqualTo(JSON.readTree("""
                    [{"role":"assistant","parts":[{"type":"text","content":"It is"},
                       {"type":"tool_call","id":"c1","name":"calc","arguments":"{\\"x\\":1}"}],
                      "finish_reason":"tool_call"}]"""));
        }
    }

    @Test
    void messages_underPreview_areTheLastAndTheReply_cut() throws IOException {
        try (Rig rig = rig("preview")) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                step.startModelCall("openai", "m")
                        .message("user", "first")
                        .message("user", "q".repeat(5_000))
                        .reply("\"".repeat(5_000))
                        .close();
                step.complete("");
                run.complete("");
            }

            OtlpSpan chat = rig.span("chat m");
            JsonNode input = json(chat.attributes(), "gen_ai.input.messages");
            assertThat(input).hasSize(1);
            assertThat(input.at("/0/parts/0/content").stringValue()).isEqualTo("q".repeat(1_000));
            assertThat(json(chat.attributes(), "gen_ai.output.messages")
                            .at("/0/parts/0/content")
                            .stringValue())
                    .matches("\"{600,1000}");
            assertThat(text(chat.attributes(), "gen_ai.output.messages")).hasSizeLessThanOrEqualTo(2_048);
            assertThat(chat.events())
                    .extracting(event -> event.attributes().get("content"))
                    .containsExactly("q".repeat(1_000), "\"".repeat(1_000));
            assertThat(rig.spans().toString()).doesNotContain("first");
        }
    }

    @Test
    void messages_underNone_doNotLeave() throws IOException {
        try (Rig rig = rig("none")) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                call(rig, step);
                step.complete("");
                run.complete("");
            }

            assertThat(rig.spans().toString()).doesNotContain("brief", "3 * 4", "It is");
        }
    }

    @Tag("thorough")
    @Test
    void messages_thatAreHuge_areCutAndStayJson() throws IOException {
        try (Rig rig = rig("full")) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                ModelCall call = step.startModelCall("openai", "m");
                for (int i = 0; i < 40; i++) {
                    call.message("user", i + "\"\n€".repeat(100_000));
                }
                call.reply("€".repeat(1_000_000)).close();
                step.complete("");
                run.complete("");
            }

            Map<String, Object> chat = rig.span("chat m").attributes();
            JsonNode input = json(chat, "gen_ai.input.messages");
            assertThat(input).hasSize(40);
            assertThat(input.get(39).at("/parts/0/content").stringValue()).startsWith("39\"\n€");
            assertThat(json(chat, "gen_ai.output.messages")
                            .at("/0/parts/0/content")
                            .stringValue())
                    .matches("€{100000,}");
            assertThat(List.of("gen_ai.input.messages", "gen_ai.output.messages"))
                    .extracting(name -> text(chat, name).getBytes(StandardCharsets.UTF_8).length)
                    .allSatisfy(bytes -> assertThat(bytes).isBetween(1 << 19, 1 << 20));
        }
    }

    @Tag("thorough")
    @Test
    void messages_tooManyForASpan_areLeftOutAndSaidSo() throws IOException {
        try (Rig rig = rig("full")) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                ModelCall call = step.startModelCall("openai", "m");
                for (int i = 0; i < 40_000; i++) {
                    call.message("user", "text");
                }
                call.close();
                step.complete("");
                run.complete("");
            }

            assertThat(rig.span("chat m").attributes())
                    .containsEntry("rlm.left_out", List.of("gen_ai.input.messages=too large"))
                    .doesNotContainKey("gen_ai.input.messages");
        }
    }

    private static JsonNode json(Map<String, Object> attributes, String name) {
        return JSON.readTree(text(attributes, name));
    }

    private static String text(Map<String, Object> attributes, String name) {
        return String.valueOf(attributes.get(name));
    }
}
