package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds for all verbs. */
class RlmTest {
    @ParameterizedTest
    @ValueSource(
            strings = {"run", "list", "show", "diff", "resend", "recover", "delete", "sinks", "generate-completion"})
    void everyVerb_tellsTheVersion(String verb) {
        Cli told = Cli.with(Map.of(), verb, "--version");
        assertThat(told.exitCode()).isZero();
        assertThat(told.out()).startsWith("rlm ");
    }

    @Test
    void help_listsTheVerbsOfAllModules() {
        assertThat(Cli.with(Map.of(), "--help").out()).contains("run ", "list ", "record ", "sinks ");
    }
}
