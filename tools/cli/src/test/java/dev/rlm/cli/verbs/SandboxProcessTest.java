package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.Main;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.Programs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of {@code --env python} as processes: the machine on which they find their sandbox, and what is left when they die. */
class SandboxProcessTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void requirePrograms() throws InterruptedException {
        Programs.require("python3", "bwrap");
    }

    @Test
    void keyring_ofTheSession_isAnotherInTheSandbox() throws Exception {
        int keyctl = System.getProperty("os.arch").equals("amd64") ? 250 : 219;
        String program = Files.writeString(folder.resolve("seen.py"), """
                import ctypes, os
                KEYCTL_GET_KEYRING_ID, SESSION = 0, -3
                print('keyring', ctypes.CDLL(None).syscall(%d, KEYCTL_GET_KEYRING_ID, SESSION, 1), sorted(os.environ))
                """.formatted(keyctl))
                .toString();
        String python = Programs.python().toString();
        Path programs = Files.createDirectory(folder.resolve("bin"));
        Files.createSymbolicLink(programs.resolve("python3"), Path.of(python));
        Path bwrap =
                Files.writeString(programs.resolve("bwrap"), "#!/bin/sh\nexec '" + python + "' '" + program + "'\n");
        assertThat(bwrap.toFile().setExecutable(true)).isTrue();
        Process outside = new ProcessBuilder(python, program).start();
        String ours = new String(outside.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Assumptions.assumeFalse(ours.startsWith("keyring -1 "), "this kernel has no keyrings");

        try (RlmProcess rlm = RlmProcess.start(folder, Map.of("PATH", programs.toString()), "run", "--env", "python")) {
            assertThat(rlm.process().waitFor()).isEqualTo(2);
            assertThat(rlm.err())
                    .containsPattern("\\(keyring [1-9][0-9]* \\['HOME', 'LANG', 'PATH', ('PWD', )?'TMPDIR']\\)")
                    .doesNotContain(ours.substring(0, ours.indexOf('[')));
        }
    }

    @Test
    void machineThatHasNoFilter_isRefused() throws Exception {
        try (RlmProcess rlm = RlmProcess.start(
                folder, Map.of(), List.of("-Dos.arch=riscv64"), Main.class.getName(), "run", "--env", "python")) {
            assertThat(rlm.process().waitFor()).isEqualTo(2);
            assertThat(rlm.err())
                    .isEqualTo(
                            "rlm: --env python has no sandbox for riscv64, only for amd64 and aarch64: use such a machine,"
                                    + " or run the code without a sandbox by --unsafe-exec" + System.lineSeparator());
        }
    }

    @Test
    void machineWithoutBubblewrap_isRefused() throws Exception {
        Files.createSymbolicLink(Files.createDirectory(folder.resolve("bin")).resolve("python3"), Programs.python());
        try (RlmProcess process = RlmProcess.start(folder, Map.of("PATH", folder + "/bin"), "run", "--env", "python")) {
            assertThat(process.process().waitFor()).isEqualTo(2);
            assertThat(process.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("rlm: --env python needs a sandbox, and bubblewrap does not work here (")
                    .contains("apt-get install bubblewrap", "--unsafe-exec");
        }
    }

    @Tag("thorough")
    @ParameterizedTest
    @ValueSource(strings = {"--sink=kept", "--unsafe-exec"})
    void killedProgram_leavesNoProcessBehind(String option) throws Exception {
        try (RlmProcess program = RlmProcess.start(
                folder,
                Map.of(),
                "run",
                "--env",
                "python",
                "--sink",
                "kept",
                "--latency",
                "2s",
                "--concurrency",
                "2",
                option)) {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> program.process().descendants().count() >= 4); // two runs, two processes at least
            List<ProcessHandle> descendants = program.process().descendants().toList();

            program.process().destroyForcibly();

            assertThat(program.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(descendants).noneMatch(ProcessHandle::isAlive));
        }
    }
}
