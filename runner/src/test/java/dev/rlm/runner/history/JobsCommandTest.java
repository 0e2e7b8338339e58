package dev.rlm.runner.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The jobs of a journal, however they ended. */
@Timeout(240)
class JobsCommandTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private Cli rlm(String... arguments) {
        return Cli.with(
                Map.of("RLM_JSONL_DIR", folder.resolve(".rlm").toString(), "RLM_JOURNAL_INDEX", "none"), arguments);
    }

    private List<JsonNode> jobs(String... options) {
        Cli listed = rlm(
                Stream.concat(Stream.of("jobs", "--json"), Stream.of(options)).toArray(String[]::new));
        assertThat(listed.exitCode()).as(listed.err()).isZero();
        ObjectMapper json = new ObjectMapper();
        return listed.out().lines().map(json::readTree).toList();
    }

    @Test
    void jobOfRun_isListedWithWhatItWas_andWhatItCameTo() {
        assertThat(rlm("run", "--samples", "3", "--rollouts", "2", "--error-rate", "0", "--invocation", "nightly-7")
                        .exitCode())
                .isZero();
        assertThat(rlm("run", "--samples", "1", "--rollouts", "1").exitCode()).isZero();

        assertThat(jobs()).hasSize(2);
        assertThat(jobs("--limit", "1").get(0).get("rollouts").asInt()).isOne();
        JsonNode job = jobs().get(0);
        assertThat(job.get("invocation_id").asString()).isEqualTo("nightly-7");
        assertThat(job.get("state").asString()).isEqualTo("completed");
        assertThat(job.get("rollouts").asInt()).isEqualTo(6);
        assertThat(job.get("rollouts_ended").asInt()).isEqualTo(6);
        assertThat(job.get("runs").asInt()).isEqualTo(6);
        assertThat(job.get("completed").asInt()).isEqualTo(6);
        assertThat(job.get("solved_rate").asDouble()).isEqualTo(1);
        assertThat(job.get("environments").toString()).isEqualTo("[\"calc\"]");
        assertThat(job.get("ended_at").asString())
                .isGreaterThan(job.get("started_at").asString());
        assertThat(job.at("/options/rollouts").asString()).isEqualTo("2");
        assertThat(rlm("jobs").out())
                .contains("nightly-7", "completed", "6 of 6", "100 %", "samples=3 rollouts=2")
                .endsWith("2 of 2 jobs" + System.lineSeparator());
        assertThat(rlm("list", "--invocation", "nightly").out()).contains("6 of 7 runs");
    }

    @Test
    void jobOfTooManyFailures_isStopped() {
        assertThat(rlm("run", "--samples", "5", "--timeout", "20ms", "--latency", "1h", "--max-failures", "2")
                        .exitCode())
                .isOne();
        assertThat(jobs()).singleElement().satisfies(job -> {
            assertThat(job.get("state").asString()).isEqualTo("stopped");
            assertThat(job.get("failed").asInt()).isGreaterThanOrEqualTo(2);
        });
    }

    @Test
    void logOfAJob_tellsStartFailedRunsAndEnd_andGoesOnWhereItIsResumed() throws IOException {
        assertThat(rlm("run", "--samples", "5", "--timeout", "20ms", "--latency", "1h", "--max-failures", "2")
                        .exitCode())
                .isOne();
        assertThat(lines("--lines", "50"))
                .first()
                .asString()
                .matches("\\d{4}-\\d\\d-\\d\\dT\\S+Z started: 0 of 20 rollouts are over");
        assertThat(lines("--lines", "50"))
                .anyMatch(line -> line.matches("\\S+ failed: run \\w+: java\\.util\\.concurrent\\.TimeoutException"))
                .anyMatch(line -> line.contains("stopped, since too many runs have failed"))
                .last()
                .asString()
                .matches("\\S+ \\d+ of 20 runs, 0 running, \\d+ failed, .*; exit code 1");
        assertThat(lines("--lines", "1")).singleElement().asString().endsWith("exit code 1");
        assertThat(jobs().get(0).get("log").isNull()).isTrue();
        assertThat(rlm("jobs", "--lines", "1").out()).contains("log of ", "exit code 1");

        assertThat(rlm("run", "--samples", "5", "--resume").exitCode()).isZero();
        assertThat(lines("--lines", "100"))
                .anyMatch(line -> line.contains("started: "))
                .anyMatch(line -> line.contains("resumed: "))
                .last()
                .asString()
                .endsWith("exit code 0");
        try (Stream<Path> files = Files.list(folder.resolve(".rlm/jobs"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".log")))
                    .singleElement()
                    .satisfies(log -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(log)))
                            .isEqualTo("rw-------"));
        }
    }

    @Test
    void jobOfWhichEveryRunFailed_isFailed_andTellsWhy() {
        assertThat(rlm(
                                "run",
                                "--samples",
                                "3",
                                "--rollouts",
                                "1",
                                "--timeout",
                                "20ms",
                                "--latency",
                                "1h",
                                "--invocation",
                                "night-1")
                        .exitCode())
                .isOne();
        assertThat(rlm("run", "--samples", "1", "--rollouts", "1", "--invocation", "night-2")
                        .exitCode())
                .isZero();

        JsonNode job = jobs("night-1").get(0);
        assertThat(job.get("state").asString()).isEqualTo("failed");
        assertThat(job.at("/failures/0/runs").size()).isEqualTo(3);
        assertThat(job.at("/failures/0/messages/0/message").asString()).contains("the run took longer than 0.02 s");
        assertThat(job.at("/failures/0/stack_trace").asString()).contains("\n\tat ");
        assertThat(job.get("failures").size()).isOne();
        assertThat(rlm("jobs", "night-1", "--lines", "1").out())
                .contains("failed: 3 × the run took longer than 0.02 s", "\n      at ", "exit code 1")
                .endsWith("1 of 2 jobs" + System.lineSeparator());
        assertThat(jobs("last").get(0).get("state").asString()).isEqualTo("completed");
        assertThat(jobs("last").get(0).get("failures").isEmpty()).isTrue();
        assertThat(jobs().get(0).get("failures").isNull()).isTrue();
        assertThat(rlm("jobs", "night").err()).contains("begins the ids of 2 jobs");
        assertThat(rlm("jobs", "day").err())
                .isEqualToIgnoringNewLines("rlm: there is no job 'day': rlm jobs lists them");
    }

    @Test
    void lines_thatAreNoNumberOfThem_areRefused() {
        assertThat(rlm("jobs", "--lines", "-1").err())
                .isEqualToIgnoringNewLines("rlm: --lines must be at least 0, was -1");
    }

    private List<String> lines(String... options) {
        return jobs(options)
                .get(0)
                .get("log")
                .valueStream()
                .map(JsonNode::asString)
                .toList();
    }

    @Test
    void invocationOfAnotherProgram_isAJob_ofWhichLessIsKnown() {
        try (Sinks sinks = Sinks.builder()
                .add(
                        "jsonl",
                        JsonlSink.builder().directory(folder.resolve(".rlm")).build())
                .build()) {
            for (String run : List.of("one", "two")) {
                RunSpec spec = RunSpec.builder("shop")
                        .runId(run)
                        .model("m")
                        .correlation(Correlation.builder().invocation("eval-3").build())
                        .build();
                try (Run recorded = sinks.startRun(spec)) {
                    recorded.complete("");
                }
            }
            assertThat(sinks.flush(PATIENCE).isComplete()).isTrue();
            assertThat(jobs()).singleElement().satisfies(job -> {
                assertThat(job.get("state").asString()).isEqualTo("ended");
                assertThat(job.get("rollouts").isNull()).isTrue();
                assertThat(job.get("options").isNull()).isTrue();
            });
        }
        assertThat(rlm("jobs").out()).contains("eval-3", "ended", "shop", "1 of 1 jobs");
    }
}
