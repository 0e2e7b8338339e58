package dev.rlm.collector;

import static dev.rlm.collector.Otlp.lasting;
import static dev.rlm.collector.Otlp.request;
import static dev.rlm.collector.Otlp.span;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.otel.backend.JaegerServer;
import dev.rlm.sinks.otel.backend.JaegerSpan;
import dev.rlm.sinks.otel.backend.JaegerTrace;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A real Jaeger behind {@code rlm collect}: what it gets of runs that were collected. */
@Timeout(180)
class CollectToJaegerTest {
    @RegisterExtension
    private static final JaegerServer direct = JaegerServer.create();

    @RegisterExtension
    private static final JaegerServer behind = JaegerServer.create();

    @TempDir
    private Path folder;

    private RunningCollector collector() throws Exception {
        return RunningCollector.start(folder, RunningCollector.spansTo(behind.httpEndpoint(), Map.of()));
    }

    private static Set<List<Object>> spans(JaegerTrace trace) {
        return trace.spans().stream()
                .map(span -> List.<Object>of(span.spanId(), String.valueOf(span.parentId()), span.name()))
                .collect(toSet());
    }

    @Test
    void ownRuns_arriveInTheSameTraces_asTheSameSpans() throws Exception {
        Map<String, String> sending = RunningCollector.spansTo(
                direct.httpEndpoint(),
                Map.of("RLM_JSONL_DIR", folder.resolve("original").toString()));
        assertThat(Cli.with(sending, "run", "--samples", "1").exitCode()).isZero();
        List<JaegerTrace> expected = direct.awaitTraces("rlm", 5).stream()
                .filter(trace -> trace.spans("rlm.job").isEmpty()) // which is of no run
                .toList();
        assertThat(expected).hasSize(4);
        try (RunningCollector collector = collector()) {
            Map<String, String> again = Map.of(
                    "RLM_JSONL_DIR", folder.resolve("original").toString(),
                    "RLM_RECORD_ENABLED", "true",
                    "RLM_RECORD_URL", collector.url());
            assertThat(Cli.with(again, "resend", "--sink", "record").exitCode()).isZero();
            for (JaegerTrace trace : expected) {
                JaegerTrace collected =
                        behind.awaitTrace(trace.traceId(), trace.spans().size());
                assertThat(spans(collected)).isEqualTo(spans(trace));
            }
        }
    }

    @Test
    void foreignRun_staysInItsTrace_withItsTimes() throws Exception {
        Map<String, String> chat =
                Map.of("gen_ai.operation.name", "chat", "gen_ai.provider.name", "x", "gen_ai.request.model", "m");
        try (RunningCollector collector = collector()) {
            collector.post(
                    "/v1/traces",
                    request(
                                    span(2, 1, "ask", chat),
                                    span(3, 1, "plan", Map.of()),
                                    lasting(9, span(1, 0, "agent", Map.of("gen_ai.operation.name", "invoke_agent"))))
                            .toByteArray(),
                    "Content-Type",
                    "application/x-protobuf");
            JaegerTrace trace = behind.awaitTrace(Otlp.TRACE, 5); // the run, its marker, a step, the call and the span
            assertThat(trace.spans("ask")).extracting(JaegerSpan::spanId).containsExactly("0000000000000002");
            assertThat(trace.spans("plan")).extracting(JaegerSpan::spanId).containsExactly("0000000000000003");
            assertThat(trace.spans()).extracting(JaegerSpan::service).containsOnly("my-agent");
            JaegerSpan run = trace.spans("agent").get(0);
            assertThat(run.spanId()).as("the root's").isEqualTo("0000000000000001");
            assertThat(run.parentId()).isEmpty();
            assertThat(trace.spans())
                    .allSatisfy(each ->
                            assertThat(each.warnings()).as(each.toString()).isEmpty());
            JaegerSpan call = trace.spans("ask").get(0);
            assertThat(call.startMicros()).isEqualTo(Otlp.START / 1_000 + 2_000_000);
            assertThat(call.durationMicros()).isEqualTo(500_000);
            collector.stop();
            assertThat(trace.spans()).extracting(JaegerSpan::name).contains("rlm.run.started", "rlm.step");
        }
    }
}
