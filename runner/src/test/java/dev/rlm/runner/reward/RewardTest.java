package dev.rlm.runner.reward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.cli.testkit.KeptSinkProvider;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rewards by name and weight, as the command line takes them and the sinks hear of them. */
@Timeout(120)
class RewardTest {
    @Test
    void components_areRecordedWithTheirWeights() {
        Cli run = run("--error-rate", "0", "--reward", "exact=1.0,format=0.2", "--reward", "brevity=-0.1");

        assertThat(run.err()).isEmpty();
        Map<String, Integer> steps = ends().stream().collect(Collectors.toMap(this::id, RunEnded::steps));
        assertThat(rewards()).hasSize(80).allSatisfy(reward -> {
            double used = steps.getOrDefault(id(reward), 0) / 20.0;
            assertThat(reward.source()).isEqualTo("reward");
            assertThat(reward.kind()).isEqualTo(RewardGiven.Kind.CODE);
            assertThat(reward.step()).isEqualTo(RunEvent.NO_STEP);
            assertThat(reward.components())
                    .containsExactly(
                            new RewardComponent("exact", 1, 1.0, null),
                            new RewardComponent("format", 1, 0.2, null),
                            new RewardComponent("brevity", used, -0.1, null));
            assertThat(reward.value()).isEqualTo(1.2 - 0.1 * used, within(1e-12));
            assertThat(reward.startNanos()).isLessThan(reward.nanos());
        });
        assertThat(ends())
                .allMatch(end -> "exact=1.0,format=0.2,brevity=-0.1"
                        .equals(end.run().params().get("reward")));
        isToldAlike(run);
    }

    @Test
    void partsOfAFunction_areComponents_thatAddNothing() {
        run("--samples", "2", "--error-rate", "0", "--reward", "probe=2", "--set", "probe.does=parts");

        assertThat(rewards()).hasSize(8).allSatisfy(reward -> {
            assertThat(reward.kind()).as("of a plug-in's").isNull();
            assertThat(reward.value()).isEqualTo(1);
            assertThat(reward.components())
                    .containsExactly(
                            new RewardComponent("probe", 0.5, 2, null),
                            new RewardComponent("probe/content", 0.75, 0, null),
                            new RewardComponent("probe/style", 0.25, 0, null));
        });
    }

    @Test
    void exactAndEnvironment_judgeAsTheEnvironmentDoes() {
        Map<String, Double> own = totals();

        assertThat(totals("--reward", "exact")).isEqualTo(own);
        assertThat(totals("--reward", "environment")).isEqualTo(own);
        assertThat(rewards())
                .filteredOn(reward -> reward.source().equals("environment"))
                .allMatch(r -> r.value() < 0);
        assertThat(ends()).anyMatch(RunEnded::solved).anyMatch(end -> !end.solved());
    }

    private Map<String, Double> totals(String... options) {
        run(options);
        return ends().stream()
                .collect(Collectors.toMap(
                        end -> end.run().correlation().rollout() + end.solved(), RunEnded::totalReward));
    }

    @Test
    void run_thatIsCutOff_isRewardedToo() {
        Cli run = run("--max-steps", "1", "--error-rate", "0", "--reward", "exact,format,brevity=-0.1,environment");

        assertThat(rewards()).extracting(RewardGiven::value).hasSize(80).containsOnly(-0.1);
        assertThat(ends()).allMatch(RunEnded::truncated);
        isToldAlike(run);
    }

    @Test
    void passReward_isThatOfTheNewReward() {
        Cli run = run("--error-rate", "0", "--reward", "exact,brevity=-0.1", "--pass-reward", "0.8");
        assertThat(run.out()).contains("\"solved\":80");

        assertThat(run("--error-rate", "0", "--reward", "exact,brevity=-0.1").out())
                .contains("\"solved\":0");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "throw | 60s | probe: java.lang.IllegalStateException: no judge",
                "throw oddly | 60s | probe: dev.rlm.runner.reward.ProbeReward$OddException",
                "overflow | 60s | probe: java.lang.StackOverflowError",
                "NaN | 60s | probe: NaN",
                "wait | 50ms | probe: it took longer than 50.0ms",
            })
    void reward_thatCannotBeComputed_isAbsent(String does, String limit, String reason) {
        Cli run = run(
                "--samples",
                "2",
                "--error-rate",
                "0",
                "--reward",
                "exact,probe=0.5",
                "--reward-timeout",
                limit,
                "--set",
                "probe.does=" + does);

        assertThat(run.exitCode()).isZero();
        assertThat(rewards()).hasSize(8).allSatisfy(reward -> {
            assertThat(reward.isAbsent()).isTrue();
            assertThat(reward.absence()).isEqualTo(reason);
        });
        assertThat(ends()).allSatisfy(end -> {
            assertThat(end.status().code()).isEqualTo(RunStatus.SCORE_INVALID);
            assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
            assertThat(end.solved()).isFalse();
        });
        assertThat(run.out()).contains("\"mean_reward\":null", "\"runs_without_usable_reward\":8");
        isToldAlike(run);
    }

    @Test
    void reward_thatIsInfinite_isAValueButInNoSum() {
        Cli run = run("--samples", "1", "--error-rate", "0", "--reward", "probe", "--set", "probe.does=Infinity");

        assertThat(ends()).hasSize(4).allSatisfy(end -> {
            assertThat(end.solved()).isTrue();
            assertThat(end.totalReward()).isZero();
            assertThat(end.absentRewards()).isZero();
        });
        isToldAlike(run);
        run("--samples", "1", "--error-rate", "0", "--reward", "exact,probe=0", "--set", "probe.does=Infinity");
        assertThat(rewards()).extracting(RewardGiven::value).containsOnly(1.0);
    }

    @Test
    void stepReward_isGivenToEachStepBesideTheEnvironments() {
        Cli run = run("--error-rate", "0.9", "--step-reward", "tool_error=-0.3,step=-0.01");

        List<StepEnded> calculated = KeptSinkProvider.events(StepEnded.class).stream()
                .filter(step -> step.actionType().equals("calculator"))
                .toList();
        assertThat(calculated)
                .filteredOn(step -> !step.success())
                .isNotEmpty()
                .allSatisfy(step -> assertThat(step.reward()).isEqualTo(-0.1 - 0.31, within(1e-12)));
        assertThat(calculated)
                .filteredOn(StepEnded::success)
                .isNotEmpty()
                .allSatisfy(step -> assertThat(step.reward()).isEqualTo(-0.01));
        assertThat(rewards())
                .filteredOn(reward -> reward.source().equals("step_reward"))
                .allMatch(reward -> reward.startNanos() == reward.nanos())
                .allMatch(reward -> reward.step() != RunEvent.NO_STEP)
                .extracting(RewardGiven::value)
                .containsOnly(-0.31, -0.01);
        isToldAlike(run);
    }

    @Test
    void stepReward_ofAPlugIn_isTimed() {
        Cli run = run("--samples", "1", "--error-rate", "0", "--step-reward", "probe=0.5", "--set", "probe.does=nap");

        List<RewardGiven> own = rewards().stream()
                .filter(reward -> reward.source().equals("step_reward"))
                .toList();
        assertThat(own)
                .hasSameSizeAs(KeptSinkProvider.events(StepEnded.class))
                .allMatch(reward -> reward.value() == 0.5)
                .allMatch(reward -> reward.nanos() - reward.startNanos() >= 2_000_000);
        isToldAlike(run);
    }

    @Test
    void timeLimitOfTheRun_endsItWhileItsRewardIsComputed() {
        Cli run = run("--samples=1", "--error-rate=0", "--timeout=2s", "--reward=probe", "--set=probe.does=wait");

        assertThat(ends()).hasSize(4).allSatisfy(end -> {
            assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(end.status().message()).isEqualTo("the run took longer than 2.0 s");
            assertThat(end.absentRewards()).isEqualTo(1);
        });
        isToldAlike(run);
    }

    @Test
    void timeLimitOfSteps_isNotForTheirRewards() {
        Cli run = run(
                "--samples=1",
                "--error-rate=0",
                "--max-steps=1",
                "--step-timeout=1s",
                "--reward-timeout=1500ms",
                "--step-reward=probe",
                "--set=probe.does=wait");

        assertThat(ends()).hasSize(4).allSatisfy(end -> {
            assertThat(end.outcome()).isEqualTo(Outcome.COMPLETED);
            assertThat(end.status().code()).isEqualTo(RunStatus.SCORE_INVALID);
        });
        isToldAlike(run);
    }

    @Test
    void timeLimits_racingRewards_areToldAlike() {
        for (String option : List.of("--reward", "--step-reward")) {
            Cli run = run(
                    "--samples=100",
                    "--timeout=4ms",
                    "--step-timeout=3ms",
                    "--reward-timeout=3ms",
                    option + "=probe,exact",
                    "--set=probe.does=nap");

            assertThat(ends()).hasSize(400);
            isToldAlike(run);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--reward=exact=NaN | --reward 'exact=NaN' is not valid: expected NAME or NAME=WEIGHT with a finite number,"
                        + " such as exact=1.0",
                "--reward=exact=1e999 | --reward 'exact=1e999' is not valid",
                "--reward=exact=0x1 | --reward 'exact=0x1' is not valid",
                "--reward=exact=,format | --reward 'exact=' is not valid",
                "--reward= | --reward '' is not valid",
                "--reward==1 | --reward '=1' is not valid",
                "--step-reward=step,step=2 | --step-reward names 'step' twice",
                "--reward=exakt | unknown reward 'exakt': known are exact, format, brevity, environment, tool_error, step,"
                        + " probe",
                "--step-reward=environment | --step-reward environment is not valid",
                "--reward-timeout=0s | --reward-timeout=0 is not valid",
                "--set=probe.does=1 | --set probe.does is for nothing that was chosen",
                "--set=exact.a=1 --reward=exact | --set exact.a is unknown: 'exact' has no settings",
            })
    void options_thatAreNotValid_areToldInOneLine(String options, String message) {
        Cli run = run(options.split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines()).hasSize(1);
        assertThat(run.err()).startsWith("rlm: " + message);
    }

    /** What the runner says of a job is what the record says. */
    private void isToldAlike(Cli run) {
        List<RunEnded> own = ends().stream()
                .filter(end -> end.outcome() == Outcome.COMPLETED || end.outcome() == Outcome.FAILED)
                .toList();
        double total = own.stream().mapToDouble(RunEnded::totalReward).sum();
        assertThat(run.out())
                .contains("\"failed\":" + count(own, end -> end.outcome() == Outcome.FAILED) + ",")
                .contains("\"solved\":" + count(own, RunEnded::solved) + ",")
                .contains("\"runs_without_usable_reward\":" + count(own, end -> end.absentRewards() > 0));
        String said = run.out().replaceFirst("(?s).*?\"total_reward\":([^,]+),.*", "$1");
        assertThat(Double.parseDouble(said)).isEqualTo(total, within(1e-6));
    }

    private static long count(List<RunEnded> ends, Predicate<RunEnded> of) {
        return ends.stream().filter(of).count();
    }

    private static Cli run(String... options) {
        List<String> all = new ArrayList<>(List.of("run", "--json"));
        all.addAll(Arrays.asList(options));
        return Cli.run(all.toArray(String[]::new));
    }

    private String id(RunEvent event) {
        return event.run().runId();
    }

    private static List<RunEnded> ends() {
        return KeptSinkProvider.events(RunEnded.class);
    }

    private static List<RewardGiven> rewards() {
        return KeptSinkProvider.events(RewardGiven.class);
    }
}
