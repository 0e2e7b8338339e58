package dev.rlm.cli.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.PluginFolder;
import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A process that has done its work, with a plug-in whose shutdown hook would keep it for ever. */
@Tag("thorough")
class HangingHookTest {
    private static final String BY_FORCE =
            "rlm: ended by force after 10 s: a shutdown hook, such as a plug-in's, did not end";

    @TempDir
    private Path folder;

    @Test
    void job_thatIsDone_endsWithItsExitCode() throws Exception {
        try (RlmProcess process = start("--samples", "1", "--rollouts", "1")) {
            hasEnded(process, 0);

            assertThat(process.out()).contains("jsonl");
            assertEnded(Outcome.COMPLETED);
        }
    }

    @Test
    void job_thatHasFailed_endsWithItsExitCode() throws Exception {
        String[] failing = {"--samples", "1", "--rollouts", "1", "--latency", "1h", "--timeout", "1ms", "--fail-fast"};
        try (RlmProcess process = start(failing)) {
            hasEnded(process, 1);

            assertEnded(Outcome.FAILED);
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void job_thatIsTold_closesItsSinksAndEnds() throws Exception {
        try (RlmProcess process = start("--samples", "1", "--rollouts", "1", "--latency", "1h")) {
            process.await(() ->
                    Journal.isAt(folder.resolve(".rlm")) && !journal().runs().isEmpty());

            process.signal("TERM");

            hasEnded(process, 130);
            assertEnded(Outcome.ABORTED);
        }
    }

    private static void hasEnded(RlmProcess process, int exitCode) throws IOException, InterruptedException {
        assertThat(process.process().waitFor(2, TimeUnit.MINUTES))
                .as("has ended")
                .isTrue();
        assertThat(process.err().lines()).containsOnlyOnce(BY_FORCE);
        assertThat(process.process().exitValue()).isEqualTo(exitCode);
    }

    private void assertEnded(Outcome outcome) {
        assertThat(journal().runs())
                .hasSize(1)
                .allSatisfy(run -> assertThat(journal().events(run.run().runId()))
                        .last()
                        .isInstanceOfSatisfying(
                                RunEnded.class, end -> assertThat(end.outcome()).isEqualTo(outcome)));
    }

    private Journal journal() {
        return Journal.open(folder.resolve(".rlm"));
    }

    private RlmProcess start(String... options) throws IOException {
        String plugins = PluginFolder.naming(folder, HangingHookProvider.class.getName());
        String[] arguments =
                Stream.concat(Stream.of("run"), Arrays.stream(options)).toArray(String[]::new);
        return RlmProcess.start(folder, Map.of("RLM_PLUGINS", plugins), arguments);
    }
}
