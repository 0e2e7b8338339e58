package dev.rlm.runner.python;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.cli.testkit.Programs;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of {@code --env python}, from the command line. */
class PythonRunTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void requirePrograms() throws InterruptedException {
        Programs.require("python3", "bwrap");
    }

    @Test
    void scriptedPolicy_solvesAllInPython() {
        Cli run = Cli.run("run", "--env", "python", "--samples", "2", "--error-rate", "0", "--json");

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("\"runs\":8,\"completed\":8", "\"solved\":8");
        StepEnded first = KeptSinkProvider.events(StepEnded.class).get(0);
        assertThat(first.actionType()).isEqualTo("python");
        assertThat(first.success()).isTrue();
        assertThat(first.code().text()).matches("print\\(.+\\)");
        assertThat(KeptSinkProvider.events(ToolCalled.class)).isNotEmpty().allSatisfy(call -> {
            assertThat(call.tool()).isEqualTo("python");
            assertThat(call.arguments().text()).matches("\\{\"code\":\"print\\(.+\\)\"}");
            assertThat(call.result().text()).matches("[0-9.]+\n");
            assertThat(call.statusCode()).isZero();
        });
        assertThat(KeptSinkProvider.events(RunEnded.class))
                .allSatisfy(end -> assertThat(end.run().params()).containsEntry("sandbox", "bubblewrap"));
        assertThat(KeptSinkProvider.events(SpanRecorded.class)) // one sandbox a run, started by its first code
                .filteredOn(span -> span.step() > 0)
                .hasSize(8)
                .allSatisfy(span -> assertThat(span.name()).isEqualTo("rlm.environment.start"))
                .allSatisfy(span -> assertThat(span.error()).isNull());
    }

    @Test
    void mistake_failsItsStepAndNotItsRun() {
        Cli.run("run", "--env", "python", "--samples", "3", "--error-rate", "0.6", "--seed", "3");

        List<ToolCalled> failed = KeptSinkProvider.events(ToolCalled.class).stream()
                .filter(ToolCalled::failed)
                .toList();
        assertThat(failed).isNotEmpty().allSatisfy(call -> {
            assertThat(call.statusCode()).isEqualTo(RunStatus.INVALID_ARGUMENT);
            assertThat(String.valueOf(call.error())).isNotEmpty();
        });
        assertThat(KeptSinkProvider.events(StepEnded.class))
                .filteredOn(step -> !step.success() && step.reward() == -0.1)
                .hasSameSizeAs(failed);
    }

    @Test
    void recordedSolution_isCalculatedInPython() throws Exception {
        Path file = Files.writeString(
                folder.resolve("d.jsonl"),
                "{\"question\":\"How much?\",\"ground_truth\":\"<<1,000*5%=50>>50\\nA: 50\",\"m\":{\"is_correct\":true,\"solution\":\"So <<1,000*5%=50>>50\\nA: 50\"}}\n");
        Cli run = Cli.run("run", "--env", "python", "--policy", "recorded", "--dataset", file.toString(), "--json");

        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("\"solved\":1");
        assertThat(KeptSinkProvider.events(ToolCalled.class))
                .singleElement()
                .satisfies(call -> assertThat(call.result().text()).isEqualTo("50.0\n"));
    }

    @Test
    void unsafeExec_isSaidOnceAndInEachRun() {
        Cli run = Cli.run("run", "--env", "python", "--unsafe-exec", "--samples", "1", "--error-rate", "0", "--json");

        assertThat(run.err())
                .isEqualTo(
                        "warning: --unsafe-exec: the agent's code runs without a sandbox, and may do all that you may"
                                + System.lineSeparator());
        assertThat(run.out()).contains("\"solved\":4");
        assertThat(KeptSinkProvider.events(RunEnded.class))
                .hasSize(4)
                .allSatisfy(end -> assertThat(end.run().params()).containsEntry("sandbox", "none"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--exec-memory=1", "--exec-processes=0", "--exec-files=1", "--max-output=1", "--exec-timeout=0s"
            })
    void limit_thatIsOutOfRange_isRefused(String option) {
        Cli run = Cli.run("run", "--env", "python", option);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .startsWith("rlm: " + option.substring(0, option.indexOf('=')))
                .contains("is not valid");
    }
}
