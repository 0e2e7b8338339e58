package dev.rlm.cli.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a person sees in real back ends of a run while it runs, after its process was killed, and after that was mended. */
@Tag("thorough")
@DisabledOnOs(OS.WINDOWS)
class KilledRunTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String MARKER = "rlm.run.started";
    private static final String RUN = "rlm.run";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void killedRun_isSeenAtOnce_andWholeAfterItsRecovery_howeverOftenItIsSentAgain(TraceView.Kind kind)
            throws Exception {
        try (TraceView view = kind.start()) {
            String runId = killInTheMiddle(kind, view);
            String traceId = JournalFigures.traceId(runId);

            rlm(view, "recover");
            await().atMost(PATIENCE).untilAsserted(() -> {
                isWhole(view.spans().apply(traceId), runId);
                assertThat(view.found().apply(runId)).containsExactly(new TraceView.Found(traceId, ended(kind)));
            });
            List<TraceView.Span> recovered = view.spans().apply(traceId);

            rlm(view, "resend");
            rlm(view, "resend");
            String later = rlm(view, "run", "--samples", "1", "--rollouts", "1"); // what comes later is seen later
            await().atMost(PATIENCE).until(() -> view.span(later, RUN).isPresent());
            assertThat(view.spans().apply(traceId)).containsExactlyInAnyOrderElementsOf(recovered);
            assertThat(view.found().apply(runId)).hasSize(1);
        }
    }

    /** Kills the process of a run of which a step, but not the end, has arrived; returns the run's id. */
    private String killInTheMiddle(TraceView.Kind kind, TraceView view) throws Exception {
        Path own = Files.createDirectories(folder.resolve("killed"));
        try (RlmProcess killed = RlmProcess.start(
                own,
                view.variables(),
                "run",
                "--samples",
                "1",
                "--rollouts",
                "1",
                "--error-rate",
                "0",
                "--latency",
                "4s",
                "--journal",
                journal().toString())) {
            await().atMost(PATIENCE).until(() -> Journal.isAt(journal()) && !runs().isEmpty());
            String runId = runs().get(0);
            String traceId = JournalFigures.traceId(runId);
            await().atMost(PATIENCE).until(() -> view.span(traceId, MARKER).isPresent());
            await().atMost(PATIENCE).until(() -> view.span(traceId, "rlm.step").isPresent());
            assertThat(view.span(traceId, RUN)).isEmpty();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(view.found().apply(runId))
                            .singleElement()
                            .matches(found -> isOpen(kind, found.state())));
            killed.process().destroyForcibly().waitFor();
            return runId;
        }
    }

    /** The spans are those that the run's journal tells, each once. */
    private void isWhole(List<TraceView.Span> spans, String runId) {
        List<RunEvent> events = Journal.open(journal()).events(runId);
        assertThat(spans).extracting(TraceView.Span::id).doesNotHaveDuplicates();
        assertThat(spans)
                .hasSize(2 + count(events, StepStarted.class) + count(events, ToolCalled.class))
                .filteredOn(span -> span.parentId().isEmpty())
                .singleElement()
                .satisfies(root -> {
                    assertThat(root.name()).isEqualTo(RUN);
                    assertThat(root.isError()).isTrue();
                });
        assertThat(count(events, RunEnded.class)).isOne();
    }

    private static int count(List<RunEvent> events, Class<? extends RunEvent> type) {
        return (int) events.stream().filter(type::isInstance).count();
    }

    private static boolean isOpen(TraceView.Kind kind, String state) {
        return switch (kind) {
            case JAEGER -> state.contains("invalid parent");
            case TEMPO -> !state.equals(RUN); // which is the root's name
            case MLFLOW -> state.equals("IN_PROGRESS");
        };
    }

    private static String ended(TraceView.Kind kind) {
        return switch (kind) {
            case JAEGER -> ""; // no warnings
            case TEMPO -> RUN;
            case MLFLOW -> "ERROR";
        };
    }

    /** Runs a command on the journal to its end, which is a good one; returns the trace of the journal's last run. */
    private String rlm(TraceView view, String... arguments) throws IOException, InterruptedException {
        Path own = Files.createTempDirectory(folder, "rlm");
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("--journal", journal().toString()));
        try (RlmProcess process = RlmProcess.start(own, view.variables(), all.toArray(String[]::new))) {
            process.awaitSuccess();
        }
        List<String> runs = runs();
        return JournalFigures.traceId(runs.get(runs.size() - 1));
    }

    private Path journal() {
        return folder.resolve("journal");
    }

    private List<String> runs() {
        return Journal.open(journal()).runs().stream()
                .map(run -> run.run().runId())
                .toList();
    }
}
