package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.RunningCli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that are interrupted, however that comes, and gone on with. */
@Timeout(240)
class ResumeTest {

    @TempDir
    private Path folder;

    @Test
    void interruptedJob_saysHowToGoOn_andGoesOnSo() throws Exception {
        try (RunningCli rlm = start("run", "--samples", "2", "--tag", "note=it's half", "--latency", "1h")) {
            rlm.await(this::hasStarted);
            assertThat(rlm.stop()).isEqualTo(130);

            String hint = rlm.err().lines().reduce((first, second) -> second).orElseThrow();
            assertThat(hint)
                    .isEqualTo("to go on: ./rlm run --samples 2 --tag 'note=it'\\''s half' --latency 1h --resume");
            assertThat(rlm.out()).containsPattern(" - +- +-\n");
        }

        Cli resumed = rlm("run", "--samples", "2", "--tag", "note=it's half", "--resume");
        assertThat(resumed.exitCode()).isZero();
        assertThat(resumed.err()).isEqualTo("resumed: 0 of 8 had been done" + System.lineSeparator());
        assertThat(journal().runs())
                .hasSize(16)
                .allSatisfy(run -> assertThat(hasEnded(run))
                        .isEqualTo(Objects.equals(run.run().correlation().attempt(), 2)));
        assertThat(rlm("run", "--samples", "2", "--tag", "note=it's half", "--resume"))
                .satisfies(again -> assertThat(again.exitCode()).isZero())
                .satisfies(again -> assertThat(again.out()).contains("resumed  8 of 8 runs had been done"))
                .satisfies(
                        again -> assertThat(again.err())
                                .isEqualTo(
                                        "resumed: 8 of 8 had been done\nnothing is left to do; --retries 1 would try failed runs again\n"));
        assertThat(rlm("run", "--samples", "2", "--tag", "note=it's half", "--resume", "--quiet")
                        .err())
                .isEmpty();
        assertThat(journal().runs()).hasSize(16);
    }

    @Test
    void jobOfWhichAllHasFailed_isNotGoneOnWith_andIsNoSuccess() {
        String[] job = {"run", "--samples", "1", "--timeout", "20ms", "--latency", "1h"};
        rlm(job);

        Cli again = rlm(with(job, "--resume"));

        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(again.err().lines())
                .containsExactly(
                        "resumed: 4 of 4 had been done",
                        "nothing is left to do; --retries 1 would try failed runs again",
                        "rlm: every run failed: 4 × the run took longer than 0.02 s");
        assertThat(journal().runs()).hasSize(4);
    }

    @Test
    void jobThatGoesOn_isNotResumed() throws Exception {
        try (RunningCli first = start("run", "--samples", "2", "--latency", "1h")) {
            first.await(this::hasStarted);

            Cli resumed = rlm("run", "--samples", "2", "--resume");

            assertThat(resumed.exitCode()).isEqualTo(2);
            assertThat(resumed.err().lines()).singleElement().asString().contains("goes on in another process");
            assertThat(journal().runs()).hasSize(8);
        }
    }

    @Test
    void otherOptions_areTold() {
        assertThat(rlm("run", "--samples", "2", "--resume").err()).contains("nothing to resume", "no journal");
        rlm("run", "--samples", "3", "--rollouts", "2", "--epoch", "1");

        Cli other = rlm("run", "--samples", "2", "--rollouts", "2", "--error-rate", "0.5", "--seed", "2", "--resume");

        assertThat(other.exitCode()).isEqualTo(2);
        assertThat(other.err())
                .contains("was started with other options: epoch was 1 and is none; error_rate was 0.1 and is 0.5; "
                        + "samples was 3 and is 2; seed was 1 and is 2");
        assertThat(rlm("run", "--samples", "3", "--rollouts", "2", "--epoch", "1", "--pass-reward", "2", "--resume")
                        .err())
                .contains("other samples, settings or another pass reward");
        assertThat(rlm("run", "--resume", "nosuch").err()).contains("has no such jobs");
        assertThat(Cli.run("run", "--resume").err()).contains("--resume needs the journal");
    }

    private static boolean hasEnded(RunSummary run) {
        return run.state() == RunState.COMPLETED || run.state() == RunState.FAILED;
    }

    private static String[] with(String[] arguments, String more) {
        return Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new);
    }

    private RunningCli start(String... arguments) throws IOException {
        return RunningCli.start(folder, Map.of("RLM_JOURNAL_INDEX", "none"), arguments);
    }

    private boolean hasStarted() {
        return Journal.isAt(folder.resolve(".rlm")) && journal().runs().size() == 8;
    }

    private Cli rlm(String... arguments) {
        return Cli.with(
                Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString(), "RLM_JOURNAL_INDEX", "none"), arguments);
    }

    private Journal journal() {
        return Journal.open(folder.resolve(".rlm"));
    }
}
