package dev.rlm.runner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The program as a process: its streams, its exit code and what a signal does to it. */
@DisabledOnOs(OS.WINDOWS)
class ProcessTest {
    private static final int CONCURRENCY = 3;

    @TempDir
    private Path folder;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        started.forEach(Process::destroyForcibly);
    }

    @ParameterizedTest
    @CsvSource({"INT,130", "TERM,143"})
    void signal_abortsTheRunsThatRunAndSaysSo(String signal, int exitCode) throws Exception {
        Process process =
                start("run", "--sink", "kept", "--latency", "1h", "--concurrency", String.valueOf(CONCURRENCY));
        await().until(() -> kept("StepStarted") == CONCURRENCY);

        assertThat(new ProcessBuilder("kill", "-" + signal, String.valueOf(process.pid()))
                        .start()
                        .waitFor())
                .isZero();

        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(exitCode);
        assertThat(stream("err")).isEqualTo("interrupted: 0 runs had ended, 3 were aborted, 77 were not started\n");
        assertThat(stream("out")).contains("scripted     3          0       0        3");
        assertThat(kept("RunStarted")).isEqualTo(CONCURRENCY);
        assertThat(kept("aborted")).isEqualTo(CONCURRENCY);
    }

    @Test
    void job_writesItsResultAndNothingElse() throws Exception {
        Process process = start("run", "--sink", "kept", "--json");

        assertThat(process.waitFor()).isZero();
        assertThat(stream("err")).isEmpty();
        assertThat(stream("out").lines()).singleElement().asString().startsWith("{\"runs\":80,");
    }

    @Test
    void version_isTold() throws Exception {
        Process process = start("--version");

        assertThat(process.waitFor()).isZero();
        assertThat(stream("out")).startsWith("rlm ");
    }

    @Test
    void completion_isAScriptForTheShell() throws Exception {
        Process process = start("generate-completion");

        assertThat(process.waitFor()).isZero();
        assertThat(stream("out")).contains("--pass-reward", "complete -F");
    }

    private Process start(String... arguments) throws IOException {
        // A signal that the build ignores (as in the background of a script) would be ignored by its children too.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.rlm.runner.Main"));
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RLM_") || name.equals("JAVA_TOOL_OPTIONS"));
        builder.environment().put("RLM_KEPT_FILE", folder.resolve("kept").toString());
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private String stream(String name) throws IOException {
        return Files.readString(folder.resolve(name), UTF_8);
    }

    private long kept(String word) throws IOException {
        Path file = folder.resolve("kept");
        return Files.exists(file)
                ? Files.readAllLines(file).stream().filter(word::equals).count()
                : 0;
    }
}
