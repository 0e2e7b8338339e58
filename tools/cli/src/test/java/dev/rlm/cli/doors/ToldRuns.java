package dev.rlm.cli.doors;

import dev.rlm.sinks.event.ArtifactSavedBuilder;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.CorrelationBuilder;
import dev.rlm.sinks.event.FileContent;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.Message.ToolRequest;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalledBuilder;
import dev.rlm.sinks.event.OriginalSpan;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RetrievedDocument;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RewardGivenBuilder;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunInfoBuilder;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecordedBuilder;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepEndedBuilder;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.ToolCalledBuilder;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.testkit.Events;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs as each way in is to tell them: their events, with the numbers, totals and ends that have to follow, all written out. A way in
 * is given what cannot follow.
 */
final class ToldRuns {
    private static final long MS = 1_000_000;
    private static final byte[] PLOT = "a plot".getBytes(StandardCharsets.UTF_8);
    private static final String PLOT_SHA256 = "c2571fa14d0767bfed70e094f1ebcc770a234eae62085fc8ee9719fe4577540d";
    private static final OriginalSpan SPAN = new OriginalSpan("00f067aa0ba902b7", "ask", Map.of("service.name", "s"));

    private ToldRuns() {}

    /** Returns a run in which all that a run can have happens, and that is rewarded after its end. */
    static List<RunEvent> rich() {
        RunInfo run = richInfo();
        StepStarted outer = new StepStarted(run, 2, 1 * MS, 1, RunEvent.NO_STEP, text("You see a calculator."));
        StepStarted inner = new StepStarted(run, 11, 15 * MS, 2, 1, text("deeper"));
        return List.of(
                new RunStarted(run, 1),
                outer,
                SpanRecordedBuilder.builder()
                        .run(run)
                        .seq(3)
                        .nanos(9 * MS)
                        .step(1)
                        .startNanos(2 * MS)
                        .name("plan")
                        .attributes(Map.of("documents", 7L, "ok", true))
                        .error(text("no index"))
                        .originalSpan(SPAN)
                        .build(),
                richCall(run),
                ToolCalledBuilder.builder()
                        .run(run)
                        .seq(5)
                        .nanos(7 * MS)
                        .step(1)
                        .startNanos(5 * MS)
                        .parentSeq(3)
                        .tool("calculator")
                        .provider(ToolCalled.MCP)
                        .callId("call-1")
                        .arguments(text("{\"expression\":\"3 * 4\"}"))
                        .result(text("12"))
                        .retries(2)
                        .attributes(Map.of("mcp.session.id", "s1"))
                        .documents(List.of(new RetrievedDocument("faq-12", 0.75, "ab".repeat(32))))
                        .originalSpan(SPAN)
                        .build(),
                ToolCalledBuilder.builder() // beside the other
                        .run(run)
                        .seq(6)
                        .nanos(8 * MS)
                        .step(1)
                        .startNanos(6 * MS)
                        .parentSeq(3)
                        .tool("search")
                        .provider(ToolCalled.FUNCTION)
                        .arguments(text("{}"))
                        .statusCode(RunStatus.INVALID_ARGUMENT)
                        .error(text("no query"))
                        .build(),
                reward(run, 7, 13, 1, "judge", 0.5)
                        .startNanos(10 * MS)
                        .components(List.of(new RewardComponent("time", 0.5, -0.5, "s")))
                        .label("weak")
                        .explanation(text("It adds up."))
                        .kind(RewardGiven.Kind.MODEL)
                        .min(0.25)
                        .max(1.0)
                        .originalSpan(SPAN)
                        .build(),
                ModelCalledBuilder.builder() // of the judge
                        .run(run)
                        .seq(8)
                        .nanos(12 * MS)
                        .step(1)
                        .startNanos(11 * MS)
                        .parentSeq(7)
                        .provider("openai")
                        .model("a-judge")
                        .messages(List.of(message(Message.ASSISTANT, "12"), message("user", "Is it right?")))
                        .error(text("503 Service Unavailable"))
                        .build(),
                reward(run, 9, 14, 1, "tests", Double.NaN)
                        .absence("did not run")
                        .build(),
                reward(run, 10, 14, 1, "speed", Double.POSITIVE_INFINITY).build(),
                inner,
                reward(run, 12, 16, 2, "environment", Double.NEGATIVE_INFINITY).build(),
                StepEndedBuilder.builder()
                        .started(inner)
                        .seq(13)
                        .nanos(17 * MS)
                        .actionType("")
                        .error(text("SyntaxError"))
                        .reward(Double.NaN)
                        .cumulativeReward(0.5)
                        .build(),
                ArtifactSavedBuilder.builder()
                        .run(run)
                        .seq(14)
                        .nanos(18 * MS)
                        .step(1)
                        .name("plot.png")
                        .mediaType("image/png")
                        .size(PLOT.length)
                        .sha256(PLOT_SHA256)
                        .path("plot.png")
                        .content(new FileContent(PLOT.length, () -> PLOT))
                        .build(),
                ArtifactSavedBuilder.builder()
                        .run(run)
                        .seq(15)
                        .nanos(18 * MS)
                        .step(RunEvent.NO_STEP)
                        .name("lost.bin")
                        .mediaType("application/octet-stream")
                        .sha256("")
                        .path("")
                        .absence("unreadable")
                        .build(),
                StepEndedBuilder.builder()
                        .started(outer)
                        .seq(16)
                        .nanos(20 * MS)
                        .actionType("python")
                        .code(text("3 * 4"))
                        .output(text("12"))
                        .success(true)
                        .reward(0.5)
                        .cumulativeReward(0.5)
                        .stateBefore("3f2a")
                        .stateAfter("9c41")
                        .tags(Map.of("phase", "search"))
                        .build(),
                reward(run, 17, 21, RunEvent.NO_STEP, "exact", 1).build(),
                end(run, 18, 22, Outcome.COMPLETED, RunStatus.SCORE_INVALID, "a reward could not be computed")
                        .solved(true)
                        .terminationReason("stop")
                        .steps(2)
                        .totalReward(1.5)
                        .absentRewards(1)
                        .rewards(5)
                        .finalAnswer(text("12"))
                        .initialState("f00f")
                        .metrics(Map.of("tokens", 120.0, "odd", Double.POSITIVE_INFINITY))
                        .build(),
                reward(run, 19, 30, RunEvent.NO_STEP, "person", 0)
                        .kind(RewardGiven.Kind.PERSON)
                        .solved(true)
                        .build());
    }

    private static RunInfo richInfo() {
        Correlation correlation = CorrelationBuilder.builder()
                .experiment("experiment")
                .invocation("invocation")
                .rollout("rollout")
                .trainerRun("trainer-run")
                .sample("sample")
                .row("row")
                .trajectoryIndex(1)
                .attempt(2)
                .epoch(3)
                .trainStep(4L)
                .split("train")
                .policyVersion("policy-1")
                .codeVersion("code-1")
                .datasetVersion("data-1")
                .parentRun("parent-run")
                .jobSpan("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .build();
        return RunInfoBuilder.builder(info("rich"))
                .task(text("What is 3 * 4?"))
                .agent("an-agent")
                .agentVersion("1.4.0")
                .expectedAnswer(text("12"))
                .maxSteps(10)
                .seed(42L)
                .params(Map.of("temperature", 0.5, "stop", List.of("a", "b")))
                .tags(Map.of("team", "red"))
                .correlation(correlation)
                .parent(new TraceContext(
                        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "vendor=state", "key=value"))
                .originalSpan(SPAN)
                .build();
    }

    private static RunEvent richCall(RunInfo run) {
        List<ToolRequest> asked = List.of(new ToolRequest("call-0", "search", text("{}")));
        return ModelCalledBuilder.builder()
                .run(run)
                .seq(4)
                .nanos(5 * MS)
                .step(1)
                .startNanos(3 * MS)
                .parentSeq(3)
                .firstTokenNanos(4 * MS)
                .provider("openai")
                .model("a-model")
                .responseId("response-1")
                .responseModel("a-model-2026")
                .serverAddress("api.example.com")
                .serverPort(443)
                .parameters(Map.of("temperature", 0.5))
                .systemInstructions(text("Be brief."))
                .toolDefinitions(text("[{\"name\":\"search\"}]"))
                .messages(List.of(
                        message("system", "Be exact."),
                        new Message(
                                "user",
                                Content.EMPTY,
                                List.of(),
                                null,
                                List.of(
                                        part(MessagePart.Type.TEXT, "Look:"),
                                        new MessagePart(
                                                MessagePart.Type.IMAGE,
                                                null,
                                                null,
                                                null,
                                                "file:plot",
                                                "image/png",
                                                "cd".repeat(32)))),
                        new Message(Message.ASSISTANT, text("I look."), asked, null),
                        new Message("tool", text("nothing"), List.of(), "call-0")))
                .reply(new Message(
                        Message.ASSISTANT,
                        Content.EMPTY,
                        List.of(),
                        null,
                        List.of(
                                part(MessagePart.Type.REASONING, "hm"),
                                part(MessagePart.Type.TEXT, "I calculate."),
                                new MessagePart(
                                        MessagePart.Type.TOOL_CALL,
                                        text("{}"),
                                        "call-1",
                                        "calculator",
                                        null,
                                        null,
                                        null))))
                .usage(new Usage(100L, 20L, 50L, 5L, 30L))
                .costAmount(0.25)
                .costCurrency("USD")
                .tokens(new TokenTrace(
                        List.of(1, 2, 3),
                        List.of(4, 5),
                        List.of(-0.5, Double.NEGATIVE_INFINITY),
                        "weights-1",
                        text("ab"),
                        List.of(1, 1)))
                .finishReason("tool_calls")
                .retries(1)
                .error(text("cut off"))
                .originalSpan(SPAN)
                .build();
    }

    /** Returns a run whose step was given a reward that is absent, and one that is not, and that failed; nothing tells its code. */
    static List<RunEvent> failed() {
        RunInfo run = info("failed");
        StepStarted step = new StepStarted(run, 2, 0, 1, RunEvent.NO_STEP, text("look"));
        return List.of(
                new RunStarted(run, 1),
                step,
                reward(run, 3, 1, 1, "tests", Double.NaN).absence("did not run").build(),
                reward(run, 4, 1, 1, "judge", 0.5).build(),
                StepEndedBuilder.builder()
                        .started(step)
                        .seq(5)
                        .nanos(2 * MS)
                        .actionType("say")
                        .code(text("12"))
                        .success(true)
                        .reward(0.5)
                        .cumulativeReward(0.5)
                        .build(),
                failure(run, 6, 3)
                        .steps(1)
                        .totalReward(0.5)
                        .absentRewards(1)
                        .rewards(2)
                        .build());
    }

    /** Returns a run that tells what chats tell: it failed, and its rewards are the run's. */
    static List<RunEvent> chat() {
        RunInfo run = RunInfoBuilder.builder(info("chat"))
                .task(text("What is 3 * 4?"))
                .build();
        StepStarted step = new StepStarted(run, 2, 1 * MS, 1, RunEvent.NO_STEP, run.task());
        return List.of(
                new RunStarted(run, 1),
                step,
                asking(run, 3).build(),
                calculating(run, 4).build(),
                StepEndedBuilder.builder()
                        .started(step)
                        .seq(5)
                        .nanos(7 * MS)
                        .actionType("calculator")
                        .code(text("{}"))
                        .output(text("12"))
                        .success(true)
                        .build(),
                reward(run, 6, 9, RunEvent.NO_STEP, "tests", Double.NaN)
                        .absence("none was recorded")
                        .build(),
                reward(run, 7, 9, RunEvent.NO_STEP, "judge", 0.5)
                        .label("weak")
                        .explanation(text("It adds up."))
                        .build(),
                failure(run, 8, 9)
                        .steps(1)
                        .totalReward(0.5)
                        .absentRewards(1)
                        .rewards(2)
                        .build());
    }

    /** Returns a run that tells what traces tell: it failed, as did a tool beside another, and its rewards are a step's. */
    static List<RunEvent> trace() {
        RunInfo run = RunInfoBuilder.builder(info("0af7651916cd43dd8448eb211c80319c"))
                .task(text("What is 3 * 4?"))
                .agent("an-agent")
                .build();
        StepStarted step = new StepStarted(run, 2, 1 * MS, 1, RunEvent.NO_STEP, Content.EMPTY);
        return List.of(
                new RunStarted(run, 1),
                step,
                asking(run, 3).build(),
                calculating(run, 4).build(),
                ToolCalledBuilder.builder()
                        .run(run)
                        .seq(5)
                        .nanos(8 * MS)
                        .step(1)
                        .startNanos(6 * MS)
                        .tool("search")
                        .provider(ToolCalled.FUNCTION)
                        .arguments(text("{}"))
                        .statusCode(RunStatus.INTERNAL)
                        .error(text("no query"))
                        .build(),
                reward(run, 6, 8, 1, "tests", Double.NaN).absence("did not run").build(),
                reward(run, 7, 8, 1, "judge", 0.5).label("weak").build(),
                StepEndedBuilder.builder()
                        .started(step)
                        .seq(8)
                        .nanos(8 * MS)
                        .actionType("calculator")
                        .error(text("no query"))
                        .reward(0.5)
                        .cumulativeReward(0.5)
                        .build(),
                failure(run, 9, 9)
                        .steps(1)
                        .totalReward(0.5)
                        .absentRewards(1)
                        .rewards(2)
                        .build());
    }

    /** Returns a run that tells what the base URL of a model and a trainer's log tell: one call, a reward, and the failure. */
    static List<RunEvent> rollout() {
        RunInfo run = RunInfoBuilder.builder(info("rollout"))
                .task(text("What is 3 * 4?"))
                .environment("gateway")
                .correlation(CorrelationBuilder.builder().rollout("rollout-3").build())
                .build();
        StepStarted step = new StepStarted(run, 2, 1 * MS, 1, RunEvent.NO_STEP, run.task());
        return List.of(
                new RunStarted(run, 1),
                step,
                asking(run, 3)
                        .reply(message(Message.ASSISTANT, "12"))
                        .finishReason("stop")
                        .build(),
                StepEndedBuilder.builder()
                        .started(step)
                        .seq(4)
                        .nanos(5 * MS)
                        .actionType("message")
                        .code(text("12"))
                        .success(true)
                        .build(),
                SpanRecordedBuilder.builder() // the log
                        .run(run)
                        .seq(5)
                        .startNanos(6 * MS)
                        .nanos(6 * MS)
                        .step(RunEvent.NO_STEP)
                        .name("rollout.log")
                        .build(),
                reward(run, 6, 6, RunEvent.NO_STEP, "rollout", 0.5).build(),
                failure(run, 7, 7).steps(1).totalReward(0.5).rewards(1).build());
    }

    private static ModelCalledBuilder asking(RunInfo run, long seq) {
        List<ToolRequest> asked = List.of(new ToolRequest("call-1", "calculator", text("{}")));
        return ModelCalledBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(5 * MS)
                .step(1)
                .startNanos(1 * MS)
                .provider("openai")
                .model("a-model")
                .messages(List.of(message("user", "What is 3 * 4?")))
                .reply(new Message(Message.ASSISTANT, text("I calculate."), asked, null))
                .usage(new Usage(100L, 20L, 50L, 5L, 30L))
                .finishReason("tool_calls");
    }

    private static ToolCalledBuilder calculating(RunInfo run, long seq) {
        return ToolCalledBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(7 * MS)
                .step(1)
                .startNanos(5 * MS)
                .tool("calculator")
                .provider(ToolCalled.FUNCTION)
                .callId("call-1")
                .arguments(text("{}"))
                .result(text("12"));
    }

    private static RunEndedBuilder failure(RunInfo run, long seq, long millis) {
        return end(run, seq, millis, Outcome.FAILED, RunStatus.INTERNAL, "no way on")
                .errorType(IllegalStateException.class.getName())
                .error(text("no way on"));
    }

    /** Returns a run that failed with a code. */
    static List<RunEvent> failedWithCode() {
        RunInfo run = info("failed-with-code");
        return List.of(
                new RunStarted(run, 1),
                end(run, 2, 3, Outcome.FAILED, RunStatus.UNAVAILABLE, "down")
                        .status(new RunStatus(RunStatus.UNAVAILABLE, "down", Map.of("host", "a-host")))
                        .errorType(IllegalStateException.class.getName())
                        .error(text("down"))
                        .build());
    }

    /** Returns a run that another started and that a limit cut off; its parent is an attempt too. */
    static List<RunEvent> cutOff() {
        RunInfo run = RunInfoBuilder.builder(info("cut-off"))
                .correlation(CorrelationBuilder.builder()
                        .rollout("rollout-2")
                        .attempt(1)
                        .parentRun("rich")
                        .build())
                .build();
        SpanRecordedBuilder span = SpanRecordedBuilder.builder().run(run).step(RunEvent.NO_STEP);
        return List.of(
                new RunStarted(run, 1),
                span.seq(2).startNanos(1 * MS).nanos(4 * MS).name("outer").build(),
                span.seq(3)
                        .startNanos(2 * MS)
                        .nanos(3 * MS)
                        .name("inner")
                        .parentSeq(2)
                        .build(),
                reward(run, 4, 4, RunEvent.NO_STEP, "exact", 1).build(),
                reward(run, 5, 5, RunEvent.NO_STEP, "exact", 0.25).build(),
                end(run, 6, 6, Outcome.COMPLETED, RunStatus.FINISHED, "")
                        .truncated(true)
                        .terminationReason("max_steps")
                        .totalReward(1.25)
                        .rewards(2)
                        .finalAnswer(text("unsure"))
                        .build());
    }

    /** Returns a run that was stopped while it was solved, and two steps were open in it. */
    static List<RunEvent> stopped() {
        RunInfo run = info("stopped");
        StepStarted outer = new StepStarted(run, 2, 1 * MS, 1, RunEvent.NO_STEP, Content.EMPTY);
        StepStarted inner = new StepStarted(run, 3, 2 * MS, 2, 1, Content.EMPTY);
        return List.of(
                new RunStarted(run, 1),
                outer,
                inner,
                reward(run, 4, 3, 2, "environment", 1).build(),
                unended(inner, 5, 1),
                unended(outer, 6, 0),
                end(run, 7, 4, Outcome.ABORTED, RunStatus.CANCELLED, "enough")
                        .solved(true)
                        .steps(2)
                        .totalReward(1)
                        .rewards(1)
                        .build());
    }

    private static StepEnded unended(StepStarted step, long seq, double reward) {
        return StepEndedBuilder.builder()
                .started(step)
                .seq(seq)
                .nanos(4 * MS)
                .actionType("")
                .error(text("the run ended before the step"))
                .errorType(StepEnded.ABORTED)
                .reward(reward)
                .cumulativeReward(1)
                .build();
    }

    /** Returns a run that goes on for long, and whose process then died in its second step. */
    static List<RunEvent> abandoned() {
        RunInfo run = info("abandoned");
        StepStarted first = new StepStarted(run, 2, 0, 1, RunEvent.NO_STEP, Content.EMPTY);
        return List.of(
                new RunStarted(run, 1),
                first,
                reward(run, 3, 1, 1, "tests", Double.NaN).absence("did not run").build(),
                reward(run, 4, 1, 1, "environment", 1).build(),
                StepEndedBuilder.builder()
                        .started(first)
                        .seq(5)
                        .nanos(2 * MS)
                        .actionType("")
                        .success(true)
                        .reward(1)
                        .cumulativeReward(1)
                        .build(),
                new Heartbeat(run, 6, 3 * MS, 1, 1),
                new StepStarted(run, 7, 4 * MS, 2, RunEvent.NO_STEP, Content.EMPTY),
                reward(run, 8, 5, RunEvent.NO_STEP, "exact", 1).build(),
                end(run, 9, 5, Outcome.ABANDONED, RunStatus.ABORTED, "its process died")
                        .steps(1)
                        .totalReward(2)
                        .absentRewards(1)
                        .rewards(3)
                        .build());
    }

    private static RunInfo info(String runId) {
        return RunInfoBuilder.builder()
                .runId(runId)
                .startedAt(Events.START)
                .environment("calc")
                .model("a-model")
                .passReward(0.9)
                .build();
    }

    private static RewardGivenBuilder reward(
            RunInfo run, long seq, long millis, int step, String source, double value) {
        return RewardGivenBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(millis * MS)
                .startNanos(millis * MS)
                .step(step)
                .source(source)
                .value(value);
    }

    private static RunEndedBuilder end(RunInfo run, long seq, long millis, Outcome outcome, int code, String message) {
        return RunEndedBuilder.builder()
                .run(run)
                .seq(seq)
                .nanos(millis * MS)
                .outcome(outcome)
                .status(RunStatus.of(code, message))
                .rewards(0);
    }

    private static Content text(String text) {
        return Content.redacted(text);
    }

    private static Message message(String role, String text) {
        return new Message(role, text(text), List.of(), null);
    }

    private static MessagePart part(MessagePart.Type type, @Nullable String text) {
        return new MessagePart(type, text == null ? null : text(text), null, null, null, null, null);
    }
}
