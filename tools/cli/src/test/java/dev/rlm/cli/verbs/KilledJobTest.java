package dev.rlm.cli.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.cli.launcher.RlmProcess;
import dev.rlm.cli.testkit.Cli;
import dev.rlm.journal.Journal;
import dev.rlm.journal.RunState;
import dev.rlm.journal.RunSummary;
import dev.rlm.sinks.event.Correlation;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** Jobs whose process is killed or gets a signal: what is told of them, how they are gone on with, and replayed. */
@Timeout(240)
@DisabledOnOs(OS.WINDOWS)
class KilledJobTest {
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
            exitValue(process);
        }

        RlmProcess last = start(with(job, "--resume")).awaitSuccess();

        JsonNode summary = new ObjectMapper().readTree(last.out());
        Map<Correlation, List<RunSummary>> rollouts = new HashMap<>();
        runs().forEach(run -> rollouts.computeIfAbsent(rollout(run.run().correlation()), key -> new ArrayList<>())
                .add(run));
        assertThat(rollouts.keySet())
                .as("one job, and nothing lost")
                .hasSize(180)
                .extracting(Correlation::invocation)
                .containsOnly(summary.get("invocation").asString());
        assertThat(rollouts.values()).allSatisfy(attempts -> {
            assertThat(attempts.stream().filter(KilledJobTest::hasEnded))
                    .as("run to completion")
                    .hasSize(1);
            assertThat(attempts)
                    .extracting(run -> run.run().correlation().attempt())
                    .doesNotHaveDuplicates();
        });
        JsonNode report = json("report", "--json").get(0);
        assertThat(report.get("all").get("solved")).isEqualTo(summary.get("solved"));
        assertThat(report.get("all").get("runs")).isEqualTo(summary.get("runs"));
        assertThat(report.get("all").get("steps")).isEqualTo(summary.get("steps"));
        assertThat(report.get("all").get("mean_reward").asDouble())
                .isCloseTo(summary.get("mean_reward").asDouble(), within(1e-12)); // summed up in another order
        JsonNode undisturbed = new ObjectMapper()
                .readTree(Cli.run(Arrays.copyOf(job, job.length)).out());
        FIGURES.forEach(figure -> assertThat(summary.get(figure)).as(figure).isEqualTo(undisturbed.get(figure)));
    }

    @Tag("thorough")
    @Test
    void twoResumesAtOnce_runTheJobOnce() throws Exception {
        RlmProcess killed = start("run", "--samples", "2", "--latency", "1h");
        killed.await(() -> runs().size() == 8);
        killed.process().destroyForcibly().waitFor();
        RlmProcess one = start("run", "--samples", "2", "--resume");
        RlmProcess other = start(folder.resolve("other"), "run", "--samples", "2", "--resume");

        List<Integer> ends = Stream.of(one, other).map(KilledJobTest::exitValue).toList();
        assertThat(ends).contains(0).isSubsetOf(0, 2); // the second is refused, or comes when nothing is left to do
        assertThat(runs()).filteredOn(KilledJobTest::hasEnded).hasSize(8);
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

    @Tag("thorough")
    @Test
    void jobThatGoesOn_andWasKilled_andWasResumedAndInterrupted_isToldAsSuch() throws Exception {
        String[] job = {"run", "--latency", "1h", "--samples", "2", "--rollouts", "1"};
        RlmProcess first = start(job);
        first.await(() -> isRunning(2));
        assertThat(json("jobs", "--json").get(0).get("ended_at").isNull()).isTrue();
        first.process().destroyForcibly();
        exitValue(first);
        assertThat(json("jobs", "--json")).singleElement().satisfies(told -> {
            assertThat(told.get("state").asString()).isEqualTo("killed");
            assertThat(told.get("rollouts").isNull()).isTrue();
        });

        RlmProcess second = start(with(job, "--resume"));
        second.await(() -> isRunning(4));
        second.process().destroy();
        exitValue(second);
        assertThat(json("jobs", "--json")).singleElement().satisfies(told -> {
            assertThat(told.get("state").asString()).isEqualTo("interrupted");
            assertThat(told.get("rollouts").asInt()).isEqualTo(2);
            assertThat(told.get("rollouts_ended").asInt()).isZero();
            assertThat(told.get("runs").asInt()).isEqualTo(4);
        });
    }

    @Test
    void runThatWasKilled_isReplayedAsFarAsItsRecordGoes() throws Exception {
        RlmProcess process =
                start("run", "--samples", "1", "--rollouts", "1", "--error-rate", "0", "--latency", "400ms");
        process.await(() -> runs().stream().anyMatch(run -> run.steps() >= 1));
        process.process().destroyForcibly().waitFor();
        int steps = runs().get(0).steps();
        Path replays = folder.resolve("replays");

        Cli run = Cli.with(
                Map.of("RLM_JSONL_DIR", replays.toString(), "RLM_JOURNAL_INDEX", "none"),
                "run",
                "--replay-journal",
                folder.resolve(".rlm").toString(),
                "--replay",
                "last",
                "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains(" is replayed up to step " + steps + " only: ");
        JsonNode replayed = new ObjectMapper().readTree(run.out()).get("replays");
        assertThat(replayed.get("partial").asInt()).isOne();
        assertThat(Journal.open(replays).runs().get(0).steps()).isEqualTo(steps);
    }

    private boolean isRunning(int runs) {
        List<JsonNode> jobs = json("jobs", "--json");
        return !jobs.isEmpty()
                && jobs.get(0).get("state").asString().equals("running")
                && jobs.get(0).get("runs").asInt() == runs;
    }

    private static int exitValue(RlmProcess process) {
        try {
            assertThat(process.process().waitFor(60, TimeUnit.SECONDS))
                    .as("it has ended")
                    .isTrue();
            return process.process().exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
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

    /** The lines of JSON that a command says about the journal; none where it cannot be read yet. */
    private List<JsonNode> json(String... arguments) {
        Cli done = Cli.with(
                Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString(), "RLM_JOURNAL_INDEX", "none"), arguments);
        return done.out().lines().map(new ObjectMapper()::readTree).toList();
    }

    private List<RunSummary> runs() {
        Path journal = folder.resolve(".rlm");
        return Journal.isAt(journal) ? Journal.open(journal).runs() : List.of();
    }

    private long ended() {
        return runs().stream().filter(KilledJobTest::hasEnded).count();
    }
}
