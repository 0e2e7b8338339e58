package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.TraceContext;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpRequest;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import dev.rlm.sinks.otel.backend.OtlpSpan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Processes that start one another, a job in the trace that its variables name, and one that sends to several back ends. */
@DisabledOnOs(OS.WINDOWS)
class PropagationTest {
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";

    private final OtlpReceiver receiver = OtlpReceiver.start();

    @TempDir
    private Path folder;

    PropagationTest() throws IOException {}

    @AfterEach
    void stop() {
        receiver.close();
    }

    private Map<String, String> variables(Map<String, String> more) {
        Map<String, String> variables = new HashMap<>(Map.of(
                "RLM_OTEL_ENABLED", "true",
                "RLM_OTEL_METRICS_ENABLED", "false",
                "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.httpEndpoint()));
        variables.putAll(more);
        return variables;
    }

    @Tag("thorough")
    @Test
    void processThatARunStarts_isInItsTrace() throws Exception {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        try (RlmProcess program =
                RlmProcess.start(folder, variables(Map.of()), NestingProgram.class, inner.toString())) {
            assertThat(program.process().waitFor()).as(program.err()).isZero();
        }

        List<OtlpSpan> runs = receiver.spans("rlm.run");
        OtlpSpan mother = named("mother of all");
        OtlpSpan step = receiver.spans("rlm.step").stream()
                .filter(span -> span.parentId().equals(mother.spanId()))
                .findFirst()
                .orElseThrow();
        assertThat(runs).hasSize(3);
        assertThat(receiver.spans()).extracting(OtlpSpan::traceId).containsOnly(mother.traceId());
        assertThat(runs)
                .filteredOn(run -> !run.equals(mother))
                .allMatch(run -> run.parentId().equals(step.spanId()))
                .allMatch(run -> "mother of all".equals(run.attributes().get("rlm.parent_run_id")));
        assertThat(Journal.open(inner.resolve(".rlm")).runs())
                .hasSize(2)
                .allMatch(run -> run.run().parent() != null)
                .allMatch(run -> "mother of all".equals(run.run().correlation().parentRun()));
        assertThat(Files.readString(inner.resolve("err")))
                .contains("TRACEPARENT is set: the runs join the trace of 00-" + mother.traceId());
    }

    private OtlpSpan named(String runId) {
        return receiver.spans("rlm.run").stream()
                .filter(run -> runId.equals(run.attributes().get("rlm.run_id")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void runs_joinTheTraceThatTheEnvironmentNames() {
        run(Map.of(
                "TRACEPARENT", "00-" + TRACE + "-" + SPAN + "-01",
                "TRACESTATE", "vendor=state",
                "BAGGAGE", "key=value"));

        assertThat(receiver.spans("rlm.run"))
                .hasSize(2)
                .allMatch(run -> run.traceId().equals(TRACE) && run.parentId().equals(SPAN))
                .allMatch(run -> run.traceState().equals("vendor=state"));
        assertThat(Journal.open(folder.resolve(".rlm")).runs())
                .extracting(run -> run.run().parent())
                .containsOnly(new TraceContext("00-" + TRACE + "-" + SPAN + "-01", "vendor=state", "key=value"));
    }

    @Test
    void environmentThatIsNotSampled_hasNoSampledRuns() {
        run(Map.of("TRACEPARENT", "00-" + TRACE + "-" + SPAN + "-00"));

        assertThat(receiver.requests(OtlpSignal.TRACES)).isEmpty();
        assertThat(Journal.open(folder.resolve(".rlm")).runs()).hasSize(2);
    }

    @Test
    void environmentThatIsNotValid_changesNothing() {
        run(Map.of("TRACEPARENT", "nonsense", "TRACESTATE", "=", "BAGGAGE", ",;="));

        assertThat(receiver.spans("rlm.run"))
                .hasSize(2)
                .allMatch(run -> run.parentId().isEmpty());
    }

    @Test
    void keyOfOneBackEnd_goesToNoOther() throws Exception {
        try (OtlpReceiver other = OtlpReceiver.start()) {
            run(Map.of(
                    "OTEL_EXPORTER_OTLP_HEADERS", "x-key=key-of-one",
                    "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "x-key=key-of-one",
                    "RLM_OTEL_LANGFUSE_ENABLED", "true",
                    "RLM_OTEL_LANGFUSE_EXPORTER_OTLP_ENDPOINT", other.httpEndpoint(),
                    "RLM_OTEL_LANGFUSE_EXPORTER_OTLP_PROTOCOL", "http/protobuf",
                    "RLM_OTEL_LANGFUSE_EXPORTER_OTLP_HEADERS", "x-other=key-of-two"));

            assertThat(receiver.requests()).isNotEmpty().allMatch(request -> is(request, "x-key", "key-of-one"));
            assertThat(other.requests())
                    .isNotEmpty()
                    .allMatch(request -> is(request, "x-other", "key-of-two"))
                    .noneMatch(request -> request.headers().containsKey("x-key"));
            assertThat(other.spans())
                    .extracting(OtlpSpan::spanId)
                    .containsExactlyInAnyOrderElementsOf(
                            receiver.spans().stream().map(OtlpSpan::spanId).toList());
        }
    }

    private static boolean is(OtlpRequest request, String header, String value) {
        return value.equals(request.headers().get(header));
    }

    private void run(Map<String, String> more) {
        Cli rlm = rlm(variables(more), "run", "--samples", "2", "--rollouts", "1");
        assertThat(rlm.exitCode()).as(rlm.err()).isZero();
    }

    private Cli rlm(Map<String, String> variables, String... arguments) {
        Map<String, String> all = new HashMap<>(variables);
        all.put("RLM_JSONL_DIR", folder.resolve(".rlm").toString());
        return Cli.with(all, arguments);
    }

    @Test
    void sinks_listsFurtherOnes() {
        Map<String, String> variables = variables(Map.of(
                "RLM_OTEL_LANGFUSE_ENABLED",
                "true",
                "RLM_OTEL_LANGFUSE_EXPORTER_OTLP_ENDPOINT",
                receiver.httpEndpoint()));
        Cli sinks = rlm(variables, "sinks");
        assertThat(sinks.exitCode()).isZero();
        assertThat(sinks.out())
                .containsPattern("otel-langfuse +on +http://127.0.0.1")
                .contains("RLM_OTEL_<NAME>_ENABLED", "RLM_OTEL_<NAME>_EXPORTER_OTLP_ENDPOINT");

        Cli run = rlm(Map.of(), "run", "--sink", "otel-x", "--samples", "1");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .isEqualTo("rlm: RLM_OTEL_X_EXPORTER_OTLP_ENDPOINT is not set: the further sink 'otel-x'"
                        + " (RLM_OTEL_X_ENABLED) needs an endpoint of its own\n");
    }
}
