package dev.rlm.collector;

import static dev.rlm.collector.Otlp.lasting;
import static dev.rlm.collector.Otlp.request;
import static dev.rlm.collector.Otlp.span;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.schema.LateEvents;
import io.opentelemetry.proto.trace.v1.Span;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Spans that come after their run was made, also of an earlier process. */
@Timeout(180)
class LateSpansTest {
    private static final Map<String, String> CHAT =
            Map.of("gen_ai.operation.name", "chat", "gen_ai.provider.name", "openai", "gen_ai.request.model", "gpt-x");
    private static final Span ROOT = lasting(9, span(1, 0, "POST /ask", Map.of("http.request.method", "POST")));

    @TempDir
    private Path folder;

    private static void send(RunningCollector collector, Span... spans) throws Exception {
        assertThat(collector
                        .post("/v1/traces", request(spans).toByteArray(), "Content-Type", "application/x-protobuf")
                        .statusCode())
                .isEqualTo(200);
    }

    private static List<String> ids(RunningCollector collector) {
        return collector.runs().stream().map(RunSummary::runId).toList();
    }

    private static List<RunEvent> calls(List<RunEvent> run) {
        return run.stream().filter(ModelCalled.class::isInstance).toList();
    }

    private static String evaluation(int second, double score) {
        return "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"timeUnixNano\":\""
                + (Otlp.START + second * 1_000_000_000L)
                + "\",\"eventName\":\"gen_ai.evaluation.result\",\"traceId\":\"" + Otlp.TRACE
                + "\",\"spanId\":\"0000000200000000\",\"attributes\":[{\"key\":\"gen_ai.evaluation.name\",\"value\":"
                + "{\"stringValue\":\"judge\"}},{\"key\":\"gen_ai.evaluation.score.value\",\"value\":{\"doubleValue\":"
                + score + "}}]}]}]}]}";
    }

    private static void awaitRewards(RunningCollector collector, Double... values) {
        await().atMost(RunningCollector.PATIENCE)
                .untilAsserted(() -> assertThat(collector.events(Otlp.TRACE))
                        .filteredOn(RewardGiven.class::isInstance)
                        .extracting(event -> ((RewardGiven) event).value())
                        .containsExactlyInAnyOrder(values));
    }

    @Test
    void evaluations_afterTheEndOfARun_areItsOwn_alsoAfterARestart() throws Exception {
        List<RunEvent> before;
        try (RunningCollector collector = RunningCollector.start(folder)) {
            send(collector, span(2, 1, "chat", CHAT), ROOT);
            before = collector.events(Otlp.TRACE);
            assertThat(before.get(4)).isInstanceOf(RunEnded.class);
            collector.post("/v1/logs", evaluation(3_600, 1));
            awaitRewards(collector, 1.0);
            RewardGiven reward = (RewardGiven) collector.events(Otlp.TRACE).get(5);
            assertThat(LateEvents.isLate(reward.seq())).isTrue();
            assertThat(reward.source()).isEqualTo("judge");
            assertThat(reward.nanos()).isEqualTo(3_599_000_000_000L);
            collector.kill();
        }
        try (RunningCollector collector = RunningCollector.start(folder)) {
            collector.post("/v1/logs", evaluation(3_600, 1));
            collector.post("/v1/logs", evaluation(3_601, 0.5));
            awaitRewards(collector, 1.0, 0.5);
            assertThat(collector.events(Otlp.TRACE)).startsWith(before.toArray(RunEvent[]::new));
            assertThat(ids(collector)).containsExactly(Otlp.TRACE);
            assertThat(collector.runs().get(0).rewards().late()).isEqualTo(2);
            collector.stop();
            assertThat(collector.err()).contains("made 0 runs of 1 event");
        }
    }

    @Test
    void root_ofAnotherMatter_waitsForTheCallsOfItsTrace() throws Exception {
        try (RunningCollector collector = RunningCollector.start(folder)) {
            send(collector, ROOT);
            send(collector, Otlp.of(9, 1, 0, "chat", CHAT).build());
            collector.events("00000000000000000000000000000009"); // later than the one that was left out
            send(collector, span(2, 1, "chat", CHAT));
            List<RunEvent> run = collector.events(Otlp.TRACE);
            assertThat(calls(run)).hasSize(1);
            assertThat(run.get(0).run().params()).containsEntry("http.request.method", "POST");
            assertThat(run.get(run.size() - 1))
                    .isInstanceOfSatisfying(
                            RunEnded.class, end -> assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED));

            send(collector, span(3, 1, "chat", CHAT));
            assertThat(collector
                            .events(Otlp.TRACE + ".2")
                            .get(0)
                            .run()
                            .correlation()
                            .parentRun())
                    .isEqualTo(Otlp.TRACE);
            collector.stop();
            assertThat(collector.err()).contains("left out 1 trace");
        }
    }

    @Test
    void spans_afterARestart_areNewOnlyWhereTheyAre() throws Exception {
        Span first = span(2, 1, "chat", CHAT);
        Span second = span(3, 1, "chat", CHAT);
        try (RunningCollector collector = RunningCollector.start(folder)) {
            send(collector, first, ROOT);
            collector.events(Otlp.TRACE);
            collector.kill();
        }
        for (int restart = 0; restart < 2; restart++) {
            try (RunningCollector collector = RunningCollector.start(folder)) {
                send(collector, first, second, ROOT);
                assertThat(calls(collector.events(Otlp.TRACE + ".2"))).hasSize(1);
                collector.stop();
                assertThat(collector.err()) // a run is made once more where a kill came before the note of its end
                        .containsPattern(
                                restart == 0
                                        ? "collected 3 spans \\(2 again\\), made [12] runs? of"
                                        : "collected 3 spans \\(3 again\\), made 0 runs of");
            }
        }
        try (RunningCollector collector = RunningCollector.start(folder)) {
            send(collector, span(4, 1, "chat", CHAT));
            assertThat(calls(collector.events(Otlp.TRACE + ".3"))).hasSize(1);
            assertThat(ids(collector)).containsExactlyInAnyOrder(Otlp.TRACE, Otlp.TRACE + ".2", Otlp.TRACE + ".3");
        }
    }

    @Test
    void spansOfATrace_thatTwoCollectorsGet_areAllThere() throws Exception {
        int traces = 20;
        try (RunningCollector one = RunningCollector.start(folder);
                RunningCollector other = RunningCollector.start(folder)) {
            for (int trace = 1; trace <= traces; trace++) {
                send(
                        one,
                        chat(trace, 2, 1),
                        Otlp.of(trace, 1, 0, "ask", Map.of()).build());
                send(other, chat(trace, 3, 1), chat(trace, 4, 0));
            }
            await().atMost(RunningCollector.PATIENCE)
                    .until(() -> one.runs().size() >= 2 * traces
                            && calls(one.journal()).size() >= 3 * traces);

            assertThat(calls(one.journal())).hasSize(3 * traces);
            assertThat(one.runs()).hasSize(2 * traces).allMatch(run -> run.hiddenEvents() == 0);
        }
    }

    private static Span chat(int trace, int id, int parent) {
        return Otlp.of(trace, id, parent, "chat", CHAT).build();
    }

    private static List<RunEvent> calls(Journal journal) {
        List<RunEvent> all = new ArrayList<>();
        journal.read(journal.runs(), (run, events) -> all.addAll(calls(events)));
        return all;
    }

    @Tag("thorough")
    @Test
    void spans_ofALargeRun_areKnownAfterItsEnd() throws Exception {
        int count = 25_000; // more than the record of one file holds of others
        Span[] spans = new Span[count];
        spans[0] = ROOT;
        for (int i = 1; i < count; i++) {
            spans[i] = span(i + 1, 1, "plan", i == 1 ? CHAT : Map.of());
        }
        try (RunningCollector collector = RunningCollector.start(folder)) {
            send(collector, spans);
            assertThat(collector.events(Otlp.TRACE)).hasSizeGreaterThan(count);
            collector.kill();
        }
        try (RunningCollector collector = RunningCollector.start(folder)) {
            send(collector, spans);
            collector.stop();
            assertThat(collector.err()).contains("collected 25000 spans (25000 again)");
            assertThat(ids(collector)).containsExactly(Otlp.TRACE);
        }
    }
}
