package dev.rlm.collector;

import static dev.rlm.collector.Otlp.lasting;
import static dev.rlm.collector.Otlp.request;
import static dev.rlm.collector.Otlp.span;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.OriginalSpan;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Spans of other programs as back ends and files get them: each with its id, name and resource. */
@Timeout(180)
class OriginalSpansTest {
    private static final Map<String, String> CHAT =
            Map.of("gen_ai.operation.name", "chat", "gen_ai.provider.name", "x", "gen_ai.request.model", "m");

    @TempDir
    private Path folder;

    private RunningCollector collector(OtlpReceiver receiver) throws Exception {
        return RunningCollector.start(
                folder,
                RunningCollector.spansTo(
                        receiver.httpEndpoint(),
                        Map.of(
                                "RLM_OTLP_FILE_ENABLED",
                                "true",
                                "RLM_OTLP_FILE_PATH",
                                folder.resolve("traces.jsonl").toString())));
    }

    private static void send(RunningCollector collector, ExportTraceServiceRequest request) throws Exception {
        assertThat(collector
                        .post("/v1/traces", request.toByteArray(), "Content-Type", "application/x-protobuf")
                        .statusCode())
                .isEqualTo(200);
    }

    /** An agent that plans with a tool, calls a model and is judged; the tool asks another service. */
    private static ExportTraceServiceRequest agent() {
        ExportTraceServiceRequest agent = request(
                lasting(9, span(1, 0, "my agent", Map.of("gen_ai.operation.name", "invoke_agent"))),
                lasting(5, span(2, 1, "planning", Map.of("stage", "first"))),
                span(3, 2, "look up", Map.of("gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "search")),
                span(5, 1, "ChatCompletion", CHAT),
                span(6, 1, "judging", Map.of("gen_ai.evaluation.name", "judge", "gen_ai.evaluation.score.value", 1.0)));
        ExportTraceServiceRequest service = Otlp.ofService("search-service", span(4, 2, "GET /search", Map.of()));
        return agent.toBuilder()
                .addAllResourceSpans(service.getResourceSpansList())
                .build();
    }

    @Test
    void eachSpan_keepsItsIdNameAndResource() throws Exception {
        try (OtlpReceiver receiver = OtlpReceiver.start();
                RunningCollector collector = collector(receiver)) {
            send(collector, agent());
            List<OtlpSpan> spans = receiver.awaitSpans(8); // these six, the marker and a step

            assertThat(spans).extracting(OtlpSpan::spanId).doesNotHaveDuplicates();
            assertThat(spans).allMatch(span -> span.traceId().equals(Otlp.TRACE));
            Map<String, OtlpSpan> byId = spans.stream().collect(toMap(OtlpSpan::spanId, span -> span));
            assertThat(byId.keySet()).contains(id(1), id(2), id(3), id(4), id(5), id(6));
            assertThat(name(byId, 1)).isEqualTo("my agent");
            assertThat(name(byId, 2)).isEqualTo("planning");
            assertThat(name(byId, 3)).isEqualTo("look up");
            assertThat(name(byId, 4)).isEqualTo("GET /search");
            assertThat(name(byId, 5)).isEqualTo("ChatCompletion");
            assertThat(name(byId, 6)).isEqualTo("judging");
            assertThat(spans)
                    .allSatisfy(span -> assertThat(span.resource())
                            .as(span.name())
                            .isEqualTo(Map.of(
                                    "service.name", span.spanId().equals(id(4)) ? "search-service" : "my-agent")));
            Set<String> ids = byId.keySet();
            assertThat(spans)
                    .filteredOn(span -> !ids.contains(span.parentId()))
                    .singleElement()
                    .satisfies(root -> assertThat(root.spanId()).isEqualTo(id(1)));
            assertThat(Objects.requireNonNull(byId.get(id(3))).parentId()).isEqualTo(id(2));
            assertThat(Objects.requireNonNull(byId.get(id(4))).parentId()).isEqualTo(id(2));

            collector.stop();
            String file = Files.readString(folder.resolve("traces.jsonl"));
            spans.forEach(span -> assertThat(file).contains("\"" + span.spanId() + "\"", "\"" + span.name() + "\""));
            assertThat(file).contains("search-service");
        }
    }

    private static String id(int number) {
        return HexFormat.of().toHexDigits((long) number);
    }

    private static String name(Map<String, OtlpSpan> byId, int number) {
        return Objects.requireNonNull(byId.get(id(number))).name();
    }

    @Test
    void rootThatIsACall_isTheRun_andTheCallLiesInIt() throws Exception {
        try (OtlpReceiver receiver = OtlpReceiver.start();
                RunningCollector collector = collector(receiver)) {
            send(collector, request(span(1, 0, "ChatCompletion", CHAT)));
            List<OtlpSpan> spans = receiver.awaitSpans(4); // the run, its marker, a step and the call

            assertThat(spans).extracting(OtlpSpan::spanId).doesNotHaveDuplicates();
            assertThat(spans)
                    .filteredOn(span -> span.parentId().isEmpty())
                    .singleElement()
                    .satisfies(root -> {
                        assertThat(root.spanId()).isEqualTo(id(1));
                        assertThat(root.name()).isEqualTo("ChatCompletion");
                    });
            assertThat(spans.stream().map(OtlpSpan::name).collect(toSet()))
                    .containsExactlyInAnyOrder("ChatCompletion", "rlm.run.started", "rlm.step", "chat m");
        }
    }

    @Test
    void journal_tellsTheSpans_soThatTheyAreSentAgainAsTheyWere() throws Exception {
        try (OtlpReceiver receiver = OtlpReceiver.start();
                OtlpReceiver again = OtlpReceiver.start();
                RunningCollector collector = collector(receiver)) {
            send(collector, agent());
            List<RunEvent> events = collector.events(Otlp.TRACE);
            assertThat(events.get(0).run().originalSpan())
                    .isEqualTo(new OriginalSpan(id(1), "my agent", Map.of("service.name", "my-agent")));
            assertThat(events)
                    .filteredOn(ModelCalled.class::isInstance)
                    .extracting(call -> ((ModelCalled) call).originalSpan())
                    .containsExactly(new OriginalSpan(id(5), "ChatCompletion", Map.of()));
            Set<OtlpSpan> sent = Set.copyOf(receiver.awaitSpans(8));
            collector.stop();

            Map<String, String> variables = RunningCollector.spansTo(
                    again.httpEndpoint(),
                    Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString()));
            assertThat(Cli.with(variables, "resend").exitCode()).isZero();
            assertThat(Set.copyOf(again.awaitSpans(8))).isEqualTo(sent);
        }
    }
}
