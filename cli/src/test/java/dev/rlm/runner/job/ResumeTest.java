package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.rlm.cli.launcher.Cli;
import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.jsonl.Journal;
import dev.rlm.sinks.jsonl.RunState;
import dev.rlm.sinks.jsonl.RunSummary;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Jobs that are interrupted, however that comes, and gone on with. */
@Timeout(240)
@DisabledOnOs(OS.WINDOWS)
class ResumeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final List<String> FIGURES =
            List.of("runs", "completed", "failed", "solved", "steps", "tool_calls", "mean_reward", "pass", "groups");

    @TempDir
    private Path folder;

    private final List<RlmProcess> started = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        started.forEach(RlmProcess::close);
    }

    @Tag("thorough")
    @Test
    void job_thatIsKilledAgainAndAgain_endsAsIfNothingHadBeen() throws Exception {
        String[] job = {"run", "--samples", "60", "--rollouts", "3", "--concurrency", "3", "--latency", "20ms", "--json"
        };
        Random random = new Random(8);
        for (int part = 0; part < 3; part++) {
            long before = part == 0 ? 0 : ended();
            RlmProcess process = start(part == 0 ? job : with(job, "--resume"));
            long enough = before + 1 + random.nextInt(15);
            process.await(() -> ended() >= enough);
            if (part % 2 == 0) {
                process.process().destroyForcibly();
            } else {
                process.process().destroy();
            }
            assertThat(process.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
        }

        RlmProcess last = start(with(job, "--resume")).awaitSuccess();

        JsonNode summary = new ObjectMapper().readTree(last.out());
        Map<Correlation, List<RunSummary>> rollouts = new HashMap<>();
        journal()
                .runs()
                .forEach(run -> rollouts.computeIfAbsent(rollout(run.run().correlation()), key -> new ArrayList<>())
                        .add(run));
        assertThat(rollouts.keySet())
                .as("one job, and nothing lost")
                .hasSize(180)
                .extracting(Correlation::invocation)
                .containsOnly(summary.get("invocation").asString());
        assertThat(rollouts.values()).allSatisfy(attempts -> {
            assertThat(attempts.stream().filter(ResumeTest::hasEnded))
                    .as("run to completion")
                    .hasSize(1);
            assertThat(attempts)
                    .extracting(run -> run.run().correlation().attempt())
                    .doesNotHaveDuplicates();
        });
        JsonNode report = json("report", "--json");
        assertThat(report.get("all").get("solved")).isEqualTo(summary.get("solved"));
        assertThat(report.get("all").get("runs")).isEqualTo(summary.get("runs"));
        assertThat(report.get("all").get("steps")).isEqualTo(summary.get("steps"));
        assertThat(report.get("all").get("mean_reward").asDouble())
                .isCloseTo(summary.get("mean_reward").asDouble(), within(1e-12)); // summed up in another order
        JsonNode undisturbed = new ObjectMapper()
                .readTree(Cli.run(Arrays.copyOf(job, job.length)).out());
        FIGURES.forEach(figure -> assertThat(summary.get(figure)).as(figure).isEqualTo(undisturbed.get(figure)));
    }

    @Test
    void interruptedJob_saysHowToGoOn_andGoesOnSo() throws Exception {
        RlmProcess process = start("run", "--samples", "2", "--tag", "note=it's half", "--latency", "1h");
        await().atMost(PATIENCE)
                .until(() ->
                        Journal.isAt(folder.resolve(".rlm")) && journal().runs().size() == 8);
        process.process().destroy();
        assertThat(process.process().waitFor(30, TimeUnit.SECONDS)).isTrue();

        String hint = process.err().lines().reduce((first, second) -> second).orElseThrow();
        assertThat(hint).isEqualTo("to go on: rlm run --samples 2 --tag 'note=it'\\''s half' --latency 1h --resume");
        assertThat(process.out()).containsPattern(" - +- +-\n");

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
        start("run", "--samples", "2", "--latency", "1h");
        await().atMost(PATIENCE)
                .until(() ->
                        Journal.isAt(folder.resolve(".rlm")) && journal().runs().size() == 8);

        Cli resumed = rlm("run", "--samples", "2", "--resume");

        assertThat(resumed.exitCode()).isEqualTo(2);
        assertThat(resumed.err().lines()).singleElement().asString().contains("goes on in another process");
        assertThat(journal().runs()).hasSize(8);
    }

    @Tag("thorough")
    @Test
    void twoResumesAtOnce_runTheJobOnce() throws Exception {
        RlmProcess killed = start("run", "--samples", "2", "--latency", "1h");
        await().atMost(PATIENCE)
                .until(() ->
                        Journal.isAt(folder.resolve(".rlm")) && journal().runs().size() == 8);
        killed.process().destroyForcibly().waitFor();
        RlmProcess one = start("run", "--samples", "2", "--resume");
        RlmProcess other = start(folder.resolve("other"), "run", "--samples", "2", "--resume");

        List<Integer> ends = Stream.of(one, other).map(ResumeTest::exitValue).toList();
        assertThat(ends).contains(0).isSubsetOf(0, 2); // the second is refused, or comes when nothing is left to do
        assertThat(journal().runs()).filteredOn(ResumeTest::hasEnded).hasSize(8);
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"INT,130", "TERM,143"})
    @EnabledOnOs(OS.LINUX) // tells which files a process reads
    void signal_whileTheJournalIsRead_isSaidInALine(String signal, int exitCode) throws Exception {
        Path endless = Files.createDirectories(folder.resolve(".rlm/a-writer")).resolve("events-1.jsonl");
        try (RandomAccessFile file = new RandomAccessFile(endless.toFile(), "rw")) {
            file.setLength(1L << 40); // of which none is on the disk; to read it takes minutes
            RlmProcess process = start("run", "--samples", "2", "--resume");
            process.await(() -> process.isReading(endless));
            process.signal(signal);

            assertThat(exitValue(process)).isEqualTo(exitCode);
            assertThat(process.err()).isEqualTo("interrupted while the journal was read: no run was started\n");
            assertThat(process.out()).isEmpty();
        }
    }

    private static int exitValue(RlmProcess process) {
        try {
            assertThat(process.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
            return process.process().exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
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

    private static Correlation rollout(Correlation ids) {
        return Correlation.builder()
                .invocation(Objects.requireNonNull(ids.invocation()))
                .rollout(Objects.requireNonNull(ids.rollout()))
                .build();
    }

    private static String[] with(String[] arguments, String more) {
        return Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new);
    }

    private RlmProcess start(String... arguments) throws IOException {
        return start(folder, arguments);
    }

    private RlmProcess start(Path place, String... arguments) throws IOException {
        RlmProcess process = RlmProcess.start(
                Files.createDirectories(place),
                Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString()),
                arguments);
        started.add(process);
        return process;
    }

    private Cli rlm(String... arguments) {
        return Cli.with(Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString()), arguments);
    }

    private JsonNode json(String... arguments) {
        return new ObjectMapper().readTree(rlm(arguments).out());
    }

    private Journal journal() {
        return Journal.open(folder.resolve(".rlm"));
    }

    private long ended() {
        return Journal.isAt(folder.resolve(".rlm"))
                ? journal().runs().stream().filter(ResumeTest::hasEnded).count()
                : 0;
    }
}
