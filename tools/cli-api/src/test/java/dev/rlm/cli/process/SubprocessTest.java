package dev.rlm.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Programs that are started, and what is kept of their output. */
@Timeout(120)
class SubprocessTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private static Subprocess shell(String script, Map<String, String> variables) throws IOException {
        return Subprocess.start(List.of("sh", "-c", script), variables, Subprocess.Output.BOUND);
    }

    @Test
    void program_seesItsVariables_andTellsItsOutputAndExitCode() throws Exception {
        Subprocess program = shell("echo \"$GREETING\"; exit 3", Map.of("GREETING", "hello"));

        assertThat(program.await(PATIENCE)).isEqualTo(3);
        assertThat(program.exitCode()).isEqualTo(3);
        assertThat(program.output()).isEqualTo("hello\n");
        assertThat(program.errors()).isEmpty();
        assertThat(program.isRunning()).isFalse();
    }

    @Test
    void program_isEnded_byForceWhereItHeedsNoSignal_withAllThatItHasStarted() throws Exception {
        Subprocess program =
                shell("trap '' TERM; sleep 1000 & trap '' TERM; echo ready; while :; do sleep 1000; done", Map.of());
        await("that it is ready").atMost(PATIENCE).until(() -> program.output().equals("ready\n"));
        assertThatThrownBy(() -> program.await(Duration.ofMillis(1))).isInstanceOf(TimeoutException.class);
        assertThat(program.isRunning()).isTrue();
        assertThat(program.countLeftBehind()).isPositive();

        program.end(Duration.ofMillis(100));

        assertThat(program.await(PATIENCE)).isEqualTo(137);
        await("that none is left behind").atMost(PATIENCE).until(() -> program.countLeftBehind() == 0);
    }

    /** The first that is killed is put in its place again, long before the one that does so is killed. */
    @Test
    void programThatStartsAnotherForEachThatEnds_leavesNoneBehind() throws Exception {
        Subprocess program = shell(
                "trap '' TERM; sleep 1000 & first=$!; for i in $(seq 200); do sleep 1000 & done; echo ready; "
                        + "while :; do wait $first; sleep 1000 & first=$!; done",
                Map.of());
        await("that it is ready").atMost(PATIENCE).until(() -> program.output().equals("ready\n"));
        assertThat(program.isRunning()).isTrue();

        program.end(Duration.ofMillis(1));

        await("that none is left behind").atMost(PATIENCE).until(() -> program.countLeftBehind() == 0);
    }

    /** Forked twice, in a session of its own: no child's child any more. */
    @EnabledOnOs(OS.LINUX)
    @Test
    void processThatHasLeftItsParents_isEndedToo() throws Exception {
        Path pid = folder.resolve("pid");
        Subprocess program = shell(
                "(setsid sh -c 'echo $$ > \"$1.new\"; mv \"$1.new\" \"$1\"; exec sleep 1000' daemon '" + pid
                        + "' < /dev/null > /dev/null 2>&1 &) ; sleep 1000",
                Map.of());
        await("that it has left").atMost(PATIENCE).until(() -> Files.exists(pid));
        ProcessHandle daemon =
                ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).orElseThrow();
        assertThat(daemon.isAlive()).isTrue();

        program.end();

        await("its end").atMost(PATIENCE).until(() -> !daemon.isAlive());
    }

    @Test
    void commandThatCannotBeStarted_isToldAsAShellDoes() throws Exception {
        Path plain = Files.writeString(folder.resolve("plain"), "no program");
        assertCannotStart("no-such-program", 127, "there is no such program");
        assertCannotStart(plain.toString(), 126, "it is not executable");
    }

    private static void assertCannotStart(String name, int exitCode, String why) {
        List<String> command = List.of(name);
        assertThatThrownBy(() -> Subprocess.start(command, Map.of(), Subprocess.Output.BOUND))
                .isInstanceOfSatisfying(IOException.class, e -> {
                    assertThat(Subprocess.exitCode(e)).isEqualTo(exitCode);
                    assertThat(Subprocess.message(command, e)).isEqualTo("'" + name + "' cannot be started: " + why);
                });
    }

    @Test
    void endOfAnOutput_beginsBehindALineOrASpace() {
        assertThat(tail(16, "short")).isEqualTo("short");
        assertThat(tail(16, "sixteen letters!")).isEqualTo("sixteen letters!");
        assertThat(tail(16, "a first line\n", "the last one\n")).isEqualTo("the last one\n");
        assertThat(tail(16, "secret-of-many-letters and more")).isEqualTo("and more");
        assertThat(tail(16, "secret-of-", "very-many-", "letters")).isEmpty();
    }

    private static String tail(int size, String... pieces) {
        OutputTail tail = new OutputTail(size);
        for (String piece : pieces) {
            byte[] bytes = piece.getBytes(StandardCharsets.UTF_8);
            tail.add(bytes, bytes.length);
        }
        return tail.text();
    }
}
