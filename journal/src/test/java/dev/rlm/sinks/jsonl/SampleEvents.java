package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.ArtifactSavedBuilder;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.OriginalSpan;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecordedBuilder;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.ToolCalledBuilder;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.event.Usage;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Runs to record: every kind of event, every field filled with a given text, and every field at its least. */
public final class SampleEvents {
    private static final OriginalSpan ORIGINAL =
            new OriginalSpan("00f067aa0ba902b7", "ask", Map.of("service.name", "agent", "deployment.replicas", 2));

    public static final Instant START = Instant.parse("2026-03-01T10:20:30.000000007Z");

    private SampleEvents() {}

    /** A sink whose clock shows these times. */
    public static JsonlSink sink(Path directory, InstantSource clock) {
        return JsonlSink.builder().directory(directory).clock(clock).build();
    }

    public static List<RunEvent> rich(String runId, String text) {
        Content content = Content.redacted(text);
        RunInfo run = richRun(runId, text);
        StepStarted outer = new StepStarted(run, 2, 10, 1, 0, content);
        StepStarted inner = new StepStarted(run, 3, 20, 2, 1, content);
        return List.of(
                new RunStarted(run, 1),
                outer,
                inner,
                modelCalled(run, text),
                ToolCalledBuilder.builder()
                        .run(run)
                        .seq(5)
                        .nanos(60)
                        .step(2)
                        .startNanos(55)
                        .parentSeq(6)
                        .tool("calc")
                        .provider(ToolCalled.MCP)
                        .callId("c1")
                        .arguments(content)
                        .result(content)
                        .statusCode(13)
                        .retries(2)
                        .error(content)
                        .attributes(Map.of("mcp.session.id", text, "server.port", 8080))
                        .documents(List.of(
                                new RetrievedDocument(text, Double.NaN, "0b"), new RetrievedDocument("", null, null)))
                        .originalSpan(ORIGINAL)
                        .build(),
                RewardGivenBuilder.builder()
                        .run(run)
                        .seq(6)
                        .nanos(70)
                        .step(2)
                        .source("judge")
                        .value(Double.NEGATIVE_INFINITY)
                        .components(List.of(
                                new RewardComponent("format", Double.NaN, 0.5, "s"),
                                new RewardComponent("length", -0.0, 1e-300, null)))
                        .startNanos(65)
                        .originalSpan(ORIGINAL)
                        .build(),
                StepEndedBuilder.builder()
                        .started(inner)
                        .seq(7)
                        .nanos(80)
                        .actionType("run")
                        .code(content)
                        .output(content)
                        .error(content)
                        .errorType("java.io.IOException")
                        .reward(Double.NaN)
                        .stateBefore("a")
                        .stateAfter("b")
                        .tags(Map.of("k", text))
                        .build(),
                SpanRecordedBuilder.builder()
                        .run(run)
                        .seq(8)
                        .nanos(90)
                        .step(1)
                        .startNanos(85)
                        .name("plan")
                        .parentSeq(4)
                        .attributes(Map.of("n", 1, "x", 0.5, "on", true, "t", text))
                        .error(content)
                        .originalSpan(ORIGINAL)
                        .build(),
                ArtifactSavedBuilder.builder()
                        .run(run)
                        .seq(9)
                        .nanos(95)
                        .step(1)
                        .name(text + "x")
                        .mediaType("text/plain")
                        .size(7)
                        .sha256("00ff")
                        .path(text)
                        .absence("too_large")
                        .build(),
                StepEndedBuilder.builder()
                        .started(outer)
                        .seq(10)
                        .nanos(100)
                        .actionType("")
                        .code(content)
                        .output(content)
                        .success(true)
                        .reward(-0.1)
                        .cumulativeReward(-0.1)
                        .build(),
                RewardGivenBuilder.builder()
                        .run(run)
                        .seq(11)
                        .nanos(110)
                        .source("judge")
                        .absence("timed out")
                        .startNanos(110)
                        .build(),
                new Heartbeat(run, 12, 120, 2, -0.1),
                richEnd(run, text));
    }

    public static List<RunEvent> bare(String runId) {
        RunInfo run = RunInfoBuilder.builder()
                .runId(runId)
                .startedAt(START)
                .environment("calc")
                .model("")
                .build();
        StepStarted step = new StepStarted(run, 2, 10, 1, 0, Content.EMPTY);
        return List.of(
                new RunStarted(run, 1),
                step,
                ModelCalledBuilder.builder()
                        .run(run)
                        .seq(3)
                        .provider("")
                        .model("")
                        .build(),
                ToolCalledBuilder.builder()
                        .run(run)
                        .seq(4)
                        .tool("t")
                        .provider(ToolCalled.FUNCTION)
                        .build(),
                StepEndedBuilder.builder()
                        .started(step)
                        .seq(5)
                        .nanos(20)
                        .actionType("")
                        .success(true)
                        .build(),
                RunEndedBuilder.builder(end(run, 6, Outcome.COMPLETED, 1, 0))
                        .rewards(0)
                        .build());
    }

    public static RunInfo richRun(String runId, String text) {
        Correlation ids = CorrelationBuilder.builder()
                .experiment("exp")
                .invocation("inv")
                .rollout("roll")
                .trainerRun("job")
                .sample("s-1")
                .row("row")
                .trajectoryIndex(0)
                .attempt(1)
                .epoch(2)
                .trainStep(3L)
                .split("train")
                .policyVersion("p1")
                .codeVersion("c1")
                .datasetVersion("d1")
                .parentRun("parent")
                .jobSpan("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .build();
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("text", text);
        params.put(text, List.of(1, 2.5, true, Map.of("deep", text)));
        params.put("nothing", Arrays.asList("x", null));
        params.put("big", Long.MAX_VALUE);
        return RunInfoBuilder.builder()
                .runId(runId)
                .startedAt(START)
                .task(Content.redacted(text))
                .environment("calc")
                .model("model")
                .maxSteps(10)
                .seed(-1L)
                .params(params)
                .tags(Map.of("tag", text))
                .correlation(ids)
                .parent(new TraceContext(
                        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                        "vendor=state",
                        "key=value,rlm.run_id=parent-run"))
                .originalSpan(ORIGINAL)
                .build();
    }

    private static MessagePart part(String text) {
        return new MessagePart(
                MessagePart.Type.IMAGE, Content.redacted(text), "p1", "calc", "file:///1.png", "image/png", "0a");
    }

    private static ModelCalled modelCalled(RunInfo run, String text) {
        Content content = Content.redacted(text);
        List<Message.ToolRequest> calls = List.of(new Message.ToolRequest("c1", "calc", content));
        return ModelCalledBuilder.builder()
                .run(run)
                .seq(4)
                .nanos(50)
                .step(2)
                .startNanos(30)
                .parentSeq(11)
                .firstTokenNanos(40L)
                .provider("openai")
                .model("asked-model")
                .responseId("r1")
                .responseModel("a-model")
                .serverAddress("localhost")
                .serverPort(8000)
                .parameters(Map.of("temperature", 0.7, "stop", List.of(text)))
                .systemInstructions(content)
                .toolDefinitions(content)
                .messages(List.of(
                        new Message("user", content, List.of(), null),
                        new Message("tool", content, List.of(), "c0"),
                        new Message("user", content, List.of(), null, List.of(part(text)))))
                .reply(new Message("assistant", content, calls, null))
                .usage(new Usage(1L, 2L, 3L, 4L, 5L))
                .costAmount(Double.NaN)
                .costCurrency("EUR")
                .tokens(new TokenTrace(
                        List.of(1, 2),
                        List.of(3),
                        List.of(-0.5, Double.NEGATIVE_INFINITY),
                        "w7",
                        content,
                        List.of(0, -1)))
                .finishReason("tool_calls")
                .retries(3)
                .error(content)
                .originalSpan(ORIGINAL)
                .build();
    }

    private static RunEnded richEnd(RunInfo run, String text) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put("odd", Double.POSITIVE_INFINITY);
        metrics.put("nan", Double.NaN);
        return RunEndedBuilder.builder()
                .run(run)
                .seq(13)
                .nanos(130)
                .outcome(Outcome.FAILED)
                .status(new RunStatus(RunStatus.INTERNAL, text, Map.of("why", text)))
                .solved(true)
                .runPath("/somewhere")
                .terminationReason("stop")
                .truncated(true)
                .steps(2)
                .totalReward(-0.1)
                .absentRewards(1)
                .rewards(2)
                .finalAnswer(Content.redacted(text))
                .initialState("c")
                .metrics(metrics)
                .errorType("java.lang.Error")
                .error(Content.redacted(text))
                .build();
    }

    public static RunEnded end(RunInfo run, long seq, Outcome outcome, int steps, double totalReward) {
        return RunEndedBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(seq * 1_000_000)
                .outcome(outcome)
                .status(RunStatus.of(RunStatus.FINISHED, ""))
                .steps(steps)
                .totalReward(totalReward)
                .build();
    }

    public static RewardGiven reward(RunInfo run, long seq) {
        return RewardGivenBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(seq * 1_000_000)
                .source("person")
                .value(0.5)
                .startNanos(seq * 1_000_000)
                .build();
    }

    /** One sink that has lost events, and one that has not. */
    public static LedgerReported ledger() {
        return new LedgerReported(
                START,
                Map.of(
                        "jsonl", new LedgerReported.SinkLedger(7, 7, new TreeMap<>(), 0),
                        "otel", new LedgerReported.SinkLedger(10, 3, new TreeMap<>(Map.of("queue_full", 5L)), 2)));
    }

    /** All but the end. */
    public static Stream<RunEvent> withoutEnd(List<RunEvent> events) {
        return events.stream().filter(event -> !(event instanceof RunEnded));
    }
}
