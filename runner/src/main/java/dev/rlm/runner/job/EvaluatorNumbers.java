package dev.rlm.runner.job;

import dev.rlm.engine.EpisodeResult;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.schema.RunResult;
import java.time.Duration;
import java.util.DoubleSummaryStatistics;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The numbers that a job reports as an evaluator (see {@link dev.rlm.sinks.event.MetricsReported#EVALUATOR_VALUES}). */
final class EvaluatorNumbers {
    /** Category under which they are reported. */
    static final String CATEGORY = "evaluator";

    private static final Set<String> SPLITS = Set.of("validation", "test");

    private EvaluatorNumbers() {}

    /**
     * Returns them by name, and with them how far training was; none where the job is no evaluation, or no episode came to an end of
     * its own.
     *
     * @param ids what the job's runs have in common
     */
    static Map<String, Double> of(Correlation ids, List<EpisodeResult> results, Duration took) {
        List<RunResult> counted = results.stream()
                .map(EpisodeResult::counted)
                .filter(RunResult::counts)
                .toList();
        if (ids.split() == null || !SPLITS.contains(ids.split()) || counted.isEmpty()) {
            return Map.of();
        }
        Map<String, Double> numbers = progress(ids);
        numbers.put("episodes", (double) counted.size());
        DoubleSummaryStatistics returns = counted.stream()
                .map(RunResult::usableReward)
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .summaryStatistics();
        if (returns.getCount() > 0) {
            numbers.put("mean_return", returns.getAverage());
            numbers.put("max_return", returns.getMax());
            numbers.put("min_return", returns.getMin());
        }
        IntSummaryStatistics lengths =
                counted.stream().mapToInt(RunResult::steps).summaryStatistics();
        numbers.put("episode_length_mean", lengths.getAverage());
        numbers.put("episode_length_max", (double) lengths.getMax());
        numbers.put("episode_length_min", (double) lengths.getMin());
        numbers.put("duration_ms", (double) took.toMillis());
        return numbers;
    }

    /** The version of the policy, where it is a whole number, and the step of training; step 0 where neither is known. */
    private static Map<String, Double> progress(Correlation ids) {
        Map<String, Double> numbers = new LinkedHashMap<>();
        String version = ids.policyVersion();
        Long step = ids.trainStep();
        if (version != null && version.matches("[0-9]{1,15}")) {
            numbers.put("policy_version", Double.valueOf(version));
        }
        if (step != null || numbers.isEmpty()) {
            numbers.put("step", step == null ? 0.0 : (double) step);
        }
        return numbers;
    }
}
