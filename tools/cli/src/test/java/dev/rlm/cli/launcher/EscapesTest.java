package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.cli.testkit.Cli;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Control sequences go to a terminal that knows them and nowhere else. Needs {@code script}, which makes terminals. */
@Tag("thorough")
@EnabledOnOs(OS.LINUX)
class EscapesTest {
    private static final String ESCAPE = "\u001B";

    @TempDir
    private Path folder;

    @Test
    void terminalThatKnowsThem_getsColours_andAProgressWithoutThem() throws Exception {
        assertThat(onTerminal(Map.of("TERM", "xterm"), "report")).contains(ESCAPE + "[1m");
        assertThat(onTerminal(Map.of("TERM", "xterm"), "run", "--samples", "1"))
                .contains("\r", "0 of 4 runs", "pass@1")
                .doesNotContain(ESCAPE);
    }

    @ParameterizedTest
    @CsvSource({"TERM,dumb", "NO_COLOR,1"})
    void terminalThatDoesNot_orIsNotToShowThem_getsNone(String variable, String value) throws Exception {
        for (String command : List.of("report", "list", "run", "sinks", "--help", "run --help")) {
            assertThat(onTerminal(Map.of(variable, value), command.split(" ")))
                    .as(command)
                    .isNotBlank()
                    .doesNotContain(ESCAPE);
        }
    }

    @Test
    void file_getsNone() throws Exception {
        Path out = folder.resolve("out");
        run(command(folder, Map.of("TERM", "xterm"), List.of("report")).redirectOutput(out.toFile()));

        assertThat(out).content().contains("SOLVED RUNS AND REWARDS").doesNotContain(ESCAPE);
    }

    private String onTerminal(Map<String, String> variables, String... arguments) throws Exception {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(place -> Files.isExecutable(Path.of(place, "script"))),
                "there is no script here");
        ProcessBuilder program = command(folder, variables, List.of(arguments));
        String line = String.join(
                " ", program.command().stream().map(word -> "'" + word + "'").toList());
        Path out = folder.resolve("out");
        run(program.command("script", "-qec", line, "/dev/null").redirectOutput(out.toFile()));
        return Files.readString(out, StandardCharsets.UTF_8);
    }

    private void run(ProcessBuilder program) throws IOException, InterruptedException {
        assertThat(program.start().waitFor()).isZero();
    }

    /** A command on a journal that has a few runs, as the launcher starts it where stderr is a terminal. */
    private ProcessBuilder command(Path folder, Map<String, String> variables, List<String> arguments) {
        Path journal = folder.resolve(".rlm");
        if (Files.notExists(journal)) {
            Cli recording = Cli.with(Map.of("RLM_JSONL_DIR", journal.toString()), "run", "--samples", "1");
            assertThat(recording.exitCode()).as(recording.err()).isZero();
        }
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Drlm.terminal=true"));
        line.addAll(List.of("-cp", System.getProperty("java.class.path")));
        line.add(Main.class.getName());
        line.addAll(arguments);
        ProcessBuilder program = new ProcessBuilder(line)
                .directory(folder.toFile())
                .redirectError(folder.resolve("err").toFile());
        program.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.startsWith("CLICOLOR"));
        program.environment().remove("NO_COLOR");
        program.environment().put("TERM", "xterm");
        program.environment().putAll(variables);
        return program;
    }
}
