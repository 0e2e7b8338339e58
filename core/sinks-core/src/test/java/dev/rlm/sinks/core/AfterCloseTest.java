package dev.rlm.sinks.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.Ledger;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Scope;
import dev.rlm.sinks.Sink;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.Place;
import dev.rlm.sinks.event.Usage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What each method does once the hub was closed: nothing, and what it would have recorded is counted. */
@Timeout(60)
class AfterCloseTest {
    private final Recorder sink = new Recorder() {
        @Override
        public Scope openScope(Place place) {
            throw new AssertionError("asked after the close");
        }
    };
    private final Sinks sinks = Sinks.builder().add("x", sink).build();
    private final Run run = sinks.startRun(RunSpec.builder("env").runId("run").build());
    private final Step step = run.startStep();
    private final Evaluation evaluation = step.startEvaluation("judge");
    private final Span span = step.span("work");
    private final ToolCall tool = step.startToolCall("tool");
    private final ModelCall model = step.startModelCall("p", "m");

    @ParameterizedTest
    @MethodSource("uses")
    void method_isANoOp_andCounted(String name, int counted, Consumer<AfterCloseTest> use) {
        sinks.close();
        int received = sink.events().size();
        long before = ledger().lost();

        assertThatCode(() -> use.accept(this)).as(name).doesNotThrowAnyException();

        assertThat(sink.events()).hasSize(received);
        assertThat(ledger().lost() - before).isEqualTo(counted);
        assertThat(ledger().queued()).isZero();
        assertThat(ledger().delivered()).isEqualTo(received);
        assertThat(ledger().offered()).isEqualTo(received + ledger().lost());
    }

    static Stream<Arguments> uses() {
        Duration moment = Duration.ofMillis(1);
        return Stream.of(
                use(
                        "startRun",
                        1,
                        t -> t.sinks.startRun(RunSpec.builder("e").build()).complete("")),
                use("publish", 1, t -> t.sinks.publish(new MetricsReported(Instant.EPOCH, "m", "s", Map.of("s", 1.0)))),
                use("Sinks.reward", 1, t -> t.sinks.reward("run", "person", 1, List.of())),
                use("Sinks.rewardAbsent", 1, t -> t.sinks.rewardAbsent("run", "person", "why")),
                use("registerSecret", 0, t -> t.sinks.registerSecret("a-secret")),
                use("remove", 0, t -> assertThat(t.sinks.remove("x")).isFalse()),
                use("add", 0, t -> t.sinks.add("y", new Sink() {})),
                use(
                        "flush",
                        0,
                        t -> assertThat(t.sinks.flush(moment).isComplete()).isFalse()),
                use("flushDurable", 0, t -> t.sinks.flushDurable(moment)),
                use("awaitRoom", 0, t -> assertThat(t.sinks.awaitRoom(moment)).isTrue()),
                use("check", 0, t -> assertThat(t.sinks.check(moment)).hasSize(1)),
                use("locations", 0, t -> t.sinks.locations("run")),
                use("content", 0, t -> t.sinks.content("text")),
                use("close", 0, t -> t.sinks.close()),
                use("Run.startStep", 1, t -> t.run.startStep().complete("")),
                use("metrics", 1, t -> t.sinks.metrics("misc", Map.of("step", 1))),
                use("Run.span", 1, t -> t.run.span("phase").close()),
                use("Step.span", 1, t -> t.step.span("part").close()),
                use("Span.attribute", 1, t -> t.span.attribute("a", 1)),
                use("Span.fail", 1, t -> t.span.fail("why")),
                use("Span.span", 1, t -> t.span.span("inner").close()),
                use("Span.startToolCall", 1, t -> t.span.startToolCall("t").close()),
                use(
                        "Span.traceContext",
                        0,
                        t -> assertThat(t.span.traceContext()).isPresent()),
                use("Span.makeCurrent", 0, t -> t.span.makeCurrent().close()),
                use("Span.close", 0, t -> t.span.close()),
                use("Evaluation.makeCurrent", 0, t -> t.evaluation.makeCurrent().close()),
                use(
                        "Run.startEvaluation",
                        1,
                        t -> t.run.startEvaluation("judge").reward(1)),
                use("Run.reward", 1, t -> t.run.reward(1)),
                use("Run.rewardAbsent", 1, t -> t.run.rewardAbsent("env", "why")),
                use("Run.metric", 1, t -> t.run.metric("m", 1)),
                use("Run.initialState", 1, t -> t.run.initialState("s")),
                use("Run.traceContext", 0, t -> assertThat(t.run.traceContext()).isPresent()),
                use("Run.makeCurrent", 0, t -> t.run.makeCurrent().close()),
                use("Run.complete", 1, t -> t.run.complete("")),
                use("Run.truncate", 1, t -> t.run.truncate("max_steps", null)),
                use("Run.fail", 1, t -> t.run.fail(new IllegalStateException())),
                use("Run.abort", 1, t -> t.run.abort("why")),
                use("Run.close", 0, t -> t.run.close()),
                use("Step.startStep", 1, t -> t.step.startStep("").complete("")),
                use("Step.action", 1, t -> t.step.action("a", "b")),
                use("Step.state", 1, t -> t.step.state("a", "b")),
                use("Step.tag", 1, t -> t.step.tag("a", "b")),
                use("Step.startToolCall", 1, t -> t.step.startToolCall("t").close()),
                use(
                        "Step.startModelCall",
                        1,
                        t -> t.step.startModelCall("p", "m").close()),
                use(
                        "Step.startEvaluation",
                        1,
                        t -> t.step.startEvaluation("judge").reward(1)),
                use("Step.reward", 1, t -> t.step.reward(1)),
                use("Step.rewardAbsent", 1, t -> t.step.rewardAbsent("env", "why")),
                use(
                        "Step.traceContext",
                        0,
                        t -> assertThat(t.step.traceContext()).isPresent()),
                use("Step.makeCurrent", 0, t -> t.step.makeCurrent().close()),
                use("Step.complete", 1, t -> t.step.complete("")),
                use("Step.fail", 1, t -> t.step.fail("")),
                use("Step.abort", 1, t -> t.step.abort("")),
                use("Step.expire", 1, t -> t.step.expire("")),
                use("Step.close", 0, t -> t.step.close()),
                use(
                        "Evaluation.startToolCall",
                        1,
                        t -> t.evaluation.startToolCall("t").close()),
                use(
                        "Evaluation.startModelCall",
                        1,
                        t -> t.evaluation.startModelCall("p", "m").close()),
                use("Evaluation.reward", 1, t -> t.evaluation.reward(1)),
                use("Evaluation.absent", 1, t -> t.evaluation.absent("why")),
                use("Evaluation.close", 0, t -> t.evaluation.close()),
                use("ToolCall, all but that it failed", 6, t -> {
                    t.tool.arguments("").provider("mcp").callId("1").retries(1).document("d", 1.0, null);
                    t.tool.result("");
                    t.tool.fail(1, "");
                    t.tool.close();
                    t.tool.close();
                }),
                use("ModelCall, all but that it failed", 16, t -> {
                    t.model
                            .server("localhost", 80)
                            .response("1", "m")
                            .messageParts("user", parts -> parts.text(""))
                            .replyParts(parts -> parts.text(""))
                            .systemInstructions("")
                            .toolDefinitions("[]")
                            .cost(1, "USD")
                            .parameter("p", 1)
                            .message("user", "")
                            .toolMessage("1", "")
                            .reply("");
                    t.model
                            .toolRequest("1", "t", "{}")
                            .usage(Usage.UNKNOWN)
                            .finishReason("stop")
                            .retries(1);
                    t.model.firstToken();
                    t.model.fail("");
                    t.model.close();
                    t.model.close();
                }),
                use("ToolCall.result", 1, t -> {
                    t.tool.close();
                    t.tool.result("lost");
                }),
                use("ModelCall.fail", 0, t -> {
                    t.model.close();
                    t.model.fail("known");
                }));
    }

    private static Arguments use(String name, int counted, Consumer<AfterCloseTest> use) {
        return arguments(name, counted, use);
    }

    private Ledger ledger() {
        return sinks.statuses().get(0).ledger();
    }
}
