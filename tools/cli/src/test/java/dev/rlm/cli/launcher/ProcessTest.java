package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.journal.Journal;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The program as a process: its streams, its exit code and what a signal does to it. */
@DisabledOnOs(OS.WINDOWS)
class ProcessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int CONCURRENCY = 3;

    @TempDir
    private Path folder;

    private final List<RlmProcess> started = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        started.forEach(RlmProcess::close);
    }

    @ParameterizedTest
    @CsvSource({"INT,130", "TERM,143"})
    void signal_abortsTheRunsThatRunAndSaysSo(String signal, int exitCode) throws Exception {
        RlmProcess process =
                start("run", "--sink", "kept", "--latency", "1h", "--concurrency", String.valueOf(CONCURRENCY));
        await().atMost(PATIENCE).until(() -> kept("StepStarted") == CONCURRENCY);

        assertThat(new ProcessBuilder(
                                "kill",
                                "-" + signal,
                                String.valueOf(process.process().pid()))
                        .start()
                        .waitFor())
                .isZero();

        assertThat(process.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.process().exitValue()).isEqualTo(exitCode);
        assertThat(process.err()).isEqualTo("interrupted: 0 runs had ended, 3 were aborted, 77 were not started\n");
        assertThat(process.out()).contains("scripted     3          0       0        3");
        assertThat(kept("RunStarted")).isEqualTo(CONCURRENCY);
        assertThat(kept("aborted")).isEqualTo(CONCURRENCY);
    }

    @Test
    void job_writesItsResultAndNothingElse() throws Exception {
        RlmProcess process = start("run", "--sink", "kept", "--json");

        assertThat(process.process().waitFor()).isZero();
        assertThat(process.err()).isEmpty();
        assertThat(process.out().lines()).singleElement().asString().startsWith("{\"runs\":80,");
    }

    @Test
    void result_thatCannotBeWritten_isAFailure() throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "there is no /dev/full here");
        Files.createSymbolicLink(folder.resolve("out"), full);

        RlmProcess process = start("run", "--sink", "kept", "--json");

        assertThat(process.process().waitFor()).isEqualTo(1);
        assertThat(process.err()).isEqualTo("rlm: the result could not be written\n");
    }

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(strings = {"list", "list --json", "export --format chat --output -"})
    void readerThatGoes_isNoFailure(String command) throws Exception {
        start("run", "--samples", "300").awaitSuccess();
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String rlm =
                java + " -cp '" + System.getProperty("java.class.path") + "' " + Main.class.getName() + " " + command;
        ProcessBuilder shell = new ProcessBuilder("bash", "-c", "set -o pipefail; " + rlm + " 2>said | head -n 1")
                .directory(folder.toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        shell.environment().keySet().removeIf(name -> name.startsWith("RLM_")); // whoever tests may have set some

        assertThat(shell.start().waitFor()).isZero();
        assertThat(folder.resolve("said")).isEmptyFile();
    }

    @Test
    void wantOfMemory_isSaidInALine() throws Exception {
        try (RandomAccessFile file =
                new RandomAccessFile(folder.resolve("long.jsonl").toFile(), "rw")) {
            file.setLength(256 << 20);
        }
        assertThat(ofLittleMemory("-Xmx64m", "import", "long.jsonl"))
                .contains("rlm: long.jsonl cannot be read: a record is longer than 4 MiB; ")
                .doesNotContain("\tat ");
        assertThat(ofLittleMemory("-Xmx64m", "run", "--dataset", "long.jsonl"))
                .contains("rlm: failed: java.lang.OutOfMemoryError")
                .doesNotContain("\tat ");
    }

    private String ofLittleMemory(String heap, String... arguments) throws Exception {
        RlmProcess process = RlmProcess.start(folder, Map.of("JAVA_TOOL_OPTIONS", heap), arguments);
        started.add(process);
        assertThat(process.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.process().exitValue()).isEqualTo(1);
        return process.err();
    }

    @Test
    void signal_endsAnImportThatWaitsForItsInput() throws Exception {
        RlmProcess process = start("import", "-");
        OutputStream input = process.process().getOutputStream();
        input.write("{\"messages\":[{\"role\":\"assistant\",\"content\":\"hi\"}]}\n".getBytes(StandardCharsets.UTF_8));
        input.flush();
        await().atMost(PATIENCE)
                .until(() -> Journal.isAt(folder.resolve(".rlm"))
                        && Journal.open(folder.resolve(".rlm")).runs().size() == 1);
        new ProcessBuilder("kill", "-INT", String.valueOf(process.process().pid()))
                .start()
                .waitFor();

        assertThat(process.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.process().exitValue()).isEqualTo(130);
        assertThat(process.out()).contains("1 run"); // which it says only where it came to an end of its own
    }

    @Tag("thorough")
    @Test
    void record_tellsItsOwnLedger_atAGoodEndAndAfterASignal() throws Exception {
        start("run", "--samples", "2", "--json").awaitSuccess();
        Path journal = folder.resolve(".rlm");
        assertThat(Journal.open(journal).ledgers().values())
                .singleElement()
                .satisfies(ledger -> assertThat(ledger.sinks().get("jsonl"))
                        .satisfies(own -> assertThat(own.delivered())
                                .isEqualTo(own.offered())
                                .isPositive()));

        RlmProcess process = start("run", "--sink", "jsonl", "--sink", "kept", "--latency", "1h");
        await().atMost(PATIENCE).until(() -> kept("StepStarted") > 0);
        new ProcessBuilder("kill", "-TERM", String.valueOf(process.process().pid()))
                .start()
                .waitFor();
        assertThat(process.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(Journal.open(journal).ledgers().values())
                .hasSize(2)
                .allSatisfy(ledger -> assertThat(ledger.sinks().values())
                        .allSatisfy(sink -> assertThat(sink.delivered()).isEqualTo(sink.offered())));
    }

    @Tag("thorough")
    @Test
    void redactionThatIsOff_isFoundByItsTag() throws Exception {
        RlmProcess off = RlmProcess.start(folder, Map.of("RLM_REDACT", "false"), "run", "--samples", "1");
        started.add(off);
        off.awaitSuccess();
        start("run", "--samples", "1").awaitSuccess();
        assertThat(start("list", "--tag", "redaction=off").awaitSuccess().out()).contains("4 of 8 runs");
    }

    @Test
    void version_isTold() throws Exception {
        RlmProcess process = start("--version");

        assertThat(process.process().waitFor()).isZero();
        assertThat(process.out()).startsWith("rlm ");
    }

    @Test
    void completion_isAScriptForTheShell() throws Exception {
        RlmProcess process = start("generate-completion");

        assertThat(process.process().waitFor()).isZero();
        assertThat(process.out()).contains("--pass-reward", "complete -F");
    }

    private RlmProcess start(String... arguments) throws IOException {
        RlmProcess process = RlmProcess.start(
                folder, Map.of("RLM_KEPT_FILE", folder.resolve("kept").toString()), arguments);
        started.add(process);
        return process;
    }

    private long kept(String word) throws IOException {
        Path file = folder.resolve("kept");
        return Files.exists(file)
                ? Files.readAllLines(file).stream().filter(word::equals).count()
                : 0;
    }
}
