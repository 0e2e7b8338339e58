package dev.rlm.sinks.testkit;

import dev.rlm.sinks.event.ArtifactSavedBuilder;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.ModelCalledBuilder;
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
import dev.rlm.sinks.event.StandaloneSpanRecordedBuilder;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.ToolCalledBuilder;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.event.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Examples of every event: a whole run in which each kind occurs once, with all fields filled or with none but the needed. */
public final class Events {
    /** Start time of the runs of all examples. */
    public static final Instant START = Instant.parse("2026-01-02T03:04:05.123456789Z");

    private static final long MILLI = 1_000_000;

    private Events() {}

    /** Returns one event of each kind with every field filled, in order. */
    public static List<Event> full(String runId) {
        return full(runId, "some text");
    }

    /** Returns the same events, with the given text in all places that hold free text. */
    public static List<Event> full(String runId, String text) {
        RunInfo run = fullRun(runId, text);
        Content content = Content.redacted(text);
        StepStarted step = new StepStarted(run, 2, MILLI, 1, 0, content);
        return List.of(
                new RunStarted(run, 1),
                step,
                modelCalled(run, content, text),
                ToolCalledBuilder.builder()
                        .run(run)
                        .seq(4)
                        .nanos(5 * MILLI)
                        .step(1)
                        .startNanos(4 * MILLI)
                        .parentSeq(2)
                        .tool("search")
                        .provider(ToolCalled.MCP)
                        .callId("call-1")
                        .arguments(content)
                        .result(content)
                        .statusCode(13)
                        .retries(2)
                        .error(content)
                        .attributes(Map.of("mcp.session.id", text, "server.port", 8080))
                        .documents(List.of(
                                new RetrievedDocument(text, 0.75, "ab".repeat(32)),
                                new RetrievedDocument("d2", null, null)))
                        .build(),
                rewardGiven(run, content),
                SpanRecordedBuilder.builder()
                        .run(run)
                        .seq(6)
                        .nanos(7 * MILLI)
                        .step(1)
                        .startNanos(6 * MILLI)
                        .name("plan")
                        .parentSeq(2)
                        .attributes(Map.of("text", text, "n", 1L, "ok", true))
                        .error(content)
                        .build(),
                ArtifactSavedBuilder.builder()
                        .run(run)
                        .seq(7)
                        .nanos(8 * MILLI)
                        .step(1)
                        .name("plot.png")
                        .mediaType("image/png")
                        .size(1024)
                        .sha256("ab".repeat(32))
                        .path("/tmp/plot.png")
                        .build(),
                StepEndedBuilder.builder()
                        .started(step)
                        .seq(8)
                        .nanos(9 * MILLI)
                        .actionType("run_python")
                        .code(content)
                        .output(content)
                        .error(content)
                        .errorType("java.io.IOException")
                        .reward(-0.25)
                        .cumulativeReward(-0.25)
                        .stateBefore("00ff")
                        .stateAfter("ff00")
                        .tags(Map.of("tag", text))
                        .build(),
                new Heartbeat(run, 9, 10 * MILLI, 1, -0.25),
                runEnded(run, content, text),
                new MetricsReported(START, "trainer", "global_step", Map.of("global_step", 7.0, runId, Double.NaN)),
                StandaloneSpanRecordedBuilder.builder()
                        .time(START)
                        .name("wait")
                        .durationNanos(MILLI)
                        .traceId("4bf92f3577b34da6a3ce929d0e0e4736")
                        .spanId(spanId(runId))
                        .parentSpanId("00f067aa0ba902b8")
                        .parentSampled(true)
                        .attributes(Map.of("text", text, "n", 1L, "ok", true))
                        .error(content)
                        .build());
    }

    /** Returns one event of each kind with no more than it needs, in order. */
    public static List<Event> minimal(String runId) {
        RunInfo run = minimalRun(runId);
        StepStarted step = new StepStarted(run, 2, 0, 1, RunEvent.NO_STEP, Content.EMPTY);
        return List.of(
                new RunStarted(run, 1),
                step,
                ModelCalledBuilder.builder()
                        .run(run)
                        .seq(3)
                        .step(RunEvent.NO_STEP)
                        .provider("")
                        .model("")
                        .build(),
                ToolCalledBuilder.builder()
                        .run(run)
                        .seq(4)
                        .step(RunEvent.NO_STEP)
                        .tool("t")
                        .provider(ToolCalled.FUNCTION)
                        .build(),
                RewardGivenBuilder.builder()
                        .run(run)
                        .seq(5)
                        .step(RunEvent.NO_STEP)
                        .source("environment")
                        .build(),
                SpanRecordedBuilder.builder()
                        .run(run)
                        .seq(6)
                        .step(RunEvent.NO_STEP)
                        .name("s")
                        .build(),
                ArtifactSavedBuilder.builder()
                        .run(run)
                        .seq(7)
                        .step(RunEvent.NO_STEP)
                        .name("a")
                        .mediaType("")
                        .sha256("")
                        .path("")
                        .build(),
                StepEndedBuilder.builder()
                        .started(step)
                        .seq(8)
                        .actionType("")
                        .success(true)
                        .build(),
                new Heartbeat(run, 9, 0, 0, 0),
                RunEndedBuilder.builder()
                        .run(run)
                        .seq(10)
                        .outcome(Outcome.COMPLETED)
                        .status(RunStatus.of(RunStatus.FINISHED, ""))
                        .build(),
                new MetricsReported(START, "misc", "step", Map.of("step", 0.0)),
                StandaloneSpanRecordedBuilder.builder()
                        .time(START)
                        .name("s")
                        .traceId("4bf92f3577b34da6a3ce929d0e0e4736")
                        .spanId(spanId(runId))
                        .build());
    }

    /** Each run's events have a span of no run that is another one than the other runs'. */
    private static String spanId(String runId) {
        return String.format("a0f067aa%08x", runId.hashCode());
    }

    /** Returns an example of the ledgers of two sinks, as a hub reports them to a sink that keeps the record. */
    public static LedgerReported ledgerReported() {
        SortedMap<String, Long> dropped = new TreeMap<>(Map.of("queue_full", 2L, "sink_error", 1L));
        return new LedgerReported(
                START,
                Map.of(
                        "jsonl", new LedgerReported.SinkLedger(11, 11, new TreeMap<>(), 0),
                        "otel", new LedgerReported.SinkLedger(11, 7, dropped, 1)));
    }

    /** The full example of one kind. */
    public static <E extends Event> E full(String runId, Class<E> kind) {
        return only(full(runId), kind);
    }

    /** The minimal example of one kind. */
    public static <E extends Event> E minimal(String runId, Class<E> kind) {
        return only(minimal(runId), kind);
    }

    private static <E extends Event> E only(List<Event> events, Class<E> kind) {
        return events.stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .findFirst()
                .orElseThrow();
    }

    private static RunInfo fullRun(String runId, String text) {
        Correlation correlation = CorrelationBuilder.builder()
                .experiment("experiment")
                .invocation("invocation")
                .rollout("rollout")
                .trainerRun("trainer-run")
                .sample("sample")
                .row("row")
                .trajectoryIndex(0)
                .attempt(1)
                .epoch(2)
                .trainStep(3L)
                .split("train")
                .policyVersion("policy-1")
                .codeVersion("code-1")
                .datasetVersion("data-1")
                .parentRun("parent-run")
                .jobSpan("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .build();
        return RunInfoBuilder.builder()
                .runId(runId)
                .startedAt(START)
                .task(Content.redacted(text))
                .environment("calc")
                .model("a-model")
                .agent("an-agent")
                .agentVersion("1.4.0")
                .expectedAnswer(Content.redacted(text))
                .maxSteps(10)
                .seed(42L)
                .passReward(0.9)
                .params(Map.of("text", text, "n", 1, "on", true, "list", List.of(1, text), "map", Map.of("x", 0.5)))
                .tags(Map.of("tag", text))
                .correlation(correlation)
                .parent(new TraceContext(
                        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                        "vendor=state",
                        "key=value,rlm.run_id=parent-run"))
                .build();
    }

    private static RunInfo minimalRun(String runId) {
        return RunInfoBuilder.builder()
                .runId(runId)
                .startedAt(START)
                .environment("calc")
                .model("")
                .build();
    }

    private static ModelCalled modelCalled(RunInfo run, Content content, String text) {
        List<Message.ToolRequest> requests = List.of(new Message.ToolRequest("call-1", "search", content));
        List<Message> messages = List.of(
                new Message("system", content, List.of(), null),
                new Message("user", content, List.of(), null),
                new Message(
                        "user",
                        content,
                        List.of(),
                        null,
                        List.of(new MessagePart(
                                MessagePart.Type.IMAGE, null, null, null, text, "image/png", "00".repeat(32)))),
                new Message("assistant", content, requests, null),
                new Message("tool", content, List.of(), "call-1"));
        return ModelCalledBuilder.builder()
                .run(run)
                .seq(3)
                .nanos(4 * MILLI)
                .step(1)
                .startNanos(2 * MILLI)
                .parentSeq(5)
                .firstTokenNanos(3 * MILLI)
                .provider("openai")
                .model("a-model")
                .responseId("response-1")
                .responseModel(text)
                .serverAddress(text)
                .serverPort(443)
                .parameters(Map.of("temperature", 0.5, "stop", List.of(text)))
                .systemInstructions(content)
                .toolDefinitions(content)
                .messages(messages)
                .reply(new Message("assistant", content, requests, null))
                .usage(new Usage(100L, 20L, 50L, 5L, 30L))
                .costAmount(0.25)
                .costCurrency(text)
                .tokens(new TokenTrace(
                        List.of(1, 2, 3),
                        List.of(4, 5),
                        List.of(-0.1, Double.NEGATIVE_INFINITY),
                        "weights-1",
                        content,
                        List.of(1, 0)))
                .finishReason("tool_calls")
                .retries(1)
                .error(content)
                .build();
    }

    private static RewardGiven rewardGiven(RunInfo run, Content content) {
        List<RewardComponent> components =
                List.of(new RewardComponent("correct", 0, 1, null), new RewardComponent("time", 0.5, -0.5, "s"));
        return RewardGivenBuilder.builder()
                .run(run)
                .seq(5)
                .nanos(6 * MILLI)
                .step(1)
                .source("judge")
                .value(-0.25)
                .components(components)
                .label("weak")
                .explanation(content)
                .kind(RewardGiven.Kind.MODEL)
                .min(0.0)
                .max(1.0)
                .solved(false)
                .startNanos(5 * MILLI)
                .build();
    }

    private static RunEnded runEnded(RunInfo run, Content content, String text) {
        return RunEndedBuilder.builder()
                .run(run)
                .seq(10)
                .nanos(11 * MILLI)
                .outcome(Outcome.FAILED)
                .status(new RunStatus(RunStatus.INTERNAL, text, Map.of("detail", text)))
                .runPath("/tmp/run")
                .terminationReason("non_skippable_error")
                .truncated(true)
                .steps(1)
                .totalReward(-0.25)
                .absentRewards(1)
                .rewards(2)
                .finalAnswer(content)
                .initialState("f00f")
                .metrics(Map.of("tokens", 120.0, "odd", Double.POSITIVE_INFINITY))
                .errorType("java.lang.IllegalStateException")
                .error(content)
                .build();
    }
}
