package dev.rlm.sinks.otel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.harrel.jsonschema.providers.GsonNode;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.otel.backend.OtlpLog;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent of conversations, tools and documents, against the conventions' own schemas. */
class GenAiSchemaTest {
    private static final Map<String, String> FULL = Map.of("RLM_CAPTURE_CONTENT", "full");

    @ParameterizedTest
    @ValueSource(strings = {"full", "preview"})
    void messages_areValid(String capture) throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of("RLM_CAPTURE_CONTENT", capture))) {
            try (Run run =
                    rig.sinks().startRun(RunSpec.builder("calc").task("3 * 4?").build())) {
                try (Step step = run.startStep()) {
                    try (ModelCall call = step.startModelCall("openai", "asks")) {
                        call.systemInstructions("Be brief.").message("system", "Calculate.");
                        call.messageParts(
                                "user",
                                parts -> parts.text("What is this?").image("https://h/i.png", "image/png", null));
                        call.replyParts(parts -> parts.reasoning("A product.")
                                .toolCall("c1", "calculator", "{\"expression\":\"3 * 4\"}"));
                        call.finishReason("tool_calls");
                    }
                    try (ModelCall call = step.startModelCall("openai", "answers")) {
                        call.toolMessage("c1", "12");
                        call.reply("12");
                    }
                }
                run.complete("12");
            }
            rig.flush();

            assertThat(rig.receiver().spans("chat asks")).singleElement().satisfies(span -> {
                assertValid("gen-ai-input-messages", span.attributes().get("gen_ai.input.messages"));
                assertValid("gen-ai-output-messages", span.attributes().get("gen_ai.output.messages"));
                if (capture.equals("full")) {
                    assertValid("gen-ai-system-instructions", span.attributes().get("gen_ai.system_instructions"));
                }
            });
            assertThat(rig.receiver().spans("chat answers")).singleElement().satisfies(span -> {
                assertValid("gen-ai-input-messages", span.attributes().get("gen_ai.input.messages"));
                assertValid("gen-ai-output-messages", span.attributes().get("gen_ai.output.messages"));
            });
            if (capture.equals("full")) {
                assertThat(rig.receiver().spans("rlm.run")).singleElement().satisfies(span -> {
                    assertValid("gen-ai-input-messages", span.attributes().get("gen_ai.input.messages"));
                    assertValid("gen-ai-output-messages", span.attributes().get("gen_ai.output.messages"));
                });
            }
        }
    }

    /** In the forms of the conventions, of chat-completion APIs and of Anthropic's, and tools of the provider's own. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            [{"type":"function","name":"calc","description":"sums","parameters":{"type":"object"}}] \
            | {"type":"function","name":"calc","description":"sums","parameters":{"type":"object"}}
            [{"type":"function","function":{"name":"calc","parameters":{"type":"object"},"strict":true}}] \
            | {"type":"function","name":"calc","parameters":{"type":"object"},"strict":true}
            [{"name":"calc","description":"sums","input_schema":{"type":"object"}}] \
            | {"name":"calc","description":"sums","parameters":{"type":"object"},"type":"function"}
            [{"type":"web_search"}] | {"type":"web_search","name":"web_search"}
            """)
    void tools_areValid(String given, String sent) throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, FULL)) {
            try (Run run = rig.startRun("r");
                    ModelCall call = run.startModelCall("openai", "m")) {
                call.toolDefinitions(given);
            }

            Object tools = rig.span("chat m").attributes().get("gen_ai.tool.definitions");
            assertThat(tools).isEqualTo("[" + sent + "]");
            assertValid("gen-ai-tool-definitions", tools);
        }
    }

    @Test
    void toolsThatAreNoJson_areSentAsTheyAre() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, FULL)) {
            try (Run run = rig.startRun("r");
                    ModelCall call = run.startModelCall("openai", "m")) {
                call.toolDefinitions("[{\"type\":");
            }

            assertThat(rig.span("chat m").attributes()).containsEntry("gen_ai.tool.definitions", "[{\"type\":");
        }
    }

    @Test
    void documentsWithScores_areValid() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC)) {
            try (Run run = rig.startRun("r");
                    ToolCall call = run.startToolCall("search")) {
                call.provider(ToolCalled.RETRIEVAL)
                        .arguments("primes")
                        .document("doc-1", 0.75, null)
                        .document("doc-2", 0.5, null);
            }
            rig.flush();

            assertThat(rig.receiver().spans("retrieval search"))
                    .singleElement()
                    .satisfies(span -> assertValid(
                            "gen-ai-retrieval-documents", span.attributes().get("gen_ai.retrieval.documents")));
        }
    }

    /** Attributes and types of the convention's event; its name is required. */
    @Test
    void evaluations_areRecordsAsTheConventionsSay() throws IOException {
        try (Rig rig = Rig.by(Rig.GRPC, Map.of("RLM_OTEL_LOGS_REWARDS", "true"))) {
            try (Run run = rig.startRun("r")) {
                run.reward(
                        "judge",
                        Reward.of(0.5).label("partly").explanation("one of two").build());
                run.rewardAbsent("broken", "no answer");
                run.complete("");
            }
            rig.flush();

            assertThat(rig.receiver().logs("gen_ai.evaluation.result"))
                    .extracting(OtlpLog::attributes)
                    .satisfiesExactly(
                            given -> assertThat(given)
                                    .containsEntry("gen_ai.evaluation.name", "judge")
                                    .containsEntry("gen_ai.evaluation.score.value", 0.5)
                                    .containsEntry("gen_ai.evaluation.score.label", "partly")
                                    .containsEntry("gen_ai.evaluation.explanation", "one of two")
                                    .doesNotContainKey("error.type"),
                            absent -> assertThat(absent)
                                    .containsEntry("gen_ai.evaluation.name", "broken")
                                    .containsEntry("error.type", "absent")
                                    .containsEntry("gen_ai.evaluation.explanation", "no answer")
                                    .doesNotContainKey("gen_ai.evaluation.score.value"));
        }
    }

    private static void assertValid(String schema, @Nullable Object json) {
        assertThat(json).as("value for " + schema).isInstanceOf(String.class);
        Validator validator = new ValidatorFactory()
                .withJsonNodeFactory(new GsonNode.Factory())
                .createValidator();
        assertThat(validator
                        .validate(validator.registerSchema(text(schema)), String.valueOf(json))
                        .getErrors())
                .as("%s as %s says", json, schema)
                .isEmpty();
    }

    private static String text(String schema) {
        try (InputStream in = GenAiSchemaTest.class.getResourceAsStream("genai/" + schema + ".json")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
