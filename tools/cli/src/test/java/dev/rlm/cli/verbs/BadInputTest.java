package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.sinks.event.Event;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Command lines that the program with all its verbs refuses. */
class BadInputTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "rn | unknown command 'rn' (did you mean run?): known are run, serve, worker, rescore, jobs, list, show,",
                "wrap --upstream http://h/v1 | Missing required parameter: 'COMMAND'",
                "wrap --runs-by conversation --reward-exit-code -- true | a reward is one run's: it needs --runs-by command",
            })
    void command_thatCannotBeCarriedOut_isRefusedInOneLine(String arguments, String message) {
        Cli command = Cli.with(Map.of("RLM_JSONL_ENABLED", "false"), arguments.split(" "));

        assertThat(command.err().lines())
                .singleElement()
                .asString()
                .startsWith("rlm: ")
                .contains(message);
        assertThat(command.exitCode()).isEqualTo(2);
        assertThat(command.out()).isEmpty();
        assertThat(KeptSinkProvider.events(Event.class)).isEmpty();
    }

    @Test
    void variable_withABadValue_isNamed(@TempDir Path folder) throws Exception {
        try (RlmProcess process = RlmProcess.start(folder, Map.of("RLM_LOG_LEVEL", "loud"), "run")) {
            assertThat(process.process().waitFor()).isEqualTo(2);
            assertThat(process.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("rlm: ")
                    .contains("RLM_LOG_LEVEL=loud is not valid: expected one of trace");
            assertThat(process.out()).isEmpty();
            assertThat(folder.resolve(".rlm")).doesNotExist();
        }
    }
}
