package dev.rlm.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rlm.journal.Journal;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.StepEnded;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of the runs of a program that knows nothing of signals, when one tells it to end. */
@DisabledOnOs(OS.WINDOWS)
class ShutdownTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"INT,130", "TERM,143"})
    void signal_abortsTheOpenRuns(String signal, int exitCode) throws Exception {
        RlmProcess process = told("one-hub", signal);

        assertThat(process.process().exitValue()).isEqualTo(exitCode);
        assertThat(process.err()).isEmpty();
        assertAborted(".rlm", "one");
    }

    /** Java has two threads that end the process then, and takes the code of whichever is first behind the hooks. */
    @Test
    void signal_whoseHooksRun_hasItsExitCode_whateverThatOfTheCommandIs() throws Exception {
        RlmProcess process = told("exiting", "TERM");

        assertThat(process.process().exitValue()).isEqualTo(143);
        assertThat(folder.resolve("returned")).exists();
    }

    @Test
    void signal_closesAllHubs() throws Exception {
        told("two-hubs", "TERM");

        assertAborted(".rlm", "one");
        assertAborted("second", "two");
    }

    @Test
    void signal_whileASinkHangs_stillCompletesTheJournal() throws Exception {
        RlmProcess process = told("hung-sink", "TERM");

        assertThat(process.process().exitValue()).isEqualTo(143);
        assertAborted(".rlm", "one");
        assertThat(process.err())
                .contains(
                        "sink hung: did not come back from onEvent in time for its close and is given up: its events are dropped");
    }

    @Test
    void signal_whileRunsStart_leavesNoneOpen() throws Exception {
        told("starting", "TERM");

        Journal journal = Journal.open(folder.resolve(".rlm"));
        assertThat(journal.runs()).isNotEmpty().allSatisfy(run -> {
            List<RunEvent> events = journal.events(run.run().runId());
            RunEvent last = events.get(events.size() - 1);
            assertThat(last).isInstanceOf(RunEnded.class);
            assertThat(last.seq()).isEqualTo(events.size());
            assertThat(((RunEnded) last).outcome()).isIn(Outcome.ABORTED, Outcome.COMPLETED);
        });
    }

    /** The process once it has done what it is to do, was told to end and has ended. */
    private RlmProcess told(String what, String signal) throws Exception {
        Path ready = folder.resolve("ready");
        try (RlmProcess process = RlmProcess.start(folder, Map.of(), ShutdownProgram.class, what, ready.toString())) {
            await().atMost(PATIENCE).until(() -> Files.exists(ready));
            String pid = String.valueOf(process.process().pid());
            assertThat(new ProcessBuilder("kill", "-" + signal, pid).start().waitFor())
                    .isZero();
            assertThat(process.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
            return process;
        }
    }

    private void assertAborted(String journal, String runId) {
        List<RunEvent> events = Journal.open(folder.resolve(journal)).events(runId);
        assertThat(events).extracting(RunEvent::seq).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
        assertThat(events.get(4)).isInstanceOfSatisfying(ModelCalled.class, call -> {
            assertThat(call.error()).hasToString("the run ended before the call");
            assertThat(call.step()).isEqualTo(2);
            assertThat(call.parentSeq()).isEqualTo(4);
            assertThat(call.messages()).hasSize(1);
        });
        assertThat(events)
                .filteredOn(StepEnded.class::isInstance)
                .extracting(event -> ((StepEnded) event).errorType())
                .containsExactly(StepEnded.ABORTED, StepEnded.ABORTED);
        assertThat(events).last().isInstanceOfSatisfying(RunEnded.class, end -> {
            assertThat(end.outcome()).isEqualTo(Outcome.ABORTED);
            assertThat(end.status().message()).isEqualTo("the process ended before the run");
        });
    }
}
