package dev.rlm.sinks.jsonl;

import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.Heartbeat;
import dev.rlm.sinks.event.LedgerReported;
import dev.rlm.sinks.event.Message;
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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Runs to record: every kind of event, every field filled with a given text, and every field at its least. */
final class SampleEvents {
    static final Instant START = Instant.parse("2026-03-01T10:20:30.000000007Z");

    private SampleEvents() {}

    static List<RunEvent> rich(String runId, String text) {
        Content content = Content.redacted(text);
        RunInfo run = richRun(runId, text);
        StepStarted outer = new StepStarted(run, 2, 10, 1, 0, content);
        StepStarted inner = new StepStarted(run, 3, 20, 2, 1, content);
        return List.of(
                new RunStarted(run, 1),
                outer,
                inner,
                modelCalled(run, text),
                new ToolCalled(
                        run,
                        5,
                        60,
                        2,
                        55,
                        6,
                        "calc",
                        ToolCalled.MCP,
                        "c1",
                        content,
                        content,
                        13,
                        2,
                        content,
                        Map.of("mcp.session.id", text, "server.port", 8080)),
                new RewardGiven(
                        run,
                        6,
                        70,
                        2,
                        "judge",
                        Double.NEGATIVE_INFINITY,
                        null,
                        List.of(
                                new RewardComponent("format", Double.NaN, 0.5, "s"),
                                new RewardComponent("length", -0.0, 1e-300, null)),
                        65),
                new StepEnded(
                        inner,
                        7,
                        80,
                        "run",
                        content,
                        content,
                        false,
                        content,
                        "java.io.IOException",
                        Double.NaN,
                        0,
                        "a",
                        "b",
                        Map.of("k", text)),
                new SpanRecorded(
                        run, 8, 90, 1, 85, "plan", 4, Map.of("n", 1, "x", 0.5, "on", true, "t", text), content),
                new ArtifactSaved(run, 9, 95, 1, text + "x", "text/plain", 7, "00ff", text),
                new StepEnded(outer, 10, 100, "", content, content, true, null, null, -0.1, -0.1, null, null, Map.of()),
                new RewardGiven(run, 11, 110, 0, "judge", 0, "timed out", List.of(), 110),
                new Heartbeat(run, 12, 120, 2, -0.1),
                richEnd(run, text));
    }

    static List<RunEvent> bare(String runId) {
        RunInfo run = new RunInfo(
                runId, START, Content.EMPTY, "calc", "", 0, null, Map.of(), Map.of(), Correlation.NONE, null);
        StepStarted step = new StepStarted(run, 2, 10, 1, 0, Content.EMPTY);
        return List.of(
                new RunStarted(run, 1),
                step,
                new ModelCalled(
                        run,
                        3,
                        0,
                        0,
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
                        0,
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
                new StepEnded(
                        step, 5, 20, "", Content.EMPTY, Content.EMPTY, true, null, null, 0, 0, null, null, Map.of()),
                end(run, 6, Outcome.COMPLETED, 1, 0));
    }

    static RunInfo richRun(String runId, String text) {
        Correlation ids = new Correlation(
                "exp", "inv", "roll", "job", "s-1", "row", 0, 1, 2, 3L, "train", "p1", "c1", "d1", "parent");
        Map<String, Object> params = new LinkedHashMap<>();
        params.put("text", text);
        params.put(text, List.of(1, 2.5, true, Map.of("deep", text)));
        params.put("nothing", Arrays.asList("x", null));
        params.put("big", Long.MAX_VALUE);
        return new RunInfo(
                runId,
                START,
                Content.redacted(text),
                "calc",
                "model",
                10,
                -1L,
                params,
                Map.of("tag", text),
                ids,
                new TraceContext(
                        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                        "vendor=state",
                        "key=value,rlm.run_id=parent-run"));
    }

    private static ModelCalled modelCalled(RunInfo run, String text) {
        Content content = Content.redacted(text);
        List<Message.ToolRequest> calls = List.of(new Message.ToolRequest("c1", "calc", content));
        return new ModelCalled(
                run,
                4,
                50,
                2,
                30,
                11,
                40L,
                "openai",
                "asked-model",
                Map.of("temperature", 0.7, "stop", List.of(text)),
                List.of(new Message("user", content, List.of(), null), new Message("tool", content, List.of(), "c0")),
                new Message("assistant", content, calls, null),
                new Usage(1L, 2L, 3L, 4L),
                new TokenTrace(List.of(1, 2), List.of(3), List.of(-0.5, Double.NEGATIVE_INFINITY), "w7"),
                "tool_calls",
                3,
                content);
    }

    private static RunEnded richEnd(RunInfo run, String text) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put("odd", Double.POSITIVE_INFINITY);
        metrics.put("nan", Double.NaN);
        return new RunEnded(
                run,
                13,
                130,
                Outcome.FAILED,
                new RunStatus(RunStatus.INTERNAL, text, Map.of("why", text)),
                true,
                "/somewhere",
                "stop",
                true,
                2,
                -0.1,
                1,
                Content.redacted(text),
                metrics,
                "java.lang.Error",
                Content.redacted(text));
    }

    static RunEnded end(RunInfo run, long seq, Outcome outcome, int steps, double totalReward) {
        return new RunEnded(
                run,
                seq,
                seq * 1_000_000,
                outcome,
                RunStatus.of(RunStatus.FINISHED, ""),
                false,
                null,
                null,
                false,
                steps,
                totalReward,
                0,
                null,
                Map.of(),
                null,
                null);
    }

    static RewardGiven reward(RunInfo run, long seq) {
        return new RewardGiven(run, seq, seq * 1_000_000, 0, "person", 0.5, null, List.of(), seq * 1_000_000);
    }

    /** One sink that has lost events, and one that has not. */
    static LedgerReported ledger() {
        return new LedgerReported(
                START,
                Map.of(
                        "jsonl", new LedgerReported.Account(7, 7, new TreeMap<>(), 0),
                        "otel", new LedgerReported.Account(10, 3, new TreeMap<>(Map.of("queue_full", 5L)), 2)));
    }

    /** All but the end. */
    static Stream<RunEvent> withoutEnd(List<RunEvent> events) {
        return events.stream().filter(event -> !(event instanceof RunEnded));
    }
}
