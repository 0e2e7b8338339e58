package dev.rlm.sinks.otel.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpRequest;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ContentCaptureTest {
    private static final String SMILE = "😀"; // two units, four bytes
    private static final String EURO = "€"; // one unit, three bytes

    @ParameterizedTest
    @ValueSource(strings = {Rig.GRPC, Rig.HTTP})
    void preview_ofLongTexts_isCutByCodePoint(String protocol) throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            record(rig, "a".repeat(199) + SMILE + "a".repeat(299) + SMILE + "b".repeat(499) + SMILE + "end");

            String task = "a".repeat(199) + SMILE + "a".repeat(299) + SMILE;
            assertThat(task.codePointCount(0, task.length())).isEqualTo(500);
            String text = task + "b".repeat(499) + SMILE;
            assertThat(texts(rig))
                    .containsExactlyInAnyOrderEntriesOf(Map.of(
                            "task", task,
                            "code", text,
                            "output", text,
                            "answer", text,
                            "error", "a".repeat(199) + SMILE,
                            "absence", "a".repeat(199) + SMILE));
        }
    }

    @ParameterizedTest
    @CsvSource({"€, 682", "😀, 512", "é, 1000", "x, 1000"})
    void preview_ofWideCharacters_isCutTo2048Bytes(String character, int kept) throws IOException {
        try (Rig rig = Rig.by(Rig.HTTP)) {
            record(rig, character.repeat(3_000));

            Map<String, String> texts = texts(rig);
            assertThat(texts)
                    .containsEntry("code", character.repeat(kept))
                    .containsEntry("answer", character.repeat(kept))
                    .containsEntry("task", character.repeat(500));
            assertThat(rig.receiver().spans())
                    .flatExtracting(ContentCaptureTest::values)
                    .hasSizeGreaterThan(30)
                    .allSatisfy(text ->
                            assertThat(text.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(2_048));
            JsonNode reply = new JsonMapper().readTree(attribute(rig.span("chat m"), "gen_ai.output.messages"));
            assertThat(reply.at("/0/parts/0/content").stringValue()).matches(character + "{300,1000}");
        }
    }

    @Test
    void none_ofAnyText_leaves() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of("RLM_CAPTURE_CONTENT", "none"))) {
            record(rig, "words");

            assertThat(texts(rig)).isEmpty();
            assertThat(rig.receiver().spans().toString()).doesNotContain("words");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Rig.GRPC, Rig.HTTP})
    void hash_ofAnyText_isSentInItsPlace(String protocol) throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("RLM_CAPTURE_CONTENT", "hash"))) {
            record(rig, "words 😀");

            String hash = "sha256:460dd08aee48aff6709b0cdd9a86893efaf8bfa74e5daebe05c4e24d07c3dec0 length:8";
            assertThat(texts(rig))
                    .hasSize(6)
                    .allSatisfy((place, text) -> assertThat(text).as(place).isEqualTo(hash));
            JsonNode said = new JsonMapper().readTree(attribute(rig.span("chat m"), "gen_ai.input.messages"));
            assertThat(said.at("/0/parts/0/content").stringValue()).isEqualTo(hash);
            assertThat(rig.span("execute_tool t").attributes())
                    .containsEntry("gen_ai.tool.call.arguments", hash)
                    .containsEntry("gen_ai.tool.call.result", hash);
            assertThat(rig.receiver().spans().toString()).doesNotContain("words");
            assertThat(rig.receiver().logs().toString()).doesNotContain("words");
        }
    }

    @Test
    void hash_ofHowARunFailed_isSentInItsPlace() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of("RLM_OTEL_CAPTURE_CONTENT", "HASH"))) {
            rig.startRun("r").fail(new IllegalStateException("words"));

            OtlpSpan run = rig.span("rlm.run");
            assertThat(run.statusMessage()).matches("sha256:[0-9a-f]{64} length:5");
            assertThat(run.events().get(1).attributes())
                    .containsEntry("exception.message", run.statusMessage())
                    .containsEntry("exception.type", "java.lang.IllegalStateException");
            assertThat(rig.receiver().spans().toString() + rig.receiver().logs())
                    .doesNotContain("words");
        }
    }

    @Test
    void full_ofLongTexts_isWhole() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of("RLM_CAPTURE_CONTENT", "full"))) {
            record(rig, EURO.repeat(100_000));

            Map<String, String> texts = texts(rig);
            assertThat(rig.span("rlm.run.started").attributes()).containsEntry("rlm.task", EURO.repeat(682));
            assertThat(texts.remove("error")).isEqualTo(EURO.repeat(200));
            assertThat(texts.remove("absence")).isEqualTo(EURO.repeat(200));
            assertThat(texts)
                    .hasSize(4)
                    .allSatisfy((name, text) -> assertThat(text).isEqualTo(EURO.repeat(100_000)));
        }
    }

    @Test
    void full_ofTextThatWasCut_isItsEndsAndWhatIsMissing() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of("RLM_CAPTURE_CONTENT", "full"))) {
            try (Run run = rig.startRun("r");
                    Step step = run.startStep()) {
                step.complete("x".repeat(2_000_000) + "y");
                run.complete("");
            }

            assertThat(texts(rig).get("output"))
                    .startsWith("x")
                    .contains("[CUT:" + (2_000_001 - 2 * 262_144) + ":2000001:")
                    .endsWith("xy");
        }
    }

    @Test
    void full_ofManyHugeTexts_staysBelowWhatReceiversTake() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of("RLM_CAPTURE_CONTENT", "full"))) {
            try (Run run = rig.startRun("r")) {
                for (int i = 0; i < 12; i++) {
                    Step step = run.startStep();
                    step.action("write", EURO.repeat(200_000));
                    step.complete(SMILE.repeat(i == 0 ? 400_000 : 100_000));
                }
                run.complete(EURO.repeat(400_000));
            }

            assertThat(rig.spans()).hasSize(14);
            assertThat(rig.receiver().requests(OtlpSignal.TRACES))
                    .extracting(OtlpRequest::bytes)
                    .allSatisfy(bytes -> assertThat(bytes).isLessThan(4 << 20));
            OtlpSpan run = rig.span("rlm.run");
            assertThat(run.events().get(1).attributes()).containsEntry("answer", EURO.repeat((1 << 20) / 3));
        }
    }

    @Test
    void tag_ofAnyLength_isCutTo2048Bytes() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of("RLM_CAPTURE_CONTENT", "full"))) {
            RunSpec spec =
                    RunSpec.builder("calc").tag("t", EURO.repeat(2_000_000)).build();
            rig.sinks().startRun(spec).complete("");

            assertThat(rig.span("rlm.run").attributes()).containsEntry("rlm.tag.t", EURO.repeat(682));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "hash", "preview", "full"})
    void whatAModelIsToldApart_leavesWithFullContentAlone(String capture) throws IOException {
        String tools = "[{\"type\":\"function\",\"name\":\"calc\"}]";
        try (Rig rig = Rig.by(Rig.GRPC, Map.of("RLM_CAPTURE_CONTENT", capture))) {
            try (Run run = rig.startRun("r");
                    ModelCall call = run.startModelCall("p", "small")) {
                call.systemInstructions("Be \"brief\".").toolDefinitions(tools);
            }
            try (Run run = rig.startRun("s");
                    ModelCall call = run.startModelCall("p", "large")) {
                call.systemInstructions(EURO.repeat(200_000)).toolDefinitions("[\"" + EURO.repeat(200_000) + "\"]");
            }

            Map<String, Object> small = rig.span("chat small").attributes();
            Map<String, Object> large = rig.span("chat large").attributes();
            if (capture.equals("full")) {
                assertThat(small)
                        .containsEntry(
                                "gen_ai.system_instructions", "[{\"type\":\"text\",\"content\":\"Be \\\"brief\\\".\"}]")
                        .containsEntry("gen_ai.tool.definitions", tools);
                assertThat(large)
                        .doesNotContainKey("gen_ai.tool.definitions")
                        .containsEntry("rlm.left_out", List.of("gen_ai.tool.definitions=too large"));
                assertThat(String.valueOf(large.get("gen_ai.system_instructions")))
                        .hasSizeBetween(30_000, 1 << 18)
                        .endsWith("\"}]");
            } else {
                assertThat(small).doesNotContainKeys("gen_ai.system_instructions", "gen_ai.tool.definitions");
                assertThat(large).doesNotContainKeys("gen_ai.system_instructions", "gen_ai.tool.definitions");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        ", , PREVIEW",
        ", true, FULL",
        ", SPAN_AND_EVENT, FULL",
        ", span_only, FULL",
        ", false, NONE",
        ", NO_CONTENT, NONE",
        ", EVENT_ONLY, NONE",
        "Full, false, FULL",
        "none, true, NONE",
        "hash, true, HASH",
        "preview, true, PREVIEW"
    })
    void capture_isAsTheVariablesSay(String own, String openTelemetrys, ContentCapture expected) {
        SinkConfig config = SinkConfig.of(Map.of());
        if (own != null) {
            config = config.with("RLM_CAPTURE_CONTENT", own);
        }
        if (openTelemetrys != null) {
            config = config.with("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", openTelemetrys);
        }
        assertThat(ContentCapture.of(config.sink("otel"))).isEqualTo(expected);
    }

    /** A run with this text wherever there is text. */
    private static void record(Rig rig, String text) {
        RunSpec spec = RunSpec.builder("calc").runId("r").task(text).build();
        try (Run run = rig.sinks().startRun(spec);
                Step step = run.startStep(text)) {
            step.action("say", text);
            step.startModelCall("openai", "m").message("user", text).reply(text).close();
            step.startToolCall("t").arguments(text).result(text);
            step.rewardAbsent("judge", text);
            step.fail(text, text);
            run.complete(text);
        }
    }

    private static List<String> values(OtlpSpan span) {
        return Stream.concat(
                        span.attributes().values().stream(),
                        span.events().stream().flatMap(event -> event.attributes().values().stream()))
                .map(String::valueOf)
                .toList();
    }

    private static String attribute(OtlpSpan span, String name) {
        return String.valueOf(span.attributes().get(name));
    }

    /** What has become of the text, by place. */
    private static Map<String, String> texts(Rig rig) {
        Map<String, Object> found = new TreeMap<>();
        OtlpSpan run = rig.span("rlm.run");
        OtlpSpan step = rig.span("rlm.step");
        found.put("task", run.attributes().get("rlm.task"));
        found.put("error", step.statusMessage().isEmpty() ? null : step.statusMessage());
        step.events().forEach(event -> {
            found.putIfAbsent("code", event.attributes().get("code"));
            found.putIfAbsent("output", event.attributes().get("output"));
            found.putIfAbsent("absence", event.attributes().get("gen_ai.evaluation.explanation"));
        });
        run.events().forEach(event -> found.put("answer", event.attributes().get("answer")));
        found.values().removeIf(text -> text == null);
        Map<String, String> texts = new TreeMap<>();
        found.forEach((name, text) -> texts.put(name, (String) text));
        return texts;
    }
}
