package dev.rlm.sinks.otel.spans;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.otel.OtelSink;
import dev.rlm.sinks.otel.backend.JaegerServer;
import dev.rlm.sinks.otel.backend.JaegerSpan;
import dev.rlm.sinks.otel.backend.JaegerTrace;
import dev.rlm.sinks.otel.backend.TempoFound;
import dev.rlm.sinks.otel.backend.TempoServer;
import dev.rlm.sinks.otel.backend.TempoSpan;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a person sees first of a run in a real Jaeger and a real Tempo, by what their pages are given. */
@Tag("thorough")
class FirstSightTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String TASK = "What is 3 * 4?";

    @RegisterExtension
    private static final JaegerServer jaeger = JaegerServer.create();

    @RegisterExtension
    private static final TempoServer tempo = TempoServer.create();

    @Test
    void jaeger_showsTheResultFirst_andTheTaskOnce() {
        record(jaeger.httpEndpoint(), "seen-in-jaeger");

        JaegerTrace trace = jaeger.awaitTrace(Ids.of("seen-in-jaeger").traceId(), 5);
        JaegerSpan run = trace.spans("rlm.run").get(0);
        List<JaegerSpan.Log> shown = run.logs().stream()
                .filter(log -> log.micros() >= run.startMicros()) // its page hides what is not within the trace
                .filter(log -> log.micros() <= run.startMicros() + run.durationMicros())
                .sorted(Comparator.comparingLong(JaegerSpan.Log::micros))
                .toList();
        assertThat(shown)
                .extracting(JaegerSpan.Log::event)
                .startsWith("result")
                .endsWith("final_answer")
                .hasSize(run.logs().size());
        assertThat(shown.get(0).fields())
                .isEqualTo(Map.of(
                        "event", "result", "outcome", "completed", "solved", true, "reward", 1.0, "answer", "12"));
        assertThat(run.tags()).containsEntry("rlm.task", TASK);
        assertThat(run.tags().values())
                .filteredOn(value -> value.toString().contains(TASK))
                .hasSize(1);
        assertThat(run.tags()).doesNotContainKeys("gen_ai.input.messages", "gen_ai.output.messages");
    }

    @Test
    void jaeger_showsWhatAModelAndAToolSaid() {
        record(jaeger.httpEndpoint(), "said-in-jaeger");

        JaegerTrace trace = jaeger.awaitTrace(Ids.of("said-in-jaeger").traceId(), 5);
        assertThat(trace.spans("chat m").get(0).logs())
                .extracting(log -> log.event() + ": " + log.fields().get("content"))
                .containsExactly("message: " + TASK, "reply: calculator({\"expression\": \"3 * 4\"})");
        assertThat(trace.spans("execute_tool calculator").get(0).tags())
                .containsEntry("gen_ai.tool.call.arguments", "{\"expression\": \"3 * 4\"}")
                .containsEntry("gen_ai.tool.call.result", "12");
    }

    @Test
    void jaeger_findsARunThatIsOpenByItsTag_andTellsItsTask() {
        try (Sinks sinks = sinks(jaeger.httpEndpoint())) {
            Run run = sinks.startRun(spec("open-in-jaeger").tag("night", "7").build());
            assertThat(jaeger.awaitTrace(Ids.of("open-in-jaeger").traceId(), 1).spans())
                    .hasSize(1);
            assertThat(jaeger.tracesWith("sight", "rlm.tag.night", "7", 10))
                    .singleElement()
                    .satisfies(trace -> assertThat(
                                    trace.spans("rlm.run.started").get(0).tags())
                            .containsEntry("rlm.task", TASK));
            run.complete("");
        }
    }

    @Tag("smoke")
    @Test
    void tempo_hasTheSame_uncut() {
        record(tempo.httpEndpoint(), "seen-in-tempo");

        List<TempoSpan> spans = tempo.awaitTrace(Ids.of("seen-in-tempo").traceId(), 5);
        TempoSpan run = span(spans, "rlm.run");
        assertThat(run.events())
                .filteredOn(event -> event.nanos() == run.startNanos())
                .extracting(TempoSpan.Event::name)
                .containsExactly("result");
        assertThat(span(spans, "chat m").attributes())
                .containsEntry(
                        "gen_ai.input.messages",
                        "[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"" + TASK + "\"}]}]");
        assertThat(span(spans, "execute_tool calculator").attributes())
                .containsEntry("gen_ai.tool.call.arguments", "{\"expression\": \"3 * 4\"}");
        assertThat(tempo.awaitFound(
                        "{ name = \"rlm.run\" && span.rlm.solved = true } | select(span.rlm.total_reward, span.rlm.task)",
                        1))
                .flatExtracting(TempoFound::spans)
                .extracting(TempoFound.Match::attributes)
                .anySatisfy(shown ->
                        assertThat(shown).containsEntry("rlm.total_reward", 1.0).containsEntry("rlm.task", TASK));
    }

    private static TempoSpan span(List<TempoSpan> spans, String name) {
        return spans.stream()
                .filter(span -> span.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Sinks sinks(String endpoint) {
        SinkConfig config = SinkConfig.of(Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT", endpoint,
                        "OTEL_SERVICE_NAME", "sight",
                        "RLM_OTEL_METRICS_ENABLED", "false",
                        "RLM_OTEL_LOGS_ENABLED", "false"))
                .sink("otel");
        return Sinks.builder()
                .add("otel", OtelSink.builder().config(config).build())
                .build();
    }

    private static RunSpec.Builder spec(String runId) {
        return RunSpec.builder("calc").runId(runId).task(TASK);
    }

    private static void record(String endpoint, String runId) {
        try (Sinks sinks = sinks(endpoint)) {
            try (Run run = sinks.startRun(spec(runId).build());
                    Step step = run.startStep()) {
                try (ModelCall call = step.startModelCall("openai", "m")) {
                    call.message("system", "Be brief.")
                            .message("user", TASK)
                            .toolRequest("c1", "calculator", "{\"expression\": \"3 * 4\"}");
                }
                try (ToolCall call = step.startToolCall("calculator")) {
                    call.arguments("{\"expression\": \"3 * 4\"}").result("12");
                }
                step.action("calculator", "3 * 4");
                step.complete("12");
                run.reward(1);
                run.complete("12");
            }
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
        }
    }
}
