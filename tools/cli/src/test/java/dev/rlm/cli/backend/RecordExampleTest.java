package dev.rlm.cli.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.launcher.Main;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.otel.backend.JaegerServer;
import dev.rlm.sinks.otel.backend.JaegerTrace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code python/examples/calculator.py}, run for real, as the journal and a real Jaeger tell it. */
@Tag("thorough")
class RecordExampleTest {
    private static final Path PACKAGE = Path.of("..", "..", "python").toAbsolutePath();

    @RegisterExtension
    private static final JaegerServer jaeger = JaegerServer.create();

    @TempDir
    private Path folder;

    @Test
    void agentInPython_isSeenInTheJournalAndInJaeger() throws Exception {
        assumeTrue(hasPython(), "there is no python3 here");
        Path err = folder.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(
                        "python3", PACKAGE.resolve("examples/calculator.py").toString())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("OTEL_"));
        builder.environment()
                .putAll(Map.of(
                        "PYTHONPATH",
                        PACKAGE.resolve("src").toString(),
                        "RLM_RECORD_COMMAND",
                        Path.of(System.getProperty("java.home"), "bin", "java")
                                + " -cp "
                                + System.getProperty("java.class.path")
                                + " " + Main.class.getName() + " record",
                        "RLM_OTEL_ENABLED",
                        "true",
                        "RLM_OTEL_METRICS_ENABLED",
                        "false",
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                        jaeger.httpEndpoint()));
        Process python = builder.start();
        assertThat(python.waitFor(120, TimeUnit.SECONDS)).isTrue();

        assertThat(Files.readString(err))
                .contains("recorded 3 runs (3 completed")
                .doesNotContain("not recorded");
        assertThat(Journal.open(folder.resolve(".rlm")).runs())
                .extracting(RunSummary::totalReward)
                .containsExactly(1.0, 0.9, 0.0);
        assertThat(jaeger.awaitTraces("rlm", 3)).allSatisfy(RecordExampleTest::isWhole);
    }

    private static void isWhole(JaegerTrace trace) {
        assertThat(trace.warnings()).isEmpty();
        assertThat(trace.spans("rlm.run")).hasSize(1);
        assertThat(trace.spans("rlm.run.started")).hasSize(1);
        assertThat(trace.spans("rlm.step")).isNotEmpty();
        assertThat(trace.spans("execute_tool calculator"))
                .hasSameSizeAs(trace.spans("rlm.step"))
                .allMatch(span -> span.durationMicros() >= 10);
    }

    private static boolean hasPython() throws InterruptedException {
        try {
            return new ProcessBuilder("python3", "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
