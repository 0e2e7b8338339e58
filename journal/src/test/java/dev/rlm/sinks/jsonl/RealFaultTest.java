package dev.rlm.sinks.jsonl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.format.JournalFolder;
import dev.rlm.journal.recovery.Recovery;
import dev.rlm.sinks.jsonl.FaultyProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The journal under faults that the operating system makes, each in a process of its own, which goes on to its end. */
@Tag("thorough")
class RealFaultTest {
    @TempDir
    Path directory;

    @Test
    void fileThatMayNotGrow_isFollowedByTheNext_andNothingIsLost() throws Exception {
        Result result = FaultyProcess.run(bash("ulimit -f 40"), directory, 100, 1_000);
        assertThat(result.delivered()).isEqualTo(result.offered());
        assertThat(result.readable()).isEqualTo(result.offered());
        assertThat(result.files()).isGreaterThan(5);
    }

    @Test
    void lineThatIsLongerThanAFileMayBe_isLostAlone() throws Exception {
        Result result = FaultyProcess.run(bash("ulimit -f 40"), directory, 10, 100_000);
        assertThat(result.ledger()).isEqualTo("{file_too_large=10}");
        assertThat(result.delivered()).isEqualTo(result.offered() - 10);
        assertThat(result.readable()).isEqualTo(result.delivered());
    }

    @Test
    void descriptorsThatRunOut_delayWhatIsRecorded_andLoseNothing() throws Exception {
        Result result = FaultyProcess.run(bash("ulimit -n 300"), directory.resolve("journal"), 20, 100, "greedy");
        assertThat(result.unavailable()).isTrue();
        assertThat(result.delivered()).isEqualTo(result.offered());
        assertThat(result.readable()).isEqualTo(result.offered());
    }

    @Test
    void diskThatIsFull_keepsWhatItHas_andTheRestIsCounted() throws Exception {
        String mount = "mount -t tmpfs -o size=1m tmpfs " + directory;
        assumeTrue(succeeds("unshare", "-m", "sh", "-c", mount), "unshare -m and mount are needed");
        List<String> within = List.of("unshare", "-m", "sh", "-c", mount + " && exec \"$@\"", "sh");
        Result result = FaultyProcess.run(within, directory, 60, 20_000);
        assertThat(result.unavailable()).isTrue();
        assertThat(result.ledger()).matches("\\{disk_full=\\d+}");
        assertThat(result.detail()).contains("disk_full");
        assertThat(result.offered()).isEqualTo(result.delivered() + result.lost());
        assertThat(result.delivered()).isGreaterThan(50);
        assertThat(result.readable()).isGreaterThanOrEqualTo(result.delivered());
        assertThat(result.files()).isLessThanOrEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7})
    void syncThatFails_losesNothing(int call) throws Exception {
        Result result = FaultyProcess.run(strace("fdatasync:error=EIO:when=" + call), directory, 5, 100);
        assertThat(result.delivered()).isEqualTo(result.offered());
        assertThat(result.readable()).isEqualTo(result.offered());
        assertThat(Recovery.recover(directory).problems()).isEmpty();
        for (Path writer : JournalFolder.writers(directory)) {
            assertThat(Files.readAllLines(writer.resolve("runs.jsonl"))).hasSize(5);
        }
    }

    @Test
    void syncThatAlwaysFails_deliversNothing_andSaysSo() throws Exception {
        Result result = FaultyProcess.run(strace("fdatasync:error=EIO"), directory, 5, 100);
        assertThat(result.unavailable()).isTrue();
        assertThat(result.delivered()).isZero();
        assertThat(result.ledger()).isEqualTo("{io_error=" + result.offered() + "}");
    }

    @Test
    void syncThatTakesLong_showsInTheStatus_andLosesNothing() throws Exception {
        Result result = FaultyProcess.run(strace("fdatasync:delay_enter=4000000:when=2"), directory, 60, 100);
        assertThat(result.unavailable()).isTrue();
        assertThat(result.delivered()).isEqualTo(result.offered());
        assertThat(result.readable()).isEqualTo(result.offered());
    }

    @Test
    void severalProcesses_shareAJournal() throws Exception {
        List<Callable<Result>> processes =
                Collections.nCopies(3, () -> FaultyProcess.run(bash("ulimit -f 200"), directory, 30, 1_000, "others"));
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            for (Future<Result> result : threads.invokeAll(processes)) {
                assertThat(result.get().delivered()).isEqualTo(result.get().offered());
            }
        } finally {
            threads.shutdownNow();
        }
        Journal journal = Journal.open(directory);
        assertThat(JournalFolder.writers(directory)).hasSize(3);
        assertThat(journal.runs()).hasSize(90).allMatch(run -> run.state() == RunState.COMPLETED);
        assertThat(journal.damagedLines()).isZero();
    }

    private static List<String> bash(String limit) {
        return List.of("bash", "-c", limit + "; exec \"$@\"", "bash");
    }

    private static List<String> strace(String fault) throws InterruptedException {
        assumeTrue(succeeds("strace", "-V"), "strace is needed");
        assumeTrue(succeeds("strace", "-f", "-o", "/dev/null", "true"), "strace may not trace here");
        String call = fault.substring(0, fault.indexOf(':'));
        return List.of("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e", "inject=" + fault);
    }

    private static boolean succeeds(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
