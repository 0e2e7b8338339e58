package dev.rlm.runner.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.sinks.event.Event;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.otel.backend.OtlpAnswer;
import dev.rlm.sinks.otel.backend.OtlpReceiver;
import dev.rlm.sinks.otel.backend.OtlpSignal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunCommandTest {
    @Test
    void run_withoutOptions_showsEveryKindOfOutcome() {
        Cli run = Cli.run("run");

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        List<RunEnded> ends = KeptSinkProvider.events(RunEnded.class);
        assertThat(ends).hasSize(80);
        assertThat(ends).extracting(RunEnded::outcome).contains(Outcome.COMPLETED, Outcome.FAILED);
        assertThat(ends).anyMatch(RunEnded::solved);
        assertThat(ends).anyMatch(end -> end.outcome() == Outcome.COMPLETED && !end.solved() && !end.truncated());
        assertThat(ends).anyMatch(end -> "max_steps".equals(end.terminationReason()) && end.truncated());
        assertThat(KeptSinkProvider.events(RewardGiven.class)).anyMatch(reward -> reward.value() == -0.1);
        assertThat(run.out())
                .contains("model", "completed", "solved", "mean reward", "steps", "duration p50", "p95", "pass@1")
                .contains("scripted    80")
                .contains("events delivered");
    }

    @Test
    void lossesAreNamed_butNotWhatWasLeftOutByChoice() throws Exception {
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            receiver.answer(OtlpSignal.TRACES, OtlpAnswer.REJECT);
            Map<String, String> variables = Map.of(
                    "RLM_JSONL_ENABLED", "false",
                    "RLM_OTEL_ENABLED", "true",
                    "RLM_OTEL_METRICS_ENABLED", "false",
                    "OTEL_TRACES_SAMPLER", "traceidratio",
                    "OTEL_TRACES_SAMPLER_ARG", "0.5",
                    "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.httpEndpoint());

            Cli run = Cli.with(variables, "run", "--json");

            assertThat(run.out()).contains("not_sampled");
            assertThat(run.err()).contains("sink 'otel' lost ").doesNotContain("not_sampled");
        }
    }

    @Test
    void whatWasLeftOutByChoice_isToldApartFromWhatWasToArrive() throws Exception {
        try (OtlpReceiver receiver = OtlpReceiver.start()) {
            Map<String, String> variables = Map.of(
                    "RLM_JSONL_ENABLED", "false",
                    "RLM_OTEL_ENABLED", "true",
                    "RLM_OTEL_METRICS_ENABLED", "false",
                    "OTEL_TRACES_SAMPLER", "traceidratio",
                    "OTEL_TRACES_SAMPLER_ARG", "0.5",
                    "OTEL_EXPORTER_OTLP_ENDPOINT", receiver.httpEndpoint());

            assertThat(Cli.with(variables, "run").out())
                    .containsPattern("otel +(\\d+) of \\1 events delivered, \\d+ left out by choice: ");
        }
    }

    @Test
    void run_withoutSinks_saysThatNothingIsRecorded() {
        Cli run = Cli.with(Map.of("RLM_OBS_ENABLED", "off"), "run", "--samples", "1");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("none is on: nothing was recorded").doesNotContain("journal");
    }

    @Test
    void modelName_withControlCharacters_reachesTheTerminalHarmless(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("data.jsonl"), """
                {"question": "?", "ground_truth": "A: 1", "m\\u001b[31m": {"is_correct": true, "solution": "A: 1"}}
                """);

        Cli run = Cli.run("run", "--policy", "recorded", "--dataset", file.toString());
        assertThat(run.out()).contains("m␛[31m").doesNotContain("\u001b");

        Cli other = Cli.run("run", "--policy", "recorded", "--dataset", file.toString(), "--model", "no");
        assertThat(other.err()).contains("known are m␛[31m").doesNotContain("\u001b");
    }

    @Test
    void outcome_hangsOnTheSeedAndNotOnTheConcurrency() {
        List<String> alone = outcomes("--concurrency", "1");

        assertThat(outcomes("--concurrency", "32")).isEqualTo(alone);
        assertThat(outcomes("--concurrency", "32", "--seed", "2")).isNotEqualTo(alone);
    }

    private static List<String> outcomes(String... options) {
        String[] arguments = new String[options.length + 1];
        arguments[0] = "run";
        System.arraycopy(options, 0, arguments, 1, options.length);
        assertThat(Cli.run(arguments).err()).isEmpty();
        return KeptSinkProvider.events(RunEnded.class).stream()
                .map(end -> end.run().correlation().rollout() + " " + end.outcome() + " " + end.steps() + " "
                        + end.totalReward() + " " + end.finalAnswer())
                .sorted()
                .toList();
    }

    @Test
    void policy_thatMakesNoMistakes_solvesEverySample() {
        Cli run = Cli.run("run", "--error-rate", "0", "--json");

        assertThat(run.out())
                .contains("\"runs\":80", "\"completed\":80", "\"solved\":80", "\"total_reward\":80.0")
                .contains("\"mean_reward\":1.0", "\"pass_at_1\":1.0");
    }

    @Test
    void json_isOneObjectWithTheTotalsTheModelsAndTheLedgers() {
        Cli run = Cli.run("run", "--samples", "2", "--error-rate", "0", "--json");

        int events = KeptSinkProvider.events(Event.class).size();
        int steps = KeptSinkProvider.events(StepEnded.class).size();
        int calls = KeptSinkProvider.events(ToolCalled.class).size();
        String figures = "\"runs\":8,\"completed\":8,\"failed\":0,\"aborted\":0,\"solved\":8,\"steps\":" + steps
                + ",\"tool_calls\":" + calls + ",\"total_reward\":8.0,\"mean_reward\":1.0,\"pass_at_1\":1.0,";
        assertThat(run.out().lines()).hasSize(1);
        assertThat(run.out())
                .startsWith("{" + figures)
                .contains("\"models\":[{\"model\":\"scripted\"," + figures + "\"durations\":{\"p50\":")
                .contains("\"journal\":null")
                .endsWith("\"sinks\":[{\"name\":\"kept\",\"available\":true,\"detail\":\"\",\"ledger\":{\"offered\":"
                        + events + ",\"delivered\":" + events + ",\"dropped\":{},\"queued\":0}}]}"
                        + System.lineSeparator());
    }

    @Test
    void run_saysWhatItIs() {
        Cli.run("run", "--samples", "3", "--sample-id", "calc-5-3", "--rollouts", "2", "--seed", "5", "--tag", "k=v");

        List<RunInfo> runs = KeptSinkProvider.events(RunEnded.class).stream()
                .map(RunEnded::run)
                .toList();
        assertThat(runs).hasSize(2).allSatisfy(run -> {
            assertThat(run.environment()).isEqualTo("calc");
            assertThat(run.model()).isEqualTo("scripted");
            assertThat(run.seed()).isEqualTo(5);
            assertThat(run.maxSteps()).isEqualTo(20);
            assertThat(run.task().text()).endsWith("now?");
            assertThat(run.tags()).isEqualTo(Map.of("k", "v"));
            assertThat(run.params())
                    .containsEntry("plan", runs.get(0).params().get("plan"))
                    .containsAllEntriesOf(Map.of(
                            "policy", "scripted", "shaping", true, "error_rate", 0.1, "samples", 1, "rollouts", 2))
                    .hasSize(6);
            assertThat(run.correlation().sample()).isEqualTo("calc-5-3");
            assertThat(run.correlation().row()).isEqualTo("3");
        });
        assertThat(runs).extracting(run -> run.correlation().trajectoryIndex()).containsExactlyInAnyOrder(0, 1);
        assertThat(runs)
                .extracting(run -> run.correlation().rollout())
                .containsExactlyInAnyOrder("calc-5-3-0", "calc-5-3-1");
        assertThat(KeptSinkProvider.events(ModelCalled.class)).isEmpty();
    }

    @Test
    void step_isACallOfTheCalculatorOrTheAnswer() {
        Cli.run("run", "--samples", "1", "--rollouts", "1", "--error-rate", "0");

        List<StepEnded> steps = KeptSinkProvider.events(StepEnded.class);
        StepEnded first = steps.get(0);
        ToolCalled call = KeptSinkProvider.events(ToolCalled.class).get(0);
        assertThat(first.actionType()).isEqualTo("calculator");
        assertThat(call.tool()).isEqualTo("calculator");
        assertThat(call.step()).isEqualTo(first.step());
        assertThat(call.arguments().text())
                .isEqualTo("{\"expression\":\"" + first.code().text() + "\"}");
        assertThat(call.result().text()).isEqualTo(first.output().text());
        StepEnded last = steps.get(steps.size() - 1);
        RunEnded end = KeptSinkProvider.events(RunEnded.class).get(0);
        assertThat(last.actionType()).isEqualTo("submit");
        assertThat(last.code()).isEqualTo(end.finalAnswer());
        assertThat(last.reward()).isEqualTo(1);
        assertThat(end.terminationReason()).isEqualTo("stop");
        assertThat(end.run().agent()).isEqualTo("scripted");
        assertThat(end.run().expectedAnswer()).isEqualTo(end.finalAnswer());
    }

    @Test
    void versionOfAPolicy_isTheAgents_andThePolicysUnlessGiven() {
        Cli.run("run", "--samples", "1", "--rollouts", "1", "--policy", "calling");
        assertThat(KeptSinkProvider.events(RunEnded.class)).hasSize(1).allSatisfy(end -> {
            assertThat(end.run().agentVersion()).isEqualTo("1.7");
            assertThat(end.run().correlation().policyVersion()).isEqualTo("1.7");
        });

        Cli.run("run", "--samples", "1", "--rollouts", "1", "--policy", "calling", "--policy-version", "step-9");
        assertThat(KeptSinkProvider.events(RunEnded.class)).hasSize(1).allSatisfy(end -> {
            assertThat(end.run().agentVersion()).isEqualTo("1.7");
            assertThat(end.run().correlation().policyVersion()).isEqualTo("step-9");
        });
    }

    @Test
    void failedCall_costsATenthWithShapingOnly() {
        Cli.run("run", "--samples", "5", "--error-rate", "0.9", "--no-shaping");
        assertThat(failedCalls()).isNotEmpty();
        assertThat(KeptSinkProvider.events(RewardGiven.class)).noneMatch(reward -> reward.value() < 0);

        Cli.run("run", "--samples", "5", "--error-rate", "0.9");
        List<ToolCalled> failed = failedCalls();
        assertThat(KeptSinkProvider.events(RewardGiven.class))
                .filteredOn(reward -> reward.value() == -0.1)
                .hasSameSizeAs(failed);
        assertThat(failed).extracting(ToolCalled::statusCode).containsOnly(RunStatus.INVALID_ARGUMENT);
        assertThat(KeptSinkProvider.events(StepEnded.class))
                .filteredOn(step -> step.reward() == -0.1)
                .noneMatch(StepEnded::success);
    }

    private static List<ToolCalled> failedCalls() {
        return KeptSinkProvider.events(ToolCalled.class).stream()
                .filter(ToolCalled::failed)
                .toList();
    }

    @Test
    void run_thatIsNotDoneAtItsLastStep_isCutOffAndCompleted() {
        Cli run = Cli.run("run", "--samples", "2", "--max-steps", "1", "--error-rate", "0", "--json");

        assertThat(run.out()).contains("\"runs\":8,\"completed\":8", "\"solved\":0", "\"steps\":8");
        assertThat(KeptSinkProvider.events(RunEnded.class)).hasSize(8).allSatisfy(end -> {
            assertThat(end.truncated()).isTrue();
            assertThat(end.terminationReason()).isEqualTo("max_steps");
            assertThat(end.finalAnswer()).isNull();
        });
    }

    @Test
    void run_thatTakesTooLong_hasFailed() {
        Cli run = Cli.run("run", "--samples", "1", "--timeout", "20ms", "--latency", "1h", "--json");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).isEqualTo("rlm: every run failed: 4 × the run took longer than 0.02 s\n");
        assertThat(run.out()).contains("\"failures\":[{\"message\":\"the run took longer than 0.02 s\",\"runs\":4}]");
        assertThat(run.out())
                .contains("\"runs\":4,\"completed\":0,\"failed\":4,", "\"mean_reward\":null", "\"unrewarded_runs\":4");
        assertThat(KeptSinkProvider.events(RunEnded.class)).hasSize(4).allSatisfy(end -> {
            assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(end.status().code()).isEqualTo(RunStatus.DEADLINE_EXCEEDED);
            assertThat(end.status().message()).isEqualTo("the run took longer than 0.02 s");
        });
    }

    @Test
    void step_thatTakesTooLong_failsItsRun() {
        Cli run = Cli.run("run", "--samples", "1", "--step-timeout", "20ms", "--latency", "1h", "--json");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("\"runs\":4,\"completed\":0,\"failed\":4,", "\"steps\":4", "\"left_behind\":0");
        assertThat(KeptSinkProvider.events(RunEnded.class)).hasSize(4).allSatisfy(end -> {
            assertThat(end.status().code()).isEqualTo(RunStatus.DEADLINE_EXCEEDED);
            assertThat(end.status().message()).isEqualTo("step 1 took longer than 0.02 s");
        });
    }

    @Test
    void oneRunThatDoesNotFail_isEnough() {
        Cli run = Cli.run("run", "--samples", "40", "--error-rate", "0.5", "--quiet");

        long failed = KeptSinkProvider.events(RunEnded.class).stream()
                .filter(end -> end.outcome() == Outcome.FAILED)
                .count();
        assertThat(failed).isBetween(1L, 159L);
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out().lines())
                .anyMatch(line ->
                        line.startsWith("failed   " + failed + " × the scripted policy broke down, as scripted"));
    }

    @Test
    void quietRun_saysNothingThatNothingWasLostBy(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("data.jsonl"), "{\"question\": \"?\", \"answer\": \"#### 3\"}\nnonsense\n");
        String[] job = {"run", "--dataset", file.toString(), "--skip-bad-lines", "--error-rate", "0"};
        assertThat(Cli.run(job).err()).startsWith("warning: passed over bad lines: 1");

        Cli quiet = Cli.run(Stream.concat(Stream.of(job), Stream.of("--quiet")).toArray(String[]::new));

        assertThat(quiet.exitCode()).isZero();
        assertThat(quiet.err()).isEmpty();
        assertThat(quiet.out()).startsWith("model ");
    }

    @Test
    void quietRun_saysItsErrors() {
        assertThat(Cli.run("run", "--samples", "1", "--timeout", "20ms", "--latency", "1h", "--quiet")
                        .err())
                .isEqualTo("rlm: every run failed: 4 × the run took longer than 0.02 s\n");
        assertThat(Cli.run("run", "--env", "chess", "--quiet").err()).startsWith("rlm: unknown environment");
    }

    @Test
    void passReward_andPassOn_decideWhatIsSolved() {
        assertThat(Cli.run("run", "--error-rate", "0", "--pass-reward", "1.1", "--json")
                        .out())
                .contains("\"completed\":80", "\"solved\":0", "\"pass_at_1\":0.0");
        int last = solved("last");
        assertThat(solved("total")).isLessThan(last);
    }

    private static int solved(String passOn) {
        Cli.run("run", "--pass-on", passOn);
        return (int) KeptSinkProvider.events(RunEnded.class).stream()
                .filter(RunEnded::solved)
                .count();
    }

    @Test
    void end_saysWhereTheRunIsAndWhatToTypeNext(@TempDir Path folder) {
        Path file = folder.resolve("kept");
        Map<String, String> variables = Map.of("RLM_KEPT_ENABLED", "true", "RLM_KEPT_FILE", file.toString());

        Cli run = Cli.with(variables, "run", "--samples", "1", "--sink", "kept", "--journal", folder.toString());

        String first = KeptSinkProvider.events(RunEnded.class).stream()
                .filter(end -> Objects.equals(end.run().correlation().trajectoryIndex(), 0))
                .map(end -> end.run().runId())
                .findFirst()
                .orElseThrow();
        assertThat(run.out().lines().map(line -> line.strip().replaceAll(" +", " ")))
                .contains("journal " + file)
                .contains("next ./rlm list --journal " + folder)
                .contains("./rlm show " + first + " --journal " + folder);
    }

    @Test
    void end_linksToTheTraceWhereASinkHasOne() {
        Map<String, String> variables = Map.of("RLM_KEPT_URL", "http://localhost:16686");

        Cli run = Cli.with(variables, "run", "--sink", "kept");

        assertThat(run.out().lines())
                .anyMatch(line -> line.matches("trace +http://localhost:16686/trace/\\S+ +\\(run .*"));
    }
}
