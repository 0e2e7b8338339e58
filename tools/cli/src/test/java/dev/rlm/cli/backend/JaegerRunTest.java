package dev.rlm.cli.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.otel.backend.JaegerServer;
import dev.rlm.sinks.otel.backend.JaegerSpan;
import dev.rlm.sinks.otel.backend.JaegerTrace;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a person sees in a real Jaeger after {@code rlm run}, held against the journal. */
@Tag("thorough")
class JaegerRunTest {
    private static final int RUNS = 80;

    @RegisterExtension
    private static final JaegerServer jaeger = JaegerServer.create();

    @TempDir
    private Path folder;

    @Test
    void job_of80Runs_is80TracesThatTellWhatTheJournalTells() throws Exception {
        Map<String, String> variables = Map.of(
                "RLM_OTEL_ENABLED", "true",
                "RLM_TRACE_URL", "http://jaeger/trace/{traceId}",
                "OTEL_EXPORTER_OTLP_ENDPOINT", jaeger.httpEndpoint());
        try (RlmProcess rlm = RlmProcess.start(folder, variables, "run")) {
            rlm.awaitSuccess();

            assertThat(rlm.err().lines()).singleElement().asString().contains("takes no metrics and no logs");
            List<JaegerTrace> all = jaeger.awaitTraces("rlm", RUNS + 1);
            assertThat(all.stream().filter(trace -> !trace.spans("rlm.job").isEmpty()))
                    .as("that of the job, to which the others link")
                    .hasSize(1);
            Map<String, JaegerTrace> traces = byRun(all.stream()
                    .filter(trace -> trace.spans("rlm.job").isEmpty())
                    .toList());
            Journal journal = Journal.open(folder.resolve(".rlm"));
            assertThat(traces).hasSize(RUNS);
            assertThat(journal.runs()).hasSize(RUNS);
            for (RunSummary run : journal.runs()) {
                JaegerTrace trace = Objects.requireNonNull(traces.get(run.run().runId()));
                assertThat(trace.warnings()).isEmpty();
                tells(trace, journal.events(run.run().runId()));
            }
            assertThat(rlm.out()).containsPattern("trace +http://jaeger/trace/(" + traceIds(traces) + ")");
        }
    }

    private static Map<String, JaegerTrace> byRun(List<JaegerTrace> traces) {
        Map<String, JaegerTrace> byRun = new HashMap<>();
        traces.forEach(trace -> {
            assertThat(trace.spans("rlm.run")).hasSize(1);
            byRun.put((String) trace.spans("rlm.run").get(0).tags().get("rlm.run_id"), trace);
        });
        return byRun;
    }

    private static String traceIds(Map<String, JaegerTrace> traces) {
        return traces.values().stream().map(JaegerTrace::traceId).collect(Collectors.joining("|"));
    }

    private static void tells(JaegerTrace trace, List<RunEvent> events) {
        RunEnded end = (RunEnded) events.get(events.size() - 1);
        JaegerSpan run = trace.spans("rlm.run").get(0);
        long calls = events.stream()
                .filter(event -> event instanceof ToolCalled || event instanceof ModelCalled)
                .count();
        assertThat(trace.spans()).hasSize((int) (2 + end.steps() + calls));
        assertThat(trace.spans("rlm.run.started"))
                .singleElement()
                .returns(run.spanId(), JaegerSpan::parentId)
                .returns(1L, JaegerSpan::durationMicros);
        assertThat(run.durationMicros()).isEqualTo(Math.max(1, end.nanos() / 1_000));
        assertThat(run.tags())
                .containsEntry("rlm.outcome", end.outcome().label())
                .returns(end.isSolved(null), tags -> tags.get("rlm.solved")) // no tag where there was no reward
                .returns(end.hasReward() ? end.totalReward() : null, tags -> tags.get("rlm.total_reward"))
                .containsEntry("rlm.run_path", end.runPath());
        events.stream().filter(StepEnded.class::isInstance).forEach(event -> tells(trace, run, (StepEnded) event));
    }

    private static void tells(JaegerTrace trace, JaegerSpan run, StepEnded step) {
        JaegerSpan span = trace.spans("rlm.step").stream()
                .filter(each -> Long.valueOf(step.step()).equals(each.tags().get("rlm.step")))
                .findFirst()
                .orElseThrow();
        assertThat(span.parentId()).isEqualTo(run.spanId());
        assertThat(span.durationMicros()).isEqualTo(Math.max(1, step.duration().toNanos() / 1_000));
        assertThat(span.tags())
                .containsEntry("rlm.reward", step.reward())
                .containsEntry("otel.status_code", step.success() ? "OK" : "ERROR");
        if (!step.code().isEmpty()) {
            assertThat(span.logs())
                    .anySatisfy(log -> assertThat(log.fields())
                            .containsEntry("event", "code_execution")
                            .containsEntry("code", step.code().text()));
        }
    }
}
