package dev.rlm.cli.backend;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.otel.backend.TempoFound;
import dev.rlm.sinks.otel.backend.TempoServer;
import dev.rlm.sinks.otel.backend.TempoSpan;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a person finds in a real Tempo after {@code rlm run}, held against the journal. */
@Tag("thorough")
@DisabledOnOs(OS.WINDOWS)
class TempoRunTest {
    private static final int RUNS = 80;
    private static final int MANY = 1_000;

    @RegisterExtension
    private static final TempoServer tempo = TempoServer.create();

    private static JournalFigures figures = new JournalFigures(List.of());

    @BeforeAll
    static void record(@TempDir Path folder) throws Exception {
        Map<String, String> variables = Map.of(
                "RLM_OTEL_ENABLED", "true",
                "RLM_OTEL_METRICS_ENABLED", "false",
                "OTEL_EXPORTER_OTLP_ENDPOINT", tempo.httpEndpoint());
        try (RlmProcess rlm = RlmProcess.start(folder, variables, "run")) {
            rlm.awaitSuccess();
        }
        figures = JournalFigures.of(List.of(folder.resolve(".rlm")));
    }

    @Test
    void job_isFoundByTraceQl() throws Exception {
        assertThat(tempo.awaitFound("{ name = \"rlm.run\" }", RUNS)).allSatisfy(found -> {
            assertThat(found.rootService()).isEqualTo("rlm");
            assertThat(found.rootName()).isEqualTo("rlm.run");
        });
        assertThat(found("{ name = \"rlm.run.started\" }")).isEqualTo(figures.traces(RunStarted.class, start -> true));
        assertThat(found("{ name = \"rlm.run\" && span.rlm.solved = false }"))
                .isEqualTo(figures.traces(RunEnded.class, end -> Boolean.FALSE.equals(end.isSolved(null))));
        assertThat(found("{ span.rlm.reward < 0.0 }"))
                .isNotEmpty()
                .isEqualTo(figures.traces(StepEnded.class, step -> step.reward() < 0));
        assertThat(found("{ name = \"execute_tool calculator\" && status = error }"))
                .isNotEmpty()
                .isEqualTo(figures.traces(ToolCalled.class, ToolCalled::failed));
        assertThat(tempo.tagValues("span.rlm.environment")).containsExactly("calc");
        assertThat(tempo.tagValues("span.rlm.outcome")).containsExactlyInAnyOrder("completed", "failed");
    }

    @Test
    void run_isFoundByItsIdAndWhole() throws Exception {
        RunInfo run = figures.all(RunStarted.class).findFirst().orElseThrow().run();
        String traceId = JournalFigures.traceId(run.runId());
        tempo.awaitFound("{ name = \"rlm.run\" && span.rlm.run_id = \"" + run.runId() + "\" }", 1);

        assertThat(found("{ span.rlm.run_id = \"" + run.runId() + "\" }")).containsExactly(traceId);
        List<TempoSpan> spans = tempo.trace(traceId);
        assertThat(spans).extracting(TempoSpan::spanId).doesNotHaveDuplicates();
        assertThat(spans)
                .extracting(TempoSpan::name)
                .hasSize((int) (2 + count(StepEnded.class, run) + count(ToolCalled.class, run)))
                .contains("rlm.run", "rlm.run.started", "rlm.step", "execute_tool calculator");
        assertThat(spans).filteredOn(span -> span.parentId().isEmpty()).hasSize(1);
    }

    private static long count(Class<? extends RunEvent> type, RunInfo run) {
        return figures.all(type).filter(event -> event.run().equals(run)).count();
    }

    private static Set<String> found(String traceQl) {
        return tempo.search(traceQl, MANY).stream().map(TempoFound::traceId).collect(toSet());
    }
}
