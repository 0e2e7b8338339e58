package dev.rlm.sinks.otel.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.otel.OtelSinkProvider;
import dev.rlm.sinks.otel.backend.PhoenixServer;
import dev.rlm.sinks.otel.backend.PhoenixSpan;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** What a real Phoenix shows of runs that are sent with its preset: tree, kinds, texts, tokens and rewards. */
@Tag("thorough")
@DisabledOnOs(OS.WINDOWS)
@Timeout(180)
class PhoenixTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    private static final PhoenixServer phoenix = PhoenixServer.create();

    private static Sinks sinks(String project, Map<String, String> more) {
        Map<String, String> variables = new HashMap<>(more);
        variables.put("RLM_OTEL_PRESET", "phoenix");
        variables.put("PHOENIX_COLLECTOR_ENDPOINT", phoenix.url());
        variables.put("PHOENIX_PROJECT_NAME", project);
        SinkConfig config = SinkConfig.of(variables).sink("otel");
        return Sinks.builder()
                .add("otel", new OtelSinkProvider().create(config))
                .build();
    }

    private static Ledger ledger(Sinks sinks) {
        return sinks.statuses().get(0).ledger();
    }

    private static void record(Run run) {
        try (run;
                Step step = run.startStep()) {
            try (ModelCall call = step.startModelCall("openai", "gpt")) {
                call.message("user", "Use a tool.").reply("I do.").usage(new Usage(12L, 3L, null, null));
            }
            try (ToolCall call = step.startToolCall("calculator")) {
                call.arguments("{\"expression\":\"3 * 4\"}").result("it is 12");
            }
            step.action("python", "print(3 * 4)");
            step.reward("shaping", -0.25, List.of());
            step.complete("12");
            run.reward(
                    "exact match",
                    Reward.of(1).label("correct").explanation("12 is right").build());
            run.complete("12");
        }
    }

    @Tag("smoke")
    @Test
    void run_isATreeWithKindsTextsTokensAndRewards() {
        try (Sinks sinks = sinks("tree", Map.of())) {
            assertThat(sinks.check(PATIENCE)).allMatch(SinkStatus::available);
            record(sinks.startRun(
                    RunSpec.builder("calc").runId("r").task("What is 3 * 4?").build()));
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();

            assertThat(ledger(sinks).dropped()).isEmpty();
            assertThat(ledger(sinks).queued()).isZero();
        }
        assertThat(phoenix.projects()).contains("tree");
        List<PhoenixSpan> spans = phoenix.awaitSpans("tree", all -> all.size() == 5);
        PhoenixSpan run = named(spans, "rlm.run");
        PhoenixSpan step = named(spans, "rlm.step");
        PhoenixSpan chat = named(spans, "chat gpt");
        PhoenixSpan tool = named(spans, "execute_tool calculator");

        assertThat(run)
                .returns("AGENT", PhoenixSpan::kind)
                .returns("", PhoenixSpan::parentId)
                .returns("OK", PhoenixSpan::status);
        assertThat(run.attributes())
                .containsEntry("input.value", "What is 3 * 4?")
                .containsEntry("output.value", "12")
                .containsEntry("session.id", "r");
        assertThat(step).returns("CHAIN", PhoenixSpan::kind).returns(run.spanId(), PhoenixSpan::parentId);
        assertThat(step.attributes())
                .containsEntry("input.value", "print(3 * 4)")
                .containsEntry("output.value", "12");
        assertThat(chat).returns("LLM", PhoenixSpan::kind).returns(step.spanId(), PhoenixSpan::parentId);
        assertThat(chat.attributes())
                .containsEntry("input.value", "Use a tool.")
                .containsEntry("output.value", "I do.")
                .containsEntry("llm.token_count.prompt", "12")
                .containsEntry("llm.token_count.completion", "3")
                .containsEntry("llm.model_name", "gpt")
                .containsEntry("session.id", "r");
        assertThat(tool).returns("TOOL", PhoenixSpan::kind).returns(step.spanId(), PhoenixSpan::parentId);
        assertThat(tool.attributes())
                .containsEntry("input.value", "{\"expression\":\"3 * 4\"}")
                .containsEntry("output.value", "it is 12")
                .containsEntry("tool.name", "calculator");
        assertThat(named(spans, "rlm.run.started").kind()).isEqualTo("CHAIN");

        assertThat(rewards("tree", run)).singleElement().satisfies(reward -> {
            assertThat(reward.path("name").asString()).isEqualTo("reward");
            assertThat(reward.path("annotator_kind").asString()).isEqualTo("CODE");
            assertThat(reward.at("/result/score").asDouble()).isEqualTo(1);
            assertThat(reward.at("/result/label").asString()).isEqualTo("correct");
            assertThat(reward.at("/result/explanation").asString()).isEqualTo("12 is right");
            assertThat(reward.path("metadata").path("rlm.run_id").asString()).isEqualTo("r");
            assertThat(reward.path("metadata").path("gen_ai.evaluation.name").asString())
                    .isEqualTo("exact match");
        });
        assertThat(scores("tree", step)).containsExactly(-0.25);
        assertThat(annotations("tree", run, "total_reward")).singleElement().satisfies(total -> {
            assertThat(total.at("/result/score").asDouble()).isEqualTo(0.75);
            assertThat(total.at("/result/label").asString()).isEqualTo("solved");
            assertThat(total.at("/metadata/rlm.outcome").asString()).isEqualTo("completed");
        });
        assertThat(phoenix.page("{ getTraceByOtelId(traceId: \"" + run.traceId() + "\") { rootSpan { name } } }")
                        .at("/getTraceByOtelId/rootSpan/name")
                        .asString())
                .isEqualTo("rlm.run");
    }

    @Test
    void list_showsInputOutputTokensAndRewards() {
        try (Sinks sinks = sinks("list", Map.of())) {
            record(sinks.startRun(
                    RunSpec.builder("calc").runId("l").task("What is 3 * 4?").build()));
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        }
        phoenix.awaitSpans("list", all -> all.size() == 5);
        JsonNode projects = phoenix.page("{ projects { edges { node { name traceCount spans(first: 10) {"
                + " edges { node { name spanKind input { value } output { value }"
                + " cumulativeTokenCountTotal spanAnnotations { name score label } } } } } } } }");
        JsonNode project = projects.at("/projects/edges")
                .valueStream()
                .map(edge -> edge.path("node"))
                .filter(node -> node.path("name").asString().equals("list"))
                .findFirst()
                .orElseThrow();
        assertThat(project.path("traceCount").asInt()).isEqualTo(1);
        JsonNode row = project.at("/spans/edges")
                .valueStream()
                .map(edge -> edge.path("node"))
                .filter(node -> node.path("name").asString().equals("rlm.run"))
                .findFirst()
                .orElseThrow();
        assertThat(row.at("/spanKind").asString()).isEqualTo("agent");
        assertThat(row.at("/input/value").asString()).isEqualTo("What is 3 * 4?");
        assertThat(row.at("/output/value").asString()).isEqualTo("12");
        assertThat(row.at("/cumulativeTokenCountTotal").asInt()).isEqualTo(15);
        assertThat(row.at("/spanAnnotations"))
                .extracting(each -> each.path("name").asString() + "=" + each.path("score"))
                .containsExactlyInAnyOrder("reward=1.0", "total_reward=0.75");
    }

    @Test
    void rewards_lateNegativeAbsentAndAgain_standOnceEach() {
        for (int i = 0; i < 2; i++) { // sent again, as a resend does
            try (Sinks sinks = sinks("late", Map.of())) {
                Run run = sinks.startRun(RunSpec.builder("calc").runId("late").build());
                Step step = run.startStep();
                Evaluation judge = step.startEvaluation("judge");
                step.complete("");
                judge.reward(-2);
                run.complete("");
                assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
                sinks.reward("late", "person", -1, List.of());
                sinks.rewardAbsent("late", "person", "no verdict");
                assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();

                assertThat(ledger(sinks).dropped()).isEmpty();
                assertThat(ledger(sinks).queued()).isZero();
            }
        }
        List<PhoenixSpan> spans = phoenix.spans("late");
        PhoenixSpan run = named(spans, "rlm.run");
        assertThat(scores("late", named(spans, "rlm.step"))).containsExactly(-2.0);
        assertThat(rewards("late", run))
                .extracting(each -> each.path("result").path("label").asString(""))
                .containsExactlyInAnyOrder("", "absent");
        assertThat(rewards("late", run))
                .filteredOn(each -> each.at("/result/score").isNumber())
                .extracting(each -> each.at("/result/score").asDouble())
                .containsExactly(-1.0);
        assertThat(spans)
                .filteredOn(each -> each.name().equals("rlm.reward"))
                .hasSize(3)
                .allSatisfy(each -> assertThat(each.kind()).isEqualTo("EVALUATOR"));
    }

    @Test
    void rewards_ofARunWhoseChildrenAreLeftOut_standAtTheRun() {
        try (Sinks sinks = sinks("sampled", Map.of("RLM_OTEL_SUCCESS_RATIO", "0"))) {
            record(sinks.startRun(RunSpec.builder("calc").runId("s").build()));
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();

            assertThat(ledger(sinks).queued()).isZero();
            assertThat(ledger(sinks).dropped()).containsOnlyKeys(Ledger.NOT_SAMPLED);
        }
        List<PhoenixSpan> spans = phoenix.awaitSpans("sampled", all -> all.size() == 2);
        assertThat(scores("sampled", named(spans, "rlm.run"))).containsExactlyInAnyOrder(-0.25, 1.0);
    }

    private static PhoenixSpan named(List<PhoenixSpan> spans, String name) {
        return spans.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<JsonNode> rewards(String project, PhoenixSpan span) {
        return annotations(project, span, "reward");
    }

    private static List<JsonNode> annotations(String project, PhoenixSpan span, String name) {
        return phoenix.annotations(project, span).stream()
                .filter(each -> each.path("name").asString().equals(name))
                .toList();
    }

    private static List<Double> scores(String project, PhoenixSpan span) {
        return rewards(project, span).stream()
                .map(each -> each.at("/result/score").asDouble())
                .toList();
    }
}
