package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.Cli;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A journal is written and read at the place that was said, however odd its name is, and whoever says it. */
@DisabledOnOs(OS.WINDOWS)
class JournalPathTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"trail ", " lead", "tab\t", "new\nline\n", "it's", "Z\u00fcrich \u65e5\u672c"})
    void oddName_isTheSame_asAnOption_andAsAVariable(String name) throws Exception {
        Path journal = folder.resolve(name);
        Cli run = Cli.with(Map.of(), "run", "--samples", "1", "--rollouts", "1", "--journal", journal.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        Cli again = Cli.with(Map.of("RLM_JSONL_DIR", journal.toString()), "run", "--samples", "1", "--rollouts", "1");
        assertThat(again.exitCode()).as(again.err()).isZero();
        try (Stream<Path> made = Files.list(folder)) {
            assertThat(made).containsExactly(journal);
        }
        assertThat(Cli.with(Map.of(), "list", "--journal", journal.toString()).out())
                .endsWith("2 of 2 runs\n");
        assertThat(Cli.with(Map.of("RLM_JSONL_DIR", journal.toString()), "list").out())
                .endsWith("2 of 2 runs\n");
        Cli export = Cli.with(Map.of(), "export", "--format", "chat", "--output", "-", "--journal", journal.toString());
        assertThat(export.out().lines()).as(export.err()).hasSize(2);
    }

    @Test
    void nameThatBeginsWithADash_isTheSameForAll() throws Exception {
        String[] run = {"run", "--samples", "1", "--rollouts", "1", "--journal=-dash "};
        try (RlmProcess process = RlmProcess.start(folder, Map.of(), run)) {
            process.awaitSuccess();
        }
        assertThat(folder.resolve("-dash ")).isDirectory();
        try (RlmProcess process = RlmProcess.start(folder, Map.of(), "list", "--journal=-dash ")) {
            assertThat(process.awaitSuccess().out()).endsWith("1 of 1 runs\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"list", "report", "resend", "recover", "run"})
    void emptyName_isRefused(String command) {
        Cli refused = Cli.with(Map.of(), command, "--journal", " ");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("--journal is empty: expected a folder");
    }
}
