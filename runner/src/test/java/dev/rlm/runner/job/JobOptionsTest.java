package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Groups, retries and failure limits, from the command line. */
class JobOptionsTest {
    @Test
    void pointOfTraining_isToldByEachRun() {
        Cli.run(
                "run",
                "--samples",
                "1",
                "--train-step",
                "7",
                "--epoch",
                "2",
                "--split",
                "train",
                "--experiment",
                "e",
                "--policy-version",
                "v3");

        assertThat(ids()).hasSize(4).allSatisfy(ids -> {
            assertThat(ids.trainStep()).isEqualTo(7);
            assertThat(ids.epoch()).isEqualTo(2);
            assertThat(ids.split()).isEqualTo("train");
            assertThat(ids.experiment()).isEqualTo("e");
            assertThat(ids.policyVersion()).isEqualTo("v3");
            assertThat(ids.attempt()).isEqualTo(1);
        });
        assertThat(Cli.run("run", "--split", "dev").exitCode()).isEqualTo(2);
        assertThat(Cli.run("run", "--epoch", "-1").err()).contains("--epoch=-1 is not valid");
    }

    @Test
    void idsOfTheCaller_areToldByEachRun() {
        Cli run = Cli.run(
                "run",
                "--samples=1",
                "--rollouts=1",
                "--rollout-id=ro-7",
                "--invocation=call-3",
                "--row=41",
                "--trainer-run=t-9",
                "--code-version=abc123",
                "--dataset-version=2026-03",
                "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(ids()).singleElement().satisfies(ids -> {
            assertThat(ids.rollout()).isEqualTo("ro-7");
            assertThat(ids.invocation()).isEqualTo("call-3");
            assertThat(ids.row()).isEqualTo("41");
            assertThat(ids.trainerRun()).isEqualTo("t-9");
            assertThat(ids.codeVersion()).isEqualTo("abc123");
            assertThat(ids.datasetVersion()).isEqualTo("2026-03");
        });
        assertThat(new ObjectMapper().readTree(run.out()).get("invocation").asString())
                .isEqualTo("call-3");
    }

    @Test
    void idsOfOne_areRefusedForMany() {
        refused("--rollout-id is for a job of one rollout, and this one has 4", "--samples=1", "--rollout-id=ro-7");
        refused("--row is for a job of one sample, and this one has 2", "--samples=2", "--row=41");
        refused("--rollout-id is empty", "--rollout-id=");
        refused("--invocation is empty", "--invocation= ");
        refused(
                "--invocation one and --resume other name two jobs: give one of them",
                "--invocation=one",
                "--resume=other");
        assertThat(ids()).isEmpty();
    }

    private static void refused(String message, String... options) {
        Cli run = Cli.run(Stream.concat(Stream.of("run"), Stream.of(options)).toArray(String[]::new));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }

    @Test
    void rolloutOfTheProcess_isThatOfAJobOfOneRollout() {
        Map<String, String> variables = Map.of("RLM_KEPT_ENABLED", "true", "EP_ROLLOUT_ID", "from-the-variable");

        Cli one = Cli.with(variables, "run", "--samples=1", "--rollouts=1", "--retries=1");
        assertThat(one.err()).isEmpty();
        assertThat(ids()).extracting(Correlation::rollout).containsExactly("from-the-variable");

        Cli named = Cli.with(variables, "run", "--samples=1", "--rollouts=1", "--rollout-id=named");
        assertThat(named.err()).isEmpty();
        assertThat(ids()).extracting(Correlation::rollout).last().isEqualTo("named");

        Cli many = Cli.with(variables, "run", "--samples=1", "--rollouts=2", "--concurrency=1");
        assertThat(many.err())
                .contains("EP_ROLLOUT_ID is left out: it names one rollout, and this job has 2")
                .hasLineCount(1);
        assertThat(ids()).extracting(Correlation::rollout).endsWith("calc-1-1-0", "calc-1-1-1");
    }

    @Test
    void jobsOfOneInvocation_areResumedEachForItself(@TempDir Path folder) {
        Map<String, String> journal = Map.of("RLM_JSONL_DIR", folder.toString());
        json(journal, "run", "--samples=1", "--rollouts=1", "--invocation=call-3", "--row=41", "--json");
        json(journal, "run", "--samples=1", "--rollouts=2", "--invocation=call-3", "--json");

        JsonNode first = json(
                journal, "run", "--samples=1", "--rollouts=1", "--invocation=call-3", "--row=41", "--resume", "--json");
        JsonNode second =
                json(journal, "run", "--samples=1", "--rollouts=2", "--invocation=call-3", "--resume", "--json");

        assertThat(List.of(first, second)).allSatisfy(resumed -> {
            assertThat(resumed.get("resumed")).isEqualTo(resumed.get("runs"));
            assertThat(resumed.get("invocation").asString()).isEqualTo("call-3");
        });
        assertThat(second.get("runs").asInt()).isEqualTo(2);
    }

    private static List<Correlation> ids() {
        return KeptSinkProvider.events(RunStarted.class).stream()
                .map(start -> start.run().correlation())
                .toList();
    }

    @Test
    void groups_areToldAsTheReportTellsThem(@TempDir Path folder) {
        Map<String, String> journal = Map.of("RLM_JSONL_DIR", folder.toString());
        JsonNode summary = json(journal, "run", "--samples", "30", "--rollouts", "5", "--error-rate", "0.3", "--json");
        JsonNode report = json(journal, "report", "--json").get("all");

        assertThat(summary.get("groups")).hasSize(30);
        for (String figure : List.of("runs", "solved", "steps", "groups_compared", "groups_without_signal")) {
            assertThat(summary.get(figure)).as(figure).isEqualTo(report.get(figure));
        }
        assertThat(summary.get("pass")).hasSameSizeAs(report.get("pass")).hasSize(3);
        for (int i = 0; i < 3; i++) {
            for (String figure : List.of("k", "pass_at_k", "pass_hat_k", "groups")) {
                assertThat(summary.get("pass").get(i).get(figure).asDouble())
                        .isEqualTo(report.get("pass").get(i).get(figure).asDouble());
            }
        }
    }

    @Test
    void groups_areALineOrTwo_howeverManyThereAre() {
        Cli run = Cli.run("run", "--samples", "200", "--error-rate", "0");

        assertThat(run.out().lines().map(line -> line.strip().replaceAll(" +", " ")))
                .contains(
                        "groups 200 of up to 4 runs: rewards within a group spread by 0.000 (mean standard deviation), "
                                + "200 of 200 without learning signal (all rewards the same)",
                        "pass@1 1.000 pass@2 1.000 pass@4 1.000",
                        "pass^1 1.000 pass^2 1.000 pass^4 1.000");
        assertThat(run.out().lines().count()).isLessThan(12);
    }

    @Test
    void failedRun_isTriedAgainAsTheNextAttempt(@TempDir Path folder) {
        Map<String, String> journal = Map.of("RLM_JSONL_DIR", folder.toString(), "RLM_KEPT_ENABLED", "true");
        Cli run = Cli.with(
                journal,
                "run",
                "--samples",
                "1",
                "--rollouts",
                "2",
                "--timeout",
                "20ms",
                "--latency",
                "1h",
                "--retries",
                "2",
                "--json");

        assertThat(run.exitCode()).isEqualTo(1);
        JsonNode summary = new ObjectMapper().readTree(run.out());
        assertThat(summary.get("runs").asInt()).isEqualTo(2);
        assertThat(summary.get("failed").asInt()).isEqualTo(2);
        assertThat(summary.get("retried").asInt()).isEqualTo(2);
        assertThat(ids()).hasSize(6).extracting(Correlation::attempt).containsOnly(1, 2, 3);
        assertThat(ids()).extracting(Correlation::rollout).containsOnly("calc-1-1-0", "calc-1-1-1");
        assertThat(KeptSinkProvider.events(RunStarted.class))
                .extracting(RunEvent::run)
                .extracting(info -> info.runId())
                .doesNotHaveDuplicates();
        JsonNode report = json(journal, "report", "--json");
        assertThat(report.get("all").get("runs").asInt()).isEqualTo(2);
        assertThat(report.get("superseded_runs").asInt()).isEqualTo(4);
    }

    @Test
    void job_stopsWhereTooManyRunsHaveFailed_andSaysWhichAndWhy() {
        Cli run = Cli.run(
                "run",
                "--samples",
                "5",
                "--timeout",
                "20ms",
                "--latency",
                "1h",
                "--concurrency",
                "1",
                "--retries",
                "1",
                "--max-failures",
                "2");

        assertThat(run.exitCode()).isEqualTo(1);
        List<RunEnded> ends = KeptSinkProvider.events(RunEnded.class);
        assertThat(ends).hasSize(4);
        List<String> failed = ends.stream()
                .map(RunEnded::run)
                .filter(info -> Objects.equals(info.correlation().attempt(), 2))
                .map(info -> "failed: run " + info.runId()
                        + ": java.util.concurrent.TimeoutException: the run took longer than 0.02 s")
                .toList();
        assertThat(run.err().lines())
                .startsWith("stopped, since too many runs have failed: 2 runs had ended, 0 were aborted, 18 were not"
                        + " started")
                .containsAll(failed)
                .hasSize(3);
        assertThat(Cli.run("run", "--samples", "1", "--fail-fast").exitCode()).isZero();
        assertThat(Cli.run("run", "--fail-fast", "--max-failures", "2").exitCode())
                .isEqualTo(2);
    }

    private static JsonNode json(Map<String, String> variables, String... arguments) {
        Cli cli = Cli.with(variables, arguments);
        assertThat(cli.exitCode()).as(cli.err()).isZero();
        return new ObjectMapper().readTree(cli.out());
    }
}
