package dev.rlm.sinks.testkit;

import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MetricsReported;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.TokenTrace;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.event.Usage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Examples of every event: a whole run in which each kind occurs once, with all fields filled or with none but the needed. */
public final class Events {
    /** When the runs of all examples start. */
    public static final Instant START = Instant.parse("2026-01-02T03:04:05.123456789Z");

    private static final long MILLI = 1_000_000;

    private Events() {}

    /** One event of each kind with every field filled, in order. */
    public static List<Event> full(String runId) {
        return full(runId, "some text");
    }

    /** Likewise, with the given text in all places that hold free text. */
    public static List<Event> full(String runId, String text) {
        RunInfo run = fullRun(runId, text);
        Content content = Content.redacted(text);
        StepStarted step = new StepStarted(run, 2, MILLI, 1, 0, content);
        return List.of(
                new RunStarted(run, 1),
                step,
                modelCalled(run, content, text),
                new ToolCalled(
                        run,
                        4,
                        5 * MILLI,
                        1,
                        4 * MILLI,
                        2,
                        "search",
                        ToolCalled.MCP,
                        "call-1",
                        content,
                        content,
                        13,
                        2,
                        content,
                        Map.of("mcp.session.id", text, "server.port", 8080)),
                rewardGiven(run),
                new SpanRecorded(
                        run, 6, 7 * MILLI, 1, 6 * MILLI, "plan", 2, Map.of("text", text, "n", 1L, "ok", true), content),
                new ArtifactSaved(
                        run, 7, 8 * MILLI, 1, "plot.png", "image/png", 1024, "ab".repeat(32), "/tmp/plot.png"),
                new StepEnded(
                        step,
                        8,
                        9 * MILLI,
                        "run_python",
                        content,
                        content,
                        false,
                        content,
                        "java.io.IOException",
                        -0.25,
                        -0.25,
                        "00ff",
                        "ff00",
                        Map.of("tag", text)),
                new Heartbeat(run, 9, 10 * MILLI, 1, -0.25),
                runEnded(run, content, text),
                new MetricsReported(START, "trainer", "global_step", Map.of("global_step", 7.0, "loss", Double.NaN)));
    }

    /** One event of each kind with no more than it needs, in order. */
    public static List<Event> minimal(String runId) {
        RunInfo run = minimalRun(runId);
        StepStarted step = new StepStarted(run, 2, 0, 1, RunEvent.NO_STEP, Content.EMPTY);
        return List.of(
                new RunStarted(run, 1),
                step,
                new ModelCalled(
                        run,
                        3,
                        0,
                        RunEvent.NO_STEP,
                        0,
                        0,
                        null,
                        "",
                        "",
                        Map.of(),
                        List.of(),
                        null,
                        Usage.UNKNOWN,
                        null,
                        null,
                        0,
                        null),
                new ToolCalled(
                        run,
                        4,
                        0,
                        RunEvent.NO_STEP,
                        0,
                        0,
                        "t",
                        ToolCalled.FUNCTION,
                        null,
                        Content.EMPTY,
                        Content.EMPTY,
                        0,
                        0,
                        null,
                        Map.of()),
                new RewardGiven(run, 5, 0, RunEvent.NO_STEP, "environment", 0, null, List.of(), 0),
                new SpanRecorded(run, 6, 0, RunEvent.NO_STEP, 0, "s", 0, Map.of(), null),
                new ArtifactSaved(run, 7, 0, RunEvent.NO_STEP, "a", "", 0, "", ""),
                new StepEnded(
                        step, 8, 0, "", Content.EMPTY, Content.EMPTY, true, null, null, 0, 0, null, null, Map.of()),
                new Heartbeat(run, 9, 0, 0, 0),
                new RunEnded(
                        run,
                        10,
                        0,
                        Outcome.COMPLETED,
                        RunStatus.of(RunStatus.FINISHED, ""),
                        false,
                        null,
                        null,
                        false,
                        0,
                        0,
                        0,
                        null,
                        Map.of(),
                        null,
                        null),
                new MetricsReported(START, "misc", "step", Map.of("step", 0.0)));
    }

    /** How two sinks stood, as a hub tells it to a sink that keeps the record. */
    public static LedgerReported ledgerReported() {
        SortedMap<String, Long> dropped = new TreeMap<>(Map.of("queue_full", 2L, "sink_error", 1L));
        return new LedgerReported(
                START,
                Map.of(
                        "jsonl", new LedgerReported.Account(11, 11, new TreeMap<>(), 0),
                        "otel", new LedgerReported.Account(11, 7, dropped, 1)));
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
        Correlation correlation = new Correlation(
                "experiment",
                "invocation",
                "rollout",
                "trainer-run",
                "sample",
                "row",
                0,
                1,
                2,
                3L,
                "train",
                "policy-1",
                "code-1",
                "data-1",
                "parent-run");
        return new RunInfo(
                runId,
                START,
                Content.redacted(text),
                "calc",
                "a-model",
                10,
                42L,
                Map.of("text", text, "n", 1, "on", true, "list", List.of(1, text), "map", Map.of("x", 0.5)),
                Map.of("tag", text),
                correlation,
                new TraceContext(
                        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                        "vendor=state",
                        "key=value,rlm.run_id=parent-run"));
    }

    private static RunInfo minimalRun(String runId) {
        return new RunInfo(
                runId, START, Content.EMPTY, "calc", "", 0, null, Map.of(), Map.of(), Correlation.NONE, null);
    }

    private static ModelCalled modelCalled(RunInfo run, Content content, String text) {
        List<Message.ToolRequest> requests = List.of(new Message.ToolRequest("call-1", "search", content));
        List<Message> messages = List.of(
                new Message("system", content, List.of(), null),
                new Message("user", content, List.of(), null),
                new Message("assistant", content, requests, null),
                new Message("tool", content, List.of(), "call-1"));
        return new ModelCalled(
                run,
                3,
                4 * MILLI,
                1,
                2 * MILLI,
                5,
                3 * MILLI,
                "openai",
                "a-model",
                Map.of("temperature", 0.5, "stop", List.of(text)),
                messages,
                new Message("assistant", content, requests, null),
                new Usage(100L, 20L, 50L, 5L),
                new TokenTrace(List.of(1, 2, 3), List.of(4, 5), List.of(-0.1, Double.NEGATIVE_INFINITY), "weights-1"),
                "tool_calls",
                1,
                content);
    }

    private static RewardGiven rewardGiven(RunInfo run) {
        List<RewardComponent> components =
                List.of(new RewardComponent("correct", 0, 1, null), new RewardComponent("time", 0.5, -0.5, "s"));
        return new RewardGiven(run, 5, 6 * MILLI, 1, "judge", -0.25, null, components, 5 * MILLI);
    }

    private static RunEnded runEnded(RunInfo run, Content content, String text) {
        return new RunEnded(
                run,
                10,
                11 * MILLI,
                Outcome.FAILED,
                new RunStatus(RunStatus.INTERNAL, text, Map.of("detail", text)),
                false,
                "/tmp/run",
                "non_skippable_error",
                true,
                1,
                -0.25,
                1,
                content,
                Map.of("tokens", 120.0, "odd", Double.POSITIVE_INFINITY),
                "java.lang.IllegalStateException",
                content);
    }
}
