package dev.rlm.cli.deploy;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;

import dev.rlm.cli.backend.JournalFigures;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.event.Usage;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the panels of metrics must show for a load, by its journals: for each query by name, figures by labels. */
final class ExpectedFigures {
    private static final double NEGATIVE = -0.001;
    private static final List<Double> QUANTILES = List.of(0.1, 0.5, 0.9);

    private final Map<String, Map<Map<String, String>, Bounds>> expected = new HashMap<>();
    private final JournalFigures figures;
    private final Function<String, List<Double>> buckets;

    /**
     * The figures of a load.
     *
     * @param buckets the upper bounds of a histogram's buckets, by its name in Prometheus
     */
    ExpectedFigures(JournalFigures figures, Function<String, List<Double>> buckets) {
        this.figures = figures;
        this.buckets = buckets;
        runs();
        times("step", "Step time", all(StepEnded.class), StepEnded::duration);
        times("run", "Run time", all(RunEnded.class), RunEnded::duration);
        modelCalls();
        failures();
        rewards();
        rewardsByEnvironmentAndModel();
        rewardsOfRuns();
        parts();
        runMetrics();
    }

    Map<Map<String, String>, Bounds> of(String query) {
        return Objects.requireNonNull(expected.get(query), () -> "nothing is expected of " + query);
    }

    private void runs() {
        List<RunEnded> ends = all(RunEnded.class);
        List<RunEnded> done =
                ends.stream().filter(end -> end.outcome().isOwnEnd()).toList();
        total("runs: Runs started", all(RunStarted.class).size());
        total("runs: Running now", 0);
        total("runs: Runs ended", ends.size());
        total("runs: Solved share", mean(values(done, ExpectedFigures::solved)));
        total("runs: Not completed", notCompleted().size());
        total("runs: Steps", all(StepEnded.class).size());
        sums("runs: Runs ended, by outcome", ends, ExpectedFigures::outcome, ExpectedFigures::once);
        sums("runs: Runs ended, by environment", ends, ExpectedFigures::environment, ExpectedFigures::once);
        sums("runs: Environments: started", all(RunStarted.class), ExpectedFigures::environment, ExpectedFigures::once);
        sums("runs: Environments: ended", ends, ExpectedFigures::environment, ExpectedFigures::once);
        sums("runs: Environments: steps", all(StepEnded.class), ExpectedFigures::environment, ExpectedFigures::once);
        each(
                "runs: Environments: solved",
                done,
                ExpectedFigures::environment,
                some -> Bounds.exactly(mean(values(some, ExpectedFigures::solved))));
        each("runs: Solved share over time", done, ExpectedFigures::environment, some -> new Bounds(0, 1));
    }

    private <E extends RunEvent> void times(String what, String over, List<E> events, Function<E, Duration> duration) {
        ToDoubleFunction<E> seconds = event -> duration.apply(event).toNanos() / 1e9;
        List<Double> bounds = buckets.apply("rlm_" + what + "_duration_seconds");
        double[] all = values(events, seconds);
        total("runs: Mean " + what, mean(all));
        one("runs: Median " + what, Bounds.ofQuantile(0.5, all, bounds));
        one("runs: 95 % of the " + what + "s are shorter than", Bounds.ofQuantile(0.95, all, bounds));
        each(
                "runs: " + over,
                events,
                ExpectedFigures::environmentAndModel,
                some -> Bounds.around(values(some, seconds)));
        each(
                "runs: " + over + ": B",
                events,
                ExpectedFigures::environmentAndModel,
                some -> Bounds.ofBuckets(values(some, seconds), bounds));
    }

    private void modelCalls() {
        Map<Map<String, String>, Bounds> tokens = new HashMap<>();
        List<Usage> usages =
                all(ModelCalled.class).stream().map(ModelCalled::usage).toList();
        tokens(tokens, "input", usages.stream().map(Usage::inputTokens));
        tokens(tokens, "output", usages.stream().map(Usage::outputTokens));
        expected.put("runs: Tokens", tokens);
        expected.put("runs: Tokens over time", tokens);
        sums(
                "runs: Tokens by model",
                all(ModelCalled.class).stream().filter(call -> tokens(call) > 0).toList(),
                ExpectedFigures::requestModel,
                ExpectedFigures::tokens);
        sums("runs: Model calls", all(ModelCalled.class), ExpectedFigures::requestModel, ExpectedFigures::once);
    }

    private static void tokens(
            Map<Map<String, String>, Bounds> expected, String type, Stream<? extends Number> numbers) {
        List<Double> known =
                numbers.filter(Objects::nonNull).map(Number::doubleValue).toList();
        if (!known.isEmpty()) {
            double sum = known.stream().mapToDouble(Double::doubleValue).sum();
            expected.put(Map.of("gen_ai_token_type", type), Bounds.exactly(sum));
        }
    }

    private void failures() {
        sums("runs: Runs not completed", notCompleted(), ExpectedFigures::outcome, ExpectedFigures::once);
        List<StepEnded> steps =
                all(StepEnded.class).stream().filter(step -> !step.success()).toList();
        sums("runs: Failed steps", steps, ExpectedFigures::environment, ExpectedFigures::once);
        List<ToolCalled> tools =
                all(ToolCalled.class).stream().filter(ToolCalled::failed).toList();
        sums("runs: Failed tool calls", tools, call -> Map.of("tool", call.tool()), ExpectedFigures::once);
        List<ModelCalled> calls = all(ModelCalled.class).stream()
                .filter(call -> call.error() != null)
                .toList();
        sums(
                "runs: Failed model calls",
                calls,
                call -> Map.of("error_type", "model_call_failed"),
                ExpectedFigures::once);
    }

    private void rewards() {
        double[] values = values(finite(), RewardGiven::value);
        double negative = values(negative(), ExpectedFigures::once).length;
        total("rewards: Rewards given", values.length);
        total("rewards: Mean per reward given", mean(values));
        total("rewards: Sum of the rewards", sum(values));
        total("rewards: Negative rewards", negative);
        total("rewards: Negative share", negative / values.length);
        total("rewards: Excluded rewards", excluded().size());
        sums(
                "rewards: Excluded rewards, by reason",
                excluded(),
                reward -> Map.of("reason", reward.isAbsent() ? "absent" : "infinite"),
                ExpectedFigures::once);
        expected.put("rewards: Distribution", distribution("rlm_reward", values));
        expected.put("rewards: Rewards by bucket over time, with examples", distribution("rlm_reward", values));
    }

    private void rewardsOfRuns() {
        List<RunEnded> rewarded =
                figures.all(RunEnded.class).filter(RunEnded::hasUsableReward).toList();
        double[] totals = values(rewarded, RunEnded::totalReward);
        total("rewards: Mean reward", mean(totals));
        total("runs: Mean reward", mean(totals));
        expected.put("rewards: Distribution of total rewards", distribution("rlm_run_reward", totals));
        each(
                "rewards: Environments and models: run_mean",
                rewarded,
                ExpectedFigures::environmentAndModel,
                some -> Bounds.exactly(mean(values(some, RunEnded::totalReward))));
        each(
                "runs: Environments: reward",
                rewarded,
                ExpectedFigures::environment,
                some -> Bounds.exactly(mean(values(some, RunEnded::totalReward))));
        each(
                "rewards: Mean reward over time",
                rewarded,
                ExpectedFigures::environmentAndModel,
                some -> Bounds.around(values(some, RunEnded::totalReward)));
    }

    private void parts() {
        List<Part> parts = figures.all(RewardGiven.class)
                .flatMap(reward -> reward.components().stream()
                        .map(part -> new Part(Map.of("source", reward.source(), "name", part.name()), part.value())))
                .toList();
        means("rewards: Reward components", parts);
    }

    private void runMetrics() {
        List<Part> metrics = figures.all(RunEnded.class)
                .filter(end -> end.outcome().isOwnEnd())
                .flatMap(end -> end.metrics().entrySet().stream())
                .map(metric -> new Part(Map.of("name", metric.getKey()), metric.getValue()))
                .toList();
        means("rewards: Run metrics", metrics);
    }

    private void means(String query, List<Part> parts) {
        each(query + ", mean", parts, Part::labels, some -> Bounds.exactly(mean(values(some, Part::value))));
        each(query + " over time", parts, Part::labels, some -> Bounds.around(values(some, Part::value)));
    }

    /** A component of a reward, or a number of a run. */
    private record Part(Map<String, String> labels, double value) {}

    private Map<Map<String, String>, Bounds> distribution(String histogram, double[] values) {
        return Stream.concat(buckets.apply(histogram).stream(), Stream.of(Double.POSITIVE_INFINITY))
                .collect(toMap(bound -> Map.of("le", le(bound)), bound -> Bounds.exactly(atMost(values, bound))));
    }

    private static double atMost(double[] values, double bound) {
        return Arrays.stream(values).filter(value -> value <= bound).count();
    }

    private static String le(double bound) {
        if (Double.isInfinite(bound)) {
            return "+Inf";
        }
        return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
    }

    private void rewardsByEnvironmentAndModel() {
        String table = "rewards: Environments and models: ";
        List<Double> bounds = buckets.apply("rlm_reward");
        Function<RewardGiven, Map<String, String>> labels = ExpectedFigures::environmentAndModel;
        sums(table + "rewards", finite(), labels, ExpectedFigures::once);
        sums(table + "negative", finite(), labels, reward -> reward.value() <= NEGATIVE ? 1 : 0);
        sums(table + "excluded", excluded(), labels, ExpectedFigures::once);
        each(table + "mean", finite(), labels, some -> Bounds.exactly(mean(values(some, RewardGiven::value))));
        for (double quantile : QUANTILES) {
            each(
                    table + "p" + Math.round(100 * quantile),
                    finite(),
                    labels,
                    some -> Bounds.ofQuantile(quantile, values(some, RewardGiven::value), bounds));
        }
        each(
                "rewards: Mean per reward given, over time",
                finite(),
                labels,
                some -> Bounds.around(values(some, RewardGiven::value)));
        each(
                "rewards: Median of the rewards over time, with examples",
                finite(),
                labels,
                some -> Bounds.ofBuckets(values(some, RewardGiven::value), bounds));
    }

    private <E extends RunEvent> List<E> all(Class<E> type) {
        return figures.all(type).toList();
    }

    private List<RunEnded> notCompleted() {
        return figures.all(RunEnded.class)
                .filter(end -> end.outcome() != Outcome.COMPLETED)
                .toList();
    }

    private List<RewardGiven> finite() {
        return figures.all(RewardGiven.class)
                .filter(reward -> Double.isFinite(reward.value()))
                .toList();
    }

    private List<RewardGiven> negative() {
        return finite().stream().filter(reward -> reward.value() <= NEGATIVE).toList();
    }

    private List<RewardGiven> excluded() {
        return figures.all(RewardGiven.class)
                .filter(reward -> !Double.isFinite(reward.value()))
                .toList();
    }

    private static Map<String, String> environment(RunEvent event) {
        return Map.of("environment", event.run().environment());
    }

    private static Map<String, String> environmentAndModel(RunEvent event) {
        return Map.of(
                "environment", event.run().environment(), "model", event.run().model());
    }

    private static Map<String, String> outcome(RunEnded end) {
        return Map.of("outcome", end.outcome().label());
    }

    private static Map<String, String> requestModel(ModelCalled call) {
        return Map.of("gen_ai_request_model", call.model());
    }

    private static double solved(RunEnded end) {
        return end.solved() ? 1 : 0;
    }

    private static double tokens(ModelCalled call) {
        return Stream.of(call.usage())
                .flatMap(usage -> Stream.of(usage.inputTokens(), usage.outputTokens()))
                .filter(Objects::nonNull)
                .mapToDouble(Long::doubleValue)
                .sum();
    }

    /** To count events by. */
    private static double once(RunEvent event) {
        return 1;
    }

    private void total(String query, double value) {
        one(query, Bounds.exactly(value));
    }

    private void one(String query, Bounds bounds) {
        expected.put(query, Map.of(Map.of(), bounds));
    }

    private <E> void sums(
            String query, List<E> events, Function<E, Map<String, String>> labels, ToDoubleFunction<E> value) {
        each(query, events, labels, some -> Bounds.exactly(sum(values(some, value))));
    }

    private <E> void each(
            String query, List<E> events, Function<E, Map<String, String>> labels, Function<List<E>, Bounds> bounds) {
        expected.put(
                query,
                events.stream().collect(groupingBy(labels, Collectors.collectingAndThen(Collectors.toList(), bounds))));
    }

    private static <E> double[] values(List<E> events, ToDoubleFunction<E> value) {
        return events.stream().mapToDouble(value).toArray();
    }

    private static double sum(double[] values) {
        return Arrays.stream(values).sum();
    }

    private static double mean(double[] values) {
        return sum(values) / values.length;
    }
}
