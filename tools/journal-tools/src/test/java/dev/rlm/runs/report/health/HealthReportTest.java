package dev.rlm.runs.report.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.runs.health.HealthRule;
import dev.rlm.runs.report.Recorded;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Correlation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Faults of trainings, as {@code rlm report --health} finds them. */
class HealthReportTest {
    private static final int SEEDS = 3;
    private static final int HEALTHY = 20;
    private static final Set<HealthRule> OF_SINGLE_RUNS = Set.of(
            HealthRule.ENTROPY_COLLAPSE,
            HealthRule.GARBLED_OUTPUT,
            HealthRule.TRUNCATION,
            HealthRule.JUDGE_ABSENT,
            HealthRule.TOOL_FAILING,
            HealthRule.RETRIES);

    /** Rules that look at what the runs tell alone. */
    private static final Set<HealthRule> OF_THE_RECORD = Set.of(
            HealthRule.SLOW_TRAINING,
            HealthRule.GARBLED_OUTPUT,
            HealthRule.TRUNCATION,
            HealthRule.GROUPS_WITHOUT_SIGNAL,
            HealthRule.CEILING,
            HealthRule.DOMINANT_PART,
            HealthRule.JUDGE_ABSENT,
            HealthRule.JUDGE_DRIFT,
            HealthRule.TOOL_FAILING,
            HealthRule.RETRIES,
            HealthRule.ENTROPY_COLLAPSE);

    @TempDir
    Path directory;

    private Recorded recorded() {
        return new Recorded(directory);
    }

    private JsonNode health(HealthRule fault, long seed, boolean withNumbers) {
        new SyntheticTraining(directory, fault, seed).record(withNumbers);
        return recorded().json("--health");
    }

    private static JsonNode finding(JsonNode report, HealthRule rule) {
        return report.path("health")
                .valueStream()
                .filter(finding -> finding.path("rule").asString().equals(rule.word()))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> found(JsonNode report) {
        return report.path("health")
                .valueStream()
                .filter(finding -> finding.path("verdict").asString().equals("found"))
                .map(JsonNode::toString)
                .toList();
    }

    static Stream<Arguments> faults() {
        return Stream.of(HealthRule.values())
                .filter(rule -> rule != HealthRule.LOST_EVENTS) // of no training
                .flatMap(rule -> IntStream.rangeClosed(1, SEEDS).mapToObj(seed -> Arguments.of(rule, seed)));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void fault_isFound_withRunsThatShowIt(HealthRule fault, int seed) {
        JsonNode report = health(fault, seed, true);

        JsonNode finding = finding(report, fault);
        assertThat(finding.path("verdict").asString()).as(report.toString()).isEqualTo("found");
        assertThat(finding.path("figures").size()).isPositive();
        assertThat(finding.path("advice").asString()).isEqualTo(fault.advice());
        assertThat(finding.path("runs").valueStream().map(JsonNode::asString))
                .isNotEmpty()
                .allSatisfy(run -> assertThat(run)
                        .matches(
                                OF_SINGLE_RUNS.contains(fault)
                                        ? "faulty-step\\d+-.*"
                                        : "step\\d+-.*|validation\\d+-.*"));
    }

    static Stream<HealthRule> faultsOfTheRecord() {
        return OF_THE_RECORD.stream();
    }

    @ParameterizedTest
    @MethodSource("faultsOfTheRecord")
    void fault_isFound_inTheRecordAlone(HealthRule fault) {
        JsonNode report = health(fault, 2, false);
        assertThat(finding(report, fault).path("verdict").asString())
                .as(report.toString())
                .isEqualTo("found");
        assertThat(finding(report, HealthRule.KL_EXPLOSION).path("verdict").asString())
                .isEqualTo("unknown");
        assertThat(finding(report, HealthRule.KL_EXPLOSION).path("needs").asString())
                .isEqualTo("ppo_kl");
    }

    static IntStream healthy() {
        return IntStream.range(100, 100 + HEALTHY);
    }

    @ParameterizedTest
    @MethodSource("healthy")
    void healthyTraining_givesNoAlarm(int seed) {
        new SyntheticTraining(directory, null, seed).record(true);
        JsonNode report = recorded().json("--health", "--fail-on", "any"); // which fails where it ends with 1
        assertThat(found(report)).isEmpty();
        assertThat(report.path("criteria")
                        .valueStream()
                        .map(criterion -> criterion.path("met").asString()))
                .hasSize(8)
                .doesNotContain("unknown");
    }

    @Test
    void finding_isTold_withWhatToDo_andFailsWhereThatIsAskedFor() {
        new SyntheticTraining(directory, HealthRule.TOOL_FAILING, 1).record(true);

        Cli report = recorded().report("--health");
        assertThat(report.exitCode()).isZero();
        assertThat(report.out())
                .containsPattern("tool failing +found +tool calculator, share ")
                .containsSubsequence("TOOL FAILING", "what to do: look at the tool's errors", "runs: faulty-step")
                .containsSubsequence("CRITERIA OF HEALTH", "clipped share", "met");
        assertThat(recorded().report("--health", "--markdown").out())
                .contains("### Health", "| tool failing | found |");
        assertThat(recorded().report("--health", "--csv").out())
                .startsWith("rule,verdict,needs,figures\r\n")
                .contains("\r\ntool_failing,found,,\"tool calculator, share ");
        assertThat(recorded()
                        .report("--health", "--fail-on", "retries,kl-explosion")
                        .exitCode())
                .isZero();
        assertThat(recorded()
                        .report("--health", "--fail-on", "retries", "--fail-on", "tool-failing")
                        .exitCode())
                .isEqualTo(1);
        Cli gate = recorded().report("--health", "--fail-on", "any");
        assertThat(gate.out()).startsWith(report.out());
        assertThat(gate.out().substring(report.out().length()))
                .startsWith("--fail-on: found tool_failing tool calculator, share ")
                .hasLineCount(1);
        Cli json = recorded().report("--health", "--fail-on", "any", "--json");
        assertThat(json.err()).startsWith("rlm: --fail-on: found tool_failing tool calculator, share ");
        assertThat(new ObjectMapper().readTree(json.out()).has("health")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--fail-on kl-explosion,oscillation | 1 of 1 runs and 0 reports of numbers of training in |"
                        + " ; kl_explosion needs ppo_kl",
                "--model none --fail-on any | 0 of 1 runs and 0 reports | no_convergence needs 20 steps with a reward;",
                "--model none --fail-on any --json | 0 of 1 runs and 0 reports | ; 12 more",
            })
    void gateThatLookedAtNothing_cannotTell(String options, String what, String why) {
        recorded().completed("m", "sample", 1);

        Cli gate = recorded().report(("--health " + options).split(" "));

        assertThat(gate.exitCode()).isEqualTo(2);
        assertThat(gate.err().lines())
                .singleElement()
                .asString()
                .startsWith("rlm: --fail-on: nothing was looked at: " + what)
                .contains(why);
        assertThat(recorded()
                        .report("--health", "--fail-on", "kl-explosion,retries,lost-events")
                        .exitCode())
                .isZero(); // one of them could tell
    }

    @Test
    void emptyTraining_cannotBeTold() {
        recorded().completed("m", "sample", 1, 0);
        Cli report = recorded().report("--health");
        assertThat(report.out())
                .containsPattern("kl explosion +cannot be told +needs ppo_kl")
                .contains("runs tell no train step");
        JsonNode json = recorded().json("--health");
        assertThat(json.path("health")
                        .valueStream()
                        .map(finding -> finding.path("verdict").asString())
                        .distinct())
                .containsExactlyInAnyOrder("unknown", "clear"); // of two rewards that are there, and of losses
        assertThat(json.path("steps").asString()).isEqualTo("order");
    }

    @Test
    void nameOfOnesOwn_isRecognised_byItsLabel() {
        try (Sinks sinks = recorded().open()) {
            for (int step = 0; step < 20; step++) {
                sinks.metrics("trainer", Map.of("step", step, "drift", 0.01 + 0.02 * step, "cut", 0.001 * step));
            }
        }
        String labels = "drift=KL divergence of the update,cut=Clipped share";
        assertThat(with(Map.of()).out()).containsPattern("kl explosion +cannot be told");
        assertThat(with(Map.of("RLM_METRIC_LABELS", labels)).out()).containsPattern("kl explosion +found");
    }

    private Cli with(Map<String, String> variables) {
        return Cli.with(variables, "report", "--health", "--journal", directory.toString());
    }

    /** Reports numbers, of which each is a function of the step. */
    private void report(int steps, Map<String, IntToDoubleFunction> numbers) {
        try (Sinks sinks = recorded().open()) {
            for (int step = 0; step < steps; step++) {
                Map<String, Double> values = new HashMap<>(Map.of("global_step", (double) step));
                int at = step;
                numbers.forEach((name, value) -> values.put(name, value.applyAsDouble(at)));
                sinks.metrics("trainer", values);
            }
        }
    }

    @Test
    void truncation_isThatOfPrompts_whereMoreOfThemAreCut() {
        report(12, Map.of("response_length/clip_ratio", step -> 0.01, "prompt_length/clip_ratio", step -> 0.3));

        JsonNode report = recorded().json("--health");

        JsonNode finding = finding(report, HealthRule.TRUNCATION);
        assertThat(finding.path("verdict").asString()).isEqualTo("found");
        assertThat(finding.at("/figures/of").asString()).isEqualTo("prompts");
        assertThat(finding.at("/figures/share_last").asDouble()).isEqualTo(0.3);
        assertThat(report.path("criteria")
                        .valueStream()
                        .filter(criterion ->
                                criterion.path("criterion").asString().equals("truncated_share"))
                        .map(criterion -> criterion.path("met").asString()))
                .containsExactly("missed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0.67 0.67 0.67 0 0 | found",
                "0.67 0.5 0.33 0.17 0 | found",
                "0.2 0.5 0.67 0.6 0.65 0.67 0.3 0.1 0 | found",
                "0.67 0.67 0.67 0.67 0 | unknown",
                "0.6 0.66 0.2 0.67 0.1 0.6 0 | unknown",
                "0.6 0.64 0.67 0.61 0.66 | clear",
                "0.2 0.3 0.5 0.6 0.67 | clear",
            })
    void validationThatFell_isNotClear(String rewards, String verdict) {
        double[] values =
                Stream.of(rewards.split(" ")).mapToDouble(Double::parseDouble).toArray();
        report(values.length, Map.of("val-core/math/reward/mean@1", step -> values[step]));

        JsonNode finding = finding(recorded().json("--health"), HealthRule.VALIDATION_COLLAPSE);

        assertThat(finding.path("verdict").asString()).as(finding.toString()).isEqualTo(verdict);
        assertThat(finding.path("needs").isNull()).isEqualTo(!verdict.equals("unknown"));
    }

    /** Two of three validation runs are solved, and none at the end; the reward in training falls as well. */
    @Test
    void validationOfAFewRunsThatFell_isNotClear() {
        try (Sinks sinks = recorded().open()) {
            for (int step = 0; step < 12; step++) {
                for (int run = 0; run < 3; run++) {
                    double reward = step < 6 && run < 2 ? 1 : 0;
                    complete(sinks, "validation", step, run, reward);
                    complete(sinks, "train", step, run, reward);
                }
            }
        }
        JsonNode finding = finding(recorded().json("--health"), HealthRule.VALIDATION_COLLAPSE);
        assertThat(finding.path("verdict").asString()).isNotEqualTo("clear");
        Cli gate = recorded().report("--health", "--fail-on=validation-collapse");
        assertThat(gate.exitCode()).as(gate.err()).isPositive();
    }

    private static void complete(Sinks sinks, String split, int step, int sample, double reward) {
        Correlation ids = Correlation.builder()
                .sample(split + sample)
                .split(split)
                .trainStep((long) step)
                .build();
        try (Run run = sinks.startRun(
                RunSpec.builder("shop").model("m").correlation(ids).build())) {
            run.reward(reward);
            run.complete(null);
        }
    }

    @ParameterizedTest
    @CsvSource({"0.3, found", "0.31, clear"})
    void bound_canBeSet(String bound, String verdict) {
        report(12, Map.of("response_length/clip_ratio", step -> 0.3));

        JsonNode report = recorded().json("--health", "--bound=slow_training=2", "--bound", "Truncation=" + bound);

        JsonNode finding = finding(report, HealthRule.TRUNCATION);
        assertThat(finding.path("verdict").asString()).isEqualTo(verdict);
        assertThat(finding.path("bound").asDouble()).isEqualTo(Double.parseDouble(bound));
        assertThat(finding(report, HealthRule.SLOW_TRAINING).path("bound").asDouble())
                .isEqualTo(2);
        assertThat(finding(report, HealthRule.CEILING).path("bound").asDouble()).isEqualTo(0.95);
        assertThat(recorded()
                        .report("--health", "--bound=truncation=" + bound, "--fail-on=truncation")
                        .out()
                        .endsWith("--fail-on: found truncation of replies, share 0.3 to 0.3, bound 0.3\n"))
                .isEqualTo(verdict.equals("found"));
    }

    @Test
    void damagedLines_areLostEvents() throws IOException {
        recorded().completed("m", "sample", 1, 0);
        try (Stream<Path> files = Files.walk(directory)) {
            Path events = files.filter(file -> file.toString().endsWith(".jsonl"))
                    .filter(file -> !file.endsWith("runs.jsonl"))
                    .findFirst()
                    .orElseThrow();
            List<String> lines = Files.readAllLines(events);
            lines.set(2, "{\"type\":");
            Files.write(events, lines);
        }
        JsonNode finding = finding(recorded().json("--health"), HealthRule.LOST_EVENTS);
        assertThat(finding.path("verdict").asString()).isEqualTo("found");
        assertThat(finding.at("/figures/damaged_lines").asInt()).isEqualTo(1);
        assertThat(finding.path("runs")).hasSize(1);
        assertThat(recorded().report("--health", "--fail-on=any").exitCode()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "--health --by=model, --health does not take --by",
        "--health --worst=2, --health does not take --worst",
        "--tokens --fail-on=any, --tokens does not take --fail-on",
        "--fail-on=any, a report of runs does not take --fail-on",
        "--bound=truncation=1, a report of runs does not take --bound",
        "--curves --bound=truncation=1, --curves does not take --bound",
        "--health --bound=truncation=-1, is not a number from 0 on",
        "--health --bound=truncation=x, is not a number from 0 on",
        "--health --bound=trunc=1, is not known: known are no_convergence",
    })
    void option_thatSaysNothing_isRefused(String options, String message) {
        Cli report = recorded().report(options.split(" ", -1));
        assertThat(report.exitCode()).isEqualTo(2);
        assertThat(report.err()).contains(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nothing", "no convergence"})
    void unknownRule_isRefused_withThoseThatAreKnown(String rule) {
        Cli report = recorded().report("--health", "--fail-on", rule);
        assertThat(report.exitCode()).isEqualTo(2);
        assertThat(report.err()).contains("'" + rule + "' is not known: known are any, no_convergence, ");
    }

    @ParameterizedTest
    @EnumSource(HealthRule.class)
    void rule_isDocumented(HealthRule rule) throws IOException {
        assertThat(Files.readString(Path.of("..", "..", "docs", "report.md"))).contains("\n| `" + rule.word() + "` | ");
    }
}
