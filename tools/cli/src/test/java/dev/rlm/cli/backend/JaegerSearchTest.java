package dev.rlm.cli.backend;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.launcher.SampleAgent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.otel.backend.JaegerServer;
import dev.rlm.sinks.otel.backend.JaegerTrace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What the search form of a real Jaeger finds, held against the journal. */
@Tag("thorough")
@DisabledOnOs(OS.WINDOWS)
class JaegerSearchTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MANY = 1_000;
    private static final Set<String> OPERATIONS = Set.of(
            "rlm.run",
            "rlm.run.started",
            "rlm.step",
            "execute_tool calculator",
            "rlm.job",
            "rlm.job.await_room", // where it took long, as the next
            "rlm.environment.start");

    @RegisterExtension
    private static final JaegerServer jaeger = JaegerServer.create();

    @TempDir
    private Path folder;

    @Test
    void job_isFoundByTagAndByOperation() throws Exception {
        JournalFigures figures = record("job", Main.class, "run");
        String runId =
                figures.all(RunStarted.class).findFirst().orElseThrow().run().runId();

        assertThat(ids(jaeger.tracesWith("job", "rlm.run_id", runId, MANY)))
                .containsExactly(JournalFigures.traceId(runId));
        assertThat(ids(jaeger.tracesWith("job", "rlm.solved", "false", MANY)))
                .isNotEmpty()
                .isEqualTo(figures.traces(RunEnded.class, end -> Boolean.FALSE.equals(end.isSolved(null))));
        assertThat(ids(jaeger.tracesOf("job", "rlm.run.started", MANY)))
                .isEqualTo(figures.traces(RunStarted.class, start -> true));
        assertThat(ids(jaeger.tracesOf("job", "execute_tool calculator", MANY)))
                .isNotEmpty()
                .isEqualTo(figures.traces(ToolCalled.class, call -> true));
        assertThat(jaeger.operations("job"))
                .contains("rlm.run", "rlm.run.started", "rlm.step", "execute_tool calculator", "rlm.job")
                .isSubsetOf(OPERATIONS);
    }

    /** One such number in a span would make an error of every page that shows it. */
    @Test
    void rewardsThatAreNoNumbers_hinderNoSearch() throws Exception {
        JournalFigures figures = record("agent", SampleAgent.class, "1");

        assertThat(figures.all(RewardGiven.class)).anyMatch(reward -> Double.isInfinite(reward.value()));
        assertThat(ids(jaeger.traces("agent", MANY))).isEqualTo(figures.traces(RunStarted.class, start -> true));
        assertThat(jaeger.operations("agent")).contains("chat large", "execute_tool compass");
    }

    private JournalFigures record(String service, Class<?> program, String... arguments) throws Exception {
        Map<String, String> variables = Map.of(
                "RLM_OTEL_ENABLED",
                "true",
                "RLM_OTEL_METRICS_ENABLED",
                "false",
                "OTEL_SERVICE_NAME",
                service,
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                jaeger.httpEndpoint());
        try (RlmProcess process = RlmProcess.start(folder, variables, program, arguments)) {
            process.awaitSuccess();
        }
        JournalFigures figures = JournalFigures.of(List.of(folder.resolve(".rlm")));
        int runs = (int) figures.all(RunEnded.class).count();
        await().atMost(PATIENCE)
                .until(() -> jaeger.tracesOf(service, "rlm.run", MANY).size() == runs);
        return figures;
    }

    private static Set<String> ids(List<JaegerTrace> traces) {
        return traces.stream().map(JaegerTrace::traceId).collect(toSet());
    }
}
