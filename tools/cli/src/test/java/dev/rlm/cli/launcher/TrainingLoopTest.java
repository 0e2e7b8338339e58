package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code examples/TrainingLoop.java}, run for real, as the reports tell it. */
class TrainingLoopTest {
    private static final Path EXAMPLE =
            Path.of("..", "..", "examples", "TrainingLoop.java").toAbsolutePath();

    @TempDir
    private Path folder;

    @Test
    void trainingLoop_isSeenInTheReports() throws Exception {
        try (RlmProcess loop = RlmProcess.start(folder, Map.of(), List.of(), EXAMPLE.toString())
                .awaitSuccess()) {
            assertThat(loop.err()).isEmpty();
        }

        assertThat(report("--phases").lines())
                .anyMatch(line -> line.startsWith("phase,generate,5,0,"))
                .anyMatch(line -> line.startsWith("phase,reward,5,0,"))
                .anyMatch(line -> line.startsWith("phase,train,5,0,"))
                .anyMatch(line -> line.startsWith("span_in_step,think,10,0,"))
                .anyMatch(line -> line.startsWith("model_calls,,10,0,"));
        assertThat(report("--metrics"))
                .contains("trainer,global_step,loss,Loss,5,0,0,0.0,4.0,1.0,0.2,0.2,1.0")
                .contains("evaluator,global_step,mean_return,Mean return,5,0,0,0.0,4.0,0.0,0.8,0.0,0.8");
    }

    private String report(String subject) {
        Cli report = Cli.with(Map.of(), "report", subject, "--csv", "--journal", "" + folder.resolve(".rlm"));
        assertThat(report.exitCode()).as(report.err()).isZero();
        return report.out();
    }
}
