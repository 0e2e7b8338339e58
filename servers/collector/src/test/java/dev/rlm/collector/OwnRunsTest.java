package dev.rlm.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEndedBuilder;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.testkit.FreePort;
import io.opentelemetry.proto.collector.trace.v1.ExportTracePartialSuccess;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of this product's own that are sent to a collector: exact as events, and refused as spans. */
@Timeout(180)
class OwnRunsTest {
    @TempDir
    private Path folder;

    private Map<String, String> variables(Map<String, String> others) {
        Map<String, String> variables = new HashMap<>(others);
        variables.put("RLM_JSONL_DIR", folder.resolve("original").toString());
        return variables;
    }

    private Map<String, String> events(RunningCollector to) {
        return variables(Map.of("RLM_RECORD_ENABLED", "true", "RLM_RECORD_URL", to.url()));
    }

    private Journal original() {
        return Journal.open(folder.resolve("original"));
    }

    private static void assertIsTheSame(List<RunEvent> collected, List<RunEvent> original) {
        assertThat(collected).hasSameSizeAs(original);
        for (int i = 0; i < original.size(); i++) {
            assertThat(withoutPath(collected.get(i))).isEqualTo(withoutPath(original.get(i)));
        }
    }

    /** Leaves out where its journal lies, which is each journal's own. */
    private static RunEvent withoutPath(RunEvent event) {
        return event instanceof RunEnded end
                ? RunEndedBuilder.builder(end).runPath(null).build()
                : event;
    }

    @Test
    void runs_thatAreSentAsEvents_areTheSame_alsoWhenTheyAreSentAgain() throws Exception {
        try (RunningCollector collector = RunningCollector.start(folder)) {
            Cli run = Cli.with(events(collector), "run", "--samples", "3");
            assertThat(run.exitCode()).as(run.err()).isZero();
            Cli again = Cli.with(events(collector), "resend", "--sink", "record");
            assertThat(again.exitCode()).as(again.err()).isZero();

            assertThat(original().runs()).hasSize(12);
            for (RunSummary each : original().runs()) {
                assertIsTheSame(collector.events(each.runId()), original().events(each.runId()));
            }
            assertThat(collector.runs()).hasSize(12);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http/protobuf", "grpc"})
    void runs_thatAreSentAsSpans_areRefused(String protocol) throws Exception {
        Cli.with(variables(Map.of()), "run", "--samples", "1");
        try (RunningCollector collector =
                RunningCollector.start(folder, "--grpc-port", Integer.toString(FreePort.find()))) {
            Map<String, String> spans = variables(RunningCollector.spansTo(
                    protocol.equals("grpc") ? collector.grpcUrl() : collector.url(),
                    Map.of("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)));
            Cli sent = Cli.with(spans, "resend");

            assertThat(sent.exitCode()).isNotZero();
            assertThat(sent.err()).contains("export_rejected");
            collector.stop();
            assertThat(collector.err()).containsPattern("; left out \\d+ spans of runs of rlm");
            assertThat(collector.runs()).isEmpty();
        }
    }

    @Test
    void answer_namesTheVariables_thatSendARunAsEvents() throws Exception {
        Map<String, String> own = Map.of("rlm.run_id", "r", "rlm.environment", "e", "gen_ai.operation.name", "chat");
        try (RunningCollector collector = RunningCollector.start(folder)) {
            byte[] answer = collector
                    .post(
                            "/v1/traces",
                            Otlp.request(Otlp.span(1, 0, "chat m", own)).toByteArray(),
                            "Content-Type",
                            "application/x-protobuf")
                    .body();
            ExportTracePartialSuccess told =
                    ExportTraceServiceResponse.parseFrom(answer).getPartialSuccess();
            assertThat(told.getRejectedSpans()).isEqualTo(1);
            assertThat(told.getErrorMessage()).contains("RLM_RECORD_ENABLED=true", "RLM_RECORD_URL");
        }
    }
}
