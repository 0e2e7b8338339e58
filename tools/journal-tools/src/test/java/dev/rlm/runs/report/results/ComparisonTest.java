package dev.rlm.runs.report.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.cli.testkit.Cli;
import dev.rlm.runs.report.Recorded;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.event.Correlation;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Two sides beside each other, paired by sample. */
class ComparisonTest {
    private static final double EXACT = 1e-12;

    @TempDir
    Path directory;

    @TempDir
    Path elsewhere;

    private Recorded recorded;

    @BeforeEach
    void open() {
        recorded = new Recorded(directory);
    }

    /** Of 12 samples a solves those from 2 on, b those below 5: 3 both, 7 only a, 2 only b. */
    private void recordTwelve(Recorded a, Recorded b) {
        try (Sinks as = a.open();
                Sinks bs = b.open()) {
            for (int i = 0; i < 12; i++) {
                Recorded.completed(as, "a", "s" + i, i >= 2 ? 1 : 0);
                Recorded.completed(bs, "b", "s" + i, i < 5 ? 1 : 0);
            }
        }
    }

    @Test
    void models_arePairedBySample() {
        recordTwelve(recorded, recorded);
        recorded.completed("a", "extra-1", 1);
        recorded.completed("b", "extra-2", 1);
        recorded.completed("b", "extra-3", 1);
        JsonNode report = recorded.json("--model", "a", "--against", "model=b");
        JsonNode against = report.get("against");
        assertThat(report.at("/all/runs").asInt()).isEqualTo(13);
        assertThat(against.at("/other/runs").asInt()).isEqualTo(14);
        assertThat(against.get("this_side").asString()).isEqualTo("a");
        assertThat(against.get("other_side").asString()).isEqualTo("b");
        assertThat(against.get("samples_this_side_only").asInt()).isEqualTo(1);
        assertThat(against.get("samples_other_side_only").asInt()).isEqualTo(2);
        assertVerdicts(against.get("mcnemar"), 3, 7, 2, 0, 0);
        assertThat(against.at("/mcnemar/p_value").asDouble()).isCloseTo(0.1796875, within(EXACT)); // scipy
        assertDifference(against.get("reward"), 10.0 / 12, 5.0 / 12, 12);
        assertDifference(against.get("solved_rate"), 10.0 / 12, 5.0 / 12, 12);
    }

    private static void assertDifference(JsonNode difference, double here, double there, int samples) {
        assertThat(difference.get("this_side").asDouble()).isCloseTo(here, within(EXACT));
        assertThat(difference.get("other_side").asDouble()).isCloseTo(there, within(EXACT));
        assertThat(difference.get("difference").asDouble()).isCloseTo(here - there, within(EXACT));
        assertThat(difference.get("low").asDouble()).isLessThan(here - there);
        assertThat(difference.get("high").asDouble()).isGreaterThan(here - there);
        assertThat(difference.get("samples").asInt()).isEqualTo(samples);
    }

    private static void assertVerdicts(JsonNode verdicts, int both, int here, int there, int neither, int ties) {
        assertThat(IntStream.of(both, here, there, neither, ties).boxed().toList())
                .isEqualTo(Arrays.asList("both", "this_side_only", "other_side_only", "neither", "ties").stream()
                        .map(name -> verdicts.get(name).asInt())
                        .toList());
    }

    @Test
    void journals_arePairedBySample() {
        recordTwelve(recorded, new Recorded(elsewhere));
        JsonNode against = recorded.json("--against", elsewhere.toString()).get("against");
        assertVerdicts(against.get("mcnemar"), 3, 7, 2, 0, 0);
        assertThat(against.get("this_side").asString()).isEqualTo(directory.toString());
        assertThat(against.at("/other/journal").asString()).isEqualTo(elsewhere.toString());
        assertThat(recorded.report("--against", elsewhere.toString()).out())
                .contains("this side: " + directory + "; other side: " + elsewhere + ", 12 runs")
                .contains("McNemar's exact test, two-sided: p = 0.180");
    }

    @Test
    void sideThatIsSurelyWorse_failsWhereThatIsAskedFor() {
        recordTwelve(recorded, recorded);
        try (Sinks sinks = recorded.open()) {
            for (int i = 0; i < 12; i++) {
                Recorded.completed(sinks, "far-worse", "s" + i, 0);
            }
        }
        String[] worse = {"--model", "far-worse", "--against", "model=a", "--markdown"};
        assertThat(recorded.report(worse).exitCode()).isZero();
        assertThat(recorded.report(with(worse, "--fail-on=worse")).exitCode()).isEqualTo(1);
        assertThat(recorded.report(with(worse, "--fail-on=worse")).out()).contains("## Comparison");
        for (String better : List.of("--model a --against model=far-worse", "--model b --against model=a")) {
            assertThat(recorded.report(with(better.split(" "), "--fail-on=worse"))
                            .exitCode())
                    .as(better + ": better, or not surely worse")
                    .isZero();
        }
        assertThat(recorded.report(with(worse, "--fail-on=retries")).err()).contains("rules are for --health");
        assertThat(recorded.report("--health", "--fail-on=worse").err()).contains("worse is for --against");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--json", "--csv", "--markdown"})
    void gateThatFails_tellsLastWhatIsWorseAndByHowMuch(String form) {
        recordTwelve(recorded, recorded);
        try (Sinks sinks = recorded.open()) {
            for (int i = 0; i < 12; i++) {
                Recorded.completed(sinks, "far-worse", "s" + i, 0);
            }
        }
        Cli gate = recorded.report(Stream.of("--model far-worse --against model=a --fail-on worse " + form)
                .flatMap(line -> Stream.of(line.strip().split(" ")))
                .toArray(String[]::new));

        assertThat(gate.exitCode()).isEqualTo(1);
        boolean forPrograms = form.equals("--json") || form.equals("--csv");
        assertThat((forPrograms ? gate.err() : gate.out()).lines().reduce("", (before, line) -> line))
                .startsWith(forPrograms ? "rlm: --fail-on=worse: " : "--fail-on=worse: ")
                .contains(
                        "far-worse is worse than a: reward 0 against 0.8333, difference -0.8333 (95 % interval -1 to -0.")
                .contains("; solved rate 0 against 0.8333, difference -0.8333 (95 % interval")
                .endsWith(", 12 samples)");
        if (form.equals("--json")) {
            assertThat(new ObjectMapper().readTree(gate.out()).has("against")).isTrue();
        }
    }

    @Test
    void gateOfFewSamples_saysThatItsIntervalIsNarrow() {
        recorded.completed("a", "s1", 1);
        recorded.completed("a", "s2", 1);
        recorded.completed("b", "s1", 0);
        recorded.completed("b", "s2", 0);
        Cli gate = recorded.report("--model", "b", "--against", "model=a", "--fail-on=worse");
        assertThat(gate.exitCode()).isEqualTo(1);
        assertThat(gate.out()).endsWith(", 2 samples, so few that it is too narrow)\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--model none --against model=a | this side (none) has 0 runs of 0 samples, the other (a) has 2 runs of 2 samples:"
                        + " choose runs that there are, which rlm list shows",
                "--model a --against model=none | this side (a) has 2 runs of 2 samples, the other (none) has 0 runs",
                "--model none --against model=none-either | this side (none) has 0 runs of 0 samples",
                "--model a --against model=b | none of the samples is on both sides; the same sample has the same"
                        + " environment, split and id, as shop/s1 here and shop/t1 there have not",
                "--model a --against model=without | the other (without) has 1 run of 0 samples: runs are paired by their sample",
                "--model a --against model=one | 1 sample is on both sides, and an interval takes two that have a reward",
                "--model a --against model=none --json | the other (none) has 0 runs of 0 samples",
            })
    void gateThatComparedNothing_cannotTell(String options, String why) {
        recorded.completed("a", "s1", 1);
        recorded.completed("a", "s2", 0);
        recorded.completed("b", "t1", 1);
        recorded.record(RunSpec.builder("shop").model("without"), run -> {
            run.reward(1);
            run.complete(null);
        });
        recorded.completed("one", "s1", 1);

        Cli gate = recorded.report(with(options.split(" "), "--fail-on=worse"));

        assertThat(gate.exitCode()).as(gate.out()).isEqualTo(2);
        assertThat(gate.err().lines())
                .singleElement()
                .asString()
                .startsWith("rlm: --fail-on=worse: nothing was compared: this side (")
                .contains(why);
        assertThat(recorded.report(options.split(" ")).exitCode()).isZero();
        if (options.endsWith("--json")) {
            assertThat(new ObjectMapper().readTree(gate.out()).has("against")).isTrue();
        }
    }

    @Test
    void gateOnAJournalWithoutRuns_cannotTell() {
        recorded.completed("a", "s1", 1);
        Recorded other = new Recorded(elsewhere);
        try (Sinks sinks = other.open()) {
            sinks.metrics("trainer", Map.of("global_step", 1.0));
        }

        Cli gate = other.report("--against", directory.toString(), "--fail-on=worse");

        assertThat(gate.exitCode()).isEqualTo(2);
        assertThat(gate.err()).contains("this side (" + elsewhere + ") has 0 runs of 0 samples, the other");
    }

    private static String[] with(String[] options, String more) {
        return Stream.concat(Stream.of(options), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void tags_tellSidesApart() {
        for (String prompt : new String[] {"old", "new"}) {
            recorded.record(Recorded.spec("a", "s1").tag("prompt", prompt), run -> {
                run.reward(prompt.equals("new") ? 1 : 0);
                run.complete(null);
            });
        }
        JsonNode against = recorded.json("--tag", "prompt=new", "--against", "tag=prompt=old")
                .get("against");
        assertThat(against.at("/reward/difference").asDouble()).isEqualTo(1);
        assertThat(against.at("/reward/low").isNull()).isTrue(); // one sample tells nothing of how sure it is
        assertThat(against.get("other_side").asString()).isEqualTo("prompt=old");
    }

    private static void completed(Sinks sinks, String sample, int version, double reward) {
        Correlation ids = Correlation.builder()
                .sample(sample)
                .policyVersion("v" + version)
                .trainStep(10L * version)
                .epoch(version)
                .experiment("e" + version)
                .trajectoryIndex(version)
                .invocation("i" + version)
                .rollout("r" + version)
                .build();
        try (Run run = sinks.startRun(
                RunSpec.builder("shop").model("m").correlation(ids).build())) {
            run.reward(reward);
            run.complete(null);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--policy-version=v3 | policy-version=v2 | policy-version=v3 | policy-version=v2",
                "--train-step=30 | train-step=11..20 | train-step=30 | train-step=11..20",
                "--epoch=3 --env shop | epoch=2 | environment=shop, epoch=3 | environment=shop, epoch=2",
                "--experiment=e3 | experiment=e2 | experiment=e3 | experiment=e2",
                "--trajectory-index=3 | trajectory-index=2 | trajectory-index=3 | trajectory-index=2",
                "--invocation=i3 | invocation=i2 | invocation=i3 | invocation=i2",
                "--rollout=r3 | rollout=r2 | rollout=r3 | rollout=r2",
                "--reward=0 --epoch 3 | reward=1 epoch=2 | epoch=3, reward=0 | epoch=2, reward=1",
                "--no-solved --epoch 3 | solved epoch=2 | epoch=3, no-solved | epoch=2, solved",
            })
    void anyFilter_tellsSidesApart(String options, String others, String name, String otherName) {
        try (Sinks sinks = recorded.open()) {
            for (int i = 0; i < 12; i++) {
                completed(sinks, "s" + i, 1, i % 2);
                completed(sinks, "s" + i, 2, 1);
                completed(sinks, "s" + i, 3, 0);
            }
        }
        String[] sides = Stream.concat(
                        Stream.of(options.split(" ")),
                        Stream.of(others.split(" ")).map(other -> "--against=" + other))
                .toArray(String[]::new);

        JsonNode against = recorded.json(sides).get("against");

        assertThat(against.get("this_side").asString()).isEqualTo(name);
        assertThat(against.get("other_side").asString()).isEqualTo(otherName);
        assertThat(against.at("/reward/samples").asInt()).isEqualTo(12);
        assertThat(against.at("/reward/difference").asDouble()).isEqualTo(-1);
        Cli gate = recorded.report(with(sides, "--fail-on=worse"));
        assertThat(gate.exitCode()).isEqualTo(1);
        assertThat(gate.out()).contains("--fail-on=worse: " + name + " is worse than " + otherName + ": reward 0");
    }

    @Test
    void filtersAndFolder_areTakenTogether() {
        Recorded other = new Recorded(elsewhere);
        try (Sinks here = recorded.open();
                Sinks there = other.open()) {
            completed(here, "s1", 3, 0);
            completed(there, "s1", 1, 0.5);
            completed(there, "s1", 2, 1);
        }
        JsonNode against = recorded.json(
                        "--policy-version=v3", "--against", elsewhere.toString(), "--against", "policy-version=v2")
                .get("against");
        assertThat(against.get("other_side").asString()).isEqualTo(elsewhere + ", policy-version=v2");
        assertThat(against.at("/reward/difference").asDouble()).isEqualTo(-1);
    }

    @Test
    void severalRunsOfASample_areOneOutcome_byMostOfThem() {
        recorded.completed("a", "most", 1, 1, 0);
        recorded.completed("b", "most", 0, 0, 1);
        recorded.completed("a", "tie", 1, 0);
        recorded.completed("b", "tie", 1);
        recorded.completed("a", "both", 1, 1);
        recorded.completed("b", "both", 1);
        JsonNode against = recorded.json("--model", "a", "--against", "model=b").get("against");
        assertVerdicts(against.get("mcnemar"), 1, 1, 0, 0, 1);
        double here = DoubleStream.of(2.0 / 3, 0.5, 1).average().orElseThrow();
        double there = DoubleStream.of(1.0 / 3, 1, 1).average().orElseThrow();
        assertThat(against.at("/reward/difference").asDouble()).isCloseTo(here - there, within(EXACT));
    }

    @Test
    void sidesWithoutCommonSamples_areNotCompared() {
        recorded.completed("a", "s1", 1);
        recorded.completed("b", "s2", 1);
        JsonNode against = recorded.json("--model", "a", "--against", "model=b").get("against");
        assertThat(against.at("/reward/difference").isNull()).isTrue();
        assertThat(against.at("/mcnemar/p_value").isNull()).isTrue();
        assertThat(recorded.report("--model", "a", "--against", "model=b").out())
                .contains("not compared: samples on this side only 1, on the other only 1")
                .doesNotContain("McNemar");
    }
}
