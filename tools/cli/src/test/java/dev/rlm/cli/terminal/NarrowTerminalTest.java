package dev.rlm.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.Cli;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What commands print on terminals of some widths, which the launcher tells them. */
class NarrowTerminalTest {
    @TempDir
    private Path folder;

    private String summary = "";

    @BeforeEach
    void runEpisodes() {
        summary = out(60, "run", "--samples=6", "--rollouts=2", "--error-rate=0.4", "--concurrency=1", "--quiet");
    }

    @ParameterizedTest
    @ValueSource(ints = {80, 60, 50})
    void tables_fit(int columns) {
        for (String command : List.of("list", "show last --tools", "report", "report --by=sample", "report --phases")) {
            String out = out(columns, command.split(" ", -1));
            assertThat(out.lines()).as(command).allMatch(line -> line.codePointCount(0, line.length()) <= columns);
            assertThat(out.lines().count()).isGreaterThan(2);
        }
    }

    @Test
    void summary_fits_andKeepsTheFailures() {
        assertThat(summary.lines())
                .filteredOn(line -> !line.contains(folder.toString()))
                .allMatch(line -> line.codePointCount(0, line.length()) <= 60);
        assertThat(summary.lines().findFirst().orElseThrow()).contains("runs", "completed", "solved", "mean reward");
        assertThat(summary).contains("not shown on 60 columns: ", "p95");
    }

    @Test
    void list_onANarrowTerminal_namesRunsByBeginningsThatShowFinds() {
        String out = out(60, "list", "--limit=3");
        assertThat(out.lines().findFirst().orElseThrow()).matches("run +sample +state +solved +steps +reward");
        assertThat(out.replace('\n', ' '))
                .contains(
                        "not shown on 60 columns: environment, model, trajectory, duration, started (UTC) (| cat shows all)");
        List<String> runs =
                out.lines().skip(1).limit(3).map(line -> line.split(" ", -1)[0]).toList();
        assertThat(runs).allMatch(run -> run.length() == 8);
        assertThat(out(60, "show", runs.get(0))).startsWith("run " + runs.get(0));
    }

    @Tag("thorough")
    @Test
    void pipe_getsEverything_whateverTheEnvironmentSaysOfColumns() throws Exception {
        try (RlmProcess rlm =
                RlmProcess.start(folder, Map.of("COLUMNS", "40"), "list").awaitSuccess()) {
            assertThat(rlm.out().lines().findFirst().orElseThrow())
                    .matches(
                            "run +started \\(UTC\\) +environment +model +sample +state +solved +steps +reward +duration +trajectory +failure");
            assertThat(rlm.out()).doesNotContain("…", "not shown", "\u001B");
        }
    }

    @Test
    void fullText_isNotCutToTheTerminal() {
        assertThat(out(50, "show", "last", "--tools")).contains("{\"ex", "…");
        assertThat(out(50, "show", "last", "--tools", "--full"))
                .containsPattern("calculator  \\{\"expression\":\"[^\"…]+\"}")
                .doesNotContain("…");
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"xterm, true", "dumb, false"})
    void escapes_areForTerminalsThatKnowThem(String terminal, boolean colours) throws Exception {
        for (String command : List.of("list", "show last", "report", "list --help")) {
            List<String> options = List.of("-Drlm.columns=100", "-Dpicocli.ansi=true");
            try (RlmProcess rlm = RlmProcess.start(
                    folder, Map.of("TERM", terminal), options, Main.class.getName(), command.split(" ", -1))) {
                assertThat(rlm.awaitSuccess().out().contains("\u001B["))
                        .as(command + " on " + terminal)
                        .isEqualTo(colours);
            }
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"TERM=xterm, true", "TERM=dumb, false", "TERM=xterm NO_COLOR=1, false"})
    void realTerminal_getsEscapes_unlessItOrTheUserHasNone(String variables, boolean colours) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script(1) is missing");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        ProcessBuilder terminal = new ProcessBuilder(
                        "script",
                        "-qec",
                        "env " + variables + " " + java + " -XX:TieredStopAtLevel=1 " + Main.class.getName() + " list",
                        "/dev/null")
                .directory(folder.toFile())
                .redirectErrorStream(true);
        terminal.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        terminal.environment().remove("NO_COLOR");
        Process process = terminal.start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(out).contains("12 of 12 runs");
        assertThat(out.contains("\u001B[")).isEqualTo(colours);
    }

    private String out(int columns, String... arguments) {
        System.setProperty("rlm.columns", String.valueOf(columns));
        System.setProperty("picocli.ansi", "false");
        try {
            Map<String, String> variables =
                    Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString(), "RLM_JOURNAL_INDEX", "none");
            Cli rlm = Cli.with(variables, arguments);
            assertThat(rlm.exitCode()).as(rlm.err()).isZero();
            return rlm.out();
        } finally {
            System.clearProperty("rlm.columns");
            System.clearProperty("picocli.ansi");
        }
    }
}
