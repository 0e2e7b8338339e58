package dev.rlm.sinks.otel.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.otel.Rig;
import dev.rlm.sinks.otel.backend.OtlpHistogram;
import dev.rlm.sinks.otel.backend.OtlpNumber;
import dev.rlm.sinks.otel.backend.OtlpPoint;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether the distribution of rewards is that of the events. */
@ParameterizedClass
@ValueSource(strings = {Rig.GRPC, Rig.HTTP})
class RewardMetricsTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 3;
    private static final int REWARDS = 500;

    private final String protocol;

    RewardMetricsTest(String protocol) {
        this.protocol = protocol;
    }

    @ParameterizedTest
    @ValueSource(strings = {"cumulative", "delta"})
    void histogram_ofManyRunsAtOnce_isThatOfTheEvents(String temporality) throws IOException {
        try (Rig rig = Rig.by(protocol, Map.of("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", temporality))) {
            for (int round = 0; round < ROUNDS; round++) {
                int seed = round;
                CompletableFuture.allOf(IntStream.range(0, THREADS)
                                .mapToObj(thread -> CompletableFuture.runAsync(() -> give(rig, thread, seed)))
                                .toArray(CompletableFuture[]::new))
                        .join();
                rig.flush();
            }

            for (int thread = 0; thread < THREADS; thread++) {
                Map<String, Object> labels = Map.of("environment", "env-" + thread % 2, "model", "m-" + thread / 2);
                List<OtlpHistogram> all = rig.receiver().histograms("rlm.reward").stream()
                        .filter(point -> point.attributes().equals(labels))
                        .toList();
                assertThat(all).hasSize(ROUNDS);
                isTheDistribution(
                        temporality.equals("delta") ? all : all.subList(ROUNDS - 1, ROUNDS), rewardsOf(thread));
            }
        }
    }

    private static void give(Rig rig, int thread, int seed) {
        RunSpec spec =
                RunSpec.builder("env-" + thread % 2).model("m-" + thread / 2).build();
        try (Run run = rig.sinks().startRun(spec)) {
            Arrays.stream(rewards(thread, seed)).forEach(run::reward);
            run.complete("");
        }
    }

    private static double[] rewards(int thread, int seed) {
        return new Random(31L * thread + seed).doubles(REWARDS, -3, 3).toArray();
    }

    private static double[] rewardsOf(int thread) {
        return IntStream.range(0, ROUNDS)
                .mapToObj(seed -> rewards(thread, seed))
                .flatMapToDouble(Arrays::stream)
                .toArray();
    }

    private static void isTheDistribution(List<OtlpHistogram> parts, double[] rewards) {
        assertThat(parts.stream().mapToLong(OtlpHistogram::count).sum()).isEqualTo(rewards.length);
        assertThat(parts.stream().mapToDouble(OtlpHistogram::sum).sum())
                .isCloseTo(Arrays.stream(rewards).sum(), within(1e-6));
        List<Double> bounds = parts.get(0).bounds();
        for (int i = 0; i < bounds.size(); i++) {
            int buckets = i + 1;
            double bound = bounds.get(i);
            long atMost = parts.stream()
                    .flatMapToLong(part -> part.counts().stream().limit(buckets).mapToLong(Long::longValue))
                    .sum();
            assertThat(atMost)
                    .as("at most %s", bound)
                    .isEqualTo(Arrays.stream(rewards)
                            .filter(reward -> reward <= bound)
                            .count());
        }
    }

    @Test
    void rewards_thatAreNoNumbers_areCountedApart() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("r")) {
                run.reward(Double.NaN);
                run.rewardAbsent("judge", "time-out");
                run.reward(Double.POSITIVE_INFINITY);
                run.reward(Double.NEGATIVE_INFINITY);
                run.reward(0.5);
                run.complete("");
            }
            rig.flush();

            List<OtlpNumber> excluded = rig.receiver().numbers("rlm.reward.excluded");
            assertThat(excluded)
                    .extracting(OtlpPoint::attributes, OtlpNumber::value)
                    .containsExactlyInAnyOrder(
                            tuple(Map.of("environment", "calc", "model", "", "reason", "absent"), 2L),
                            tuple(Map.of("environment", "calc", "model", "", "reason", "infinite"), 2L));
            assertThat(rig.receiver().histograms("rlm.reward"))
                    .singleElement()
                    .returns(1L, OtlpHistogram::count)
                    .returns(0.5, OtlpHistogram::sum);
        }
    }

    @Test
    void totalsOfRuns_areAHistogramOfTheirOwn() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("fair")) {
                run.reward(-0.5);
                run.reward(-0.75);
                run.complete("");
            }
            try (Run run = rig.startRun("failed")) {
                run.reward(2);
                run.fail(new IllegalStateException("boom"));
            }
            try (Run run = rig.startRun("never rewarded")) {
                run.complete("");
            }
            try (Run run = rig.startRun("absent")) {
                run.reward(1);
                run.rewardAbsent("judge", "time-out");
                run.complete("");
            }
            rig.startRun("aborted").close();
            rig.sinks().reward("fair", "judge", 5, List.of()); // its total has been measured
            rig.flush();

            OtlpHistogram totals =
                    only(rig.receiver().histograms("rlm.run_reward").stream().toList());
            assertThat(totals.attributes()).isEqualTo(Map.of("environment", "calc", "model", ""));
            assertThat(totals.count()).isEqualTo(2); // a run without a reward has no total
            assertThat(totals.sum()).isEqualTo(0.75);
            assertThat(totals.bounds())
                    .isEqualTo(rig.receiver().histograms("rlm.reward").get(0).bounds());
        }
    }

    @Test
    void components_andNumbersOfRuns_areMeasuredByName() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("r")) {
                run.reward("tests", 1, List.of(new RewardComponent("accuracy", 0.5, 2, null)));
                run.reward("judge", 1, List.of(new RewardComponent("accuracy", -2, 1, null)));
                run.reward("judge", 1, List.of(new RewardComponent("accuracy", Double.NaN, 1, null)));
                run.metric("turns", 3);
                run.metric("lost", Double.NaN);
                run.complete("");
            }
            try (Run run = rig.startRun("aborted")) {
                run.metric("turns", 5);
                run.abort("stopped");
            }
            rig.flush();

            assertThat(rig.receiver().histograms("rlm.reward.component"))
                    .extracting(OtlpPoint::attributes, OtlpHistogram::count, OtlpHistogram::sum)
                    .containsExactlyInAnyOrder(
                            tuple(named("source", "tests", "name", "accuracy"), 1L, 0.5),
                            tuple(named("source", "judge", "name", "accuracy"), 1L, -2.0));
            assertThat(rig.receiver().histograms("rlm.run.metric"))
                    .extracting(OtlpPoint::attributes, OtlpHistogram::count, OtlpHistogram::sum)
                    .containsExactly(tuple(named("name", "turns"), 1L, 3.0));
        }
    }

    private static Map<String, Object> named(String... labels) {
        Map<String, Object> all = new HashMap<>(Map.of("environment", "calc", "model", ""));
        for (int i = 0; i < labels.length; i += 2) {
            all.put(labels[i], labels[i + 1]);
        }
        return all;
    }

    @Test
    void names_beyondTheLimit_shareOne() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("r")) {
                for (int i = 0; i < 60; i++) {
                    run.metric("score_" + i, 1);
                    run.reward("judge-" + i, 1, List.of(new RewardComponent("accuracy", 1, 1, null)));
                }
                run.complete("");
            }
            rig.flush();

            assertThat(rig.receiver().histograms("rlm.run.metric"))
                    .hasSize(51)
                    .filteredOn(point -> point.attributes().equals(named("name", "(other)")))
                    .singleElement()
                    .returns(10L, OtlpHistogram::count);
            assertThat(rig.receiver().histograms("rlm.reward.component"))
                    .hasSize(51)
                    .filteredOn(point -> point.attributes().equals(named("source", "(other)", "name", "(other)")))
                    .singleElement()
                    .returns(10L, OtlpHistogram::count);
        }
    }

    private static OtlpHistogram only(List<OtlpHistogram> points) {
        assertThat(points).hasSize(1);
        return points.get(0);
    }

    @Test
    void sum_beyondAllNumbers_staysFinite() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            try (Run run = rig.startRun("r")) {
                run.reward(Double.MAX_VALUE);
                run.reward(Double.MAX_VALUE);
                run.complete("");
            }
            rig.flush();

            assertThat(rig.receiver().histograms("rlm.reward").get(0).sum()).isEqualTo(Double.MAX_VALUE);
            assertThat(rig.span("rlm.run").attributes())
                    .containsEntry("rlm.left_out", List.of("rlm.total_reward=Infinity"));
        }
    }

    @Tag("thorough")
    @Test
    void series_beyondTheLimit_shareOne() throws IOException {
        try (Rig rig = Rig.by(protocol)) {
            for (int i = 0; i < 2_010; i++) {
                try (Run run = rig.sinks().startRun(RunSpec.builder("env-" + i).build())) {
                    run.reward(1);
                    run.complete("");
                }
            }
            rig.flush();

            List<OtlpHistogram> points = rig.receiver().histograms("rlm.reward");
            assertThat(points).hasSize(2_000);
            assertThat(points)
                    .filteredOn(point -> point.attributes().equals(Map.of("otel.metric.overflow", true)))
                    .singleElement()
                    .returns(11L, OtlpHistogram::count);
            assertThat(points.stream().mapToLong(OtlpHistogram::count).sum()).isEqualTo(2_010);
        }
    }
}
