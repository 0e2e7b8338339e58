package dev.rlm.sinks.schema;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A number that trainers usually report: its label, and the names that verl, ROLL, TRL, slime, Model Studio, RLlib,
 * Stable-Baselines and others give it. A {@code *} in a name stands for anything.
 */
public enum UsualMetric {
    LOSS("Loss", "loss", "actor/loss"),
    TOTAL_LOSS("Total loss", "total_loss", "actor/total_loss"),
    POLICY_LOSS("Policy loss", "policy_loss", "pg_loss", "actor/pg_loss", "policy_gradient_loss", "loss/policy_avg"),
    VALUE_LOSS("Value loss", "value_loss", "vf_loss", "critic/vf_loss", "loss/value_avg"),
    ENTROPY_LOSS("Entropy loss", "entropy_loss", "actor/entropy_loss"),
    GRADIENT_NORM("Gradient norm", "grad_norm", "global_grad_norm", "actor/grad_norm", "actor_train/grad_norm"),
    CRITIC_GRADIENT_NORM("Gradient norm of the critic", "critic/grad_norm", "critic_train/grad_norm"),
    LEARNING_RATE("Learning rate", "learning_rate", "lr", "actor/lr"),
    CRITIC_LEARNING_RATE("Learning rate of the critic", "critic/lr"),
    KL("KL divergence", "kl", "objective/kl", "mean_kl_loss", "critic/kl"),
    KL_ESTIMATED("KL divergence, estimated", "approx_kl", "actor/approxkl", "policy/approxkl_avg"),
    KL_OF_UPDATE("KL divergence of the update", "ppo_kl", "actor/ppo_kl"),
    KL_LOSS("KL loss", "kl_loss", "actor/kl_loss"),
    KL_WEIGHT("Weight of the KL divergence", "actor/kl_coef", "critic/kl_coef"),
    ENTROPY("Entropy", "entropy", "actor/entropy", "objective/entropy", "policy/entropy_avg", "critic/entropy/mean"),
    CLIPPED(
            "Clipped share",
            "clip_fraction",
            "pg_clipfrac",
            "actor/pg_clipfrac",
            "actor/ppo_ratio_clipfrac",
            "clip_ratio/region_mean",
            "policy/clipfrac_avg"),
    CLIPPED_BELOW("Clipped share, lower bound", "actor/pg_clipfrac_lower", "actor/ppo_ratio_low_clipfrac"),
    EXPLAINED_VARIANCE("Explained variance", "explained_variance", "vf_explained_var", "critic/vf_explained_var"),
    REWARD("Reward", "reward", "reward/mean", "raw_reward"),
    REWARD_SPREAD("Spread of rewards", "reward_std"),
    REWARD_PART(
            "Part of the reward", "rewards/*/mean", "trace/reward/*/avg", "trace/reward_metrics/*", "reward_metrics/*"),
    FLAT_GROUPS("Groups without learning signal", "frac_reward_zero_std"),
    SCORE("Mean score", "critic/score/mean"),
    PENALISED_REWARD("Mean reward with penalties", "critic/rewards/mean"),
    ADVANTAGE("Mean advantage", "critic/advantages/mean"),
    CRITIC_RETURN("Mean return of tokens", "critic/returns/mean"),
    TRAINING_REWARD("Reward in training", "training/reward"),
    VALIDATION_REWARD(
            "Reward in validation",
            "val/reward",
            "eval_reward",
            "validation/*/reward/mean@*",
            "val-core/*/mean@*",
            "val/test_score/*",
            "val_correct/*/mean"),
    MEAN_RETURN("Mean return", "mean_return", "episode_return_mean", "ep_rew_mean"),
    MAX_RETURN("Highest return", "max_return"),
    MIN_RETURN("Lowest return", "min_return"),
    EPISODES("Episodes", "episodes"),
    EPISODE_LENGTH("Mean episode length", "episode_length_mean", "episode_len_mean", "ep_len_mean"),
    MAX_EPISODE_LENGTH("Longest episode", "episode_length_max"),
    MIN_EPISODE_LENGTH("Shortest episode", "episode_length_min"),
    RESPONSE_LENGTH(
            "Mean response length",
            "response_length/mean",
            "response_length_non_aborted/mean",
            "completions/mean_length",
            "token/response_length/mean",
            "tokens/response_length/mean",
            "response_len/mean",
            "response_lengths"),
    PROMPT_LENGTH("Mean prompt length", "prompt_length/mean", "token/prompt_length/mean", "tokens/prompt_length/mean"),
    RESPONSES_CUT("Responses cut off", "response_length/clip_ratio", "completions/clipped_ratio", "truncated_ratio"),
    PROMPTS_CUT("Prompts cut off", "prompt_length/clip_ratio"),
    RESPONSES_ABORTED("Responses aborted", "response/aborted_ratio"),
    REPETITION("Responses that repeat themselves", "repetition_frac"),
    TURNS("Turns of a run", "num_turns/mean"),
    MODEL_CALLS("Model calls of a run", "num_llm_calls/avg"),
    AGENTS_SUCCEEDED("Runs that succeeded", "success_rate/agent/avg"),
    REWARDS_SUCCEEDED("Rewards that were computed", "success_rate/reward/avg"),
    ATTEMPTS("Attempts at a run", "attempts/agent/avg"),
    TOOL_CALLS("Tool calls of a run", "tools/call_frequency"),
    TOOL_FAILURES("Tool calls that failed", "tools/failure_frequency"),
    TOKENS("Tokens", "num_tokens", "perf/total_num_tokens"),
    STEPS_PER_SECOND("Steps per second", "steps_per_second", "sps"),
    FRAMES_PER_SECOND("Frames per second", "fps"),
    THROUGHPUT("Tokens per second and GPU", "perf/throughput", "perf/tokens_per_gpu_per_sec"),
    UTILISATION("Utilisation of the GPUs", "perf/mfu/*"),
    STEP_TIME(
            "Time of a step, in seconds",
            "step_time",
            "timing/s/step",
            "timing_s/step",
            "time/step_total",
            "perf/step_time",
            "perf/time_per_step"),
    STEP_PART_TIME("Time of a part of a step, in seconds", "timing/s/*", "timing_s/*", "time/step_*", "perf/*_time"),
    TOKEN_TIME("Time of a token, in milliseconds", "timing/ms/*", "timing_per_token_ms/*"),
    STALE_SAMPLES(
            "Stale samples",
            "fully_async/count/staleness_samples",
            "fully_async/count/stale_samples_processed",
            "fully_async/count/stale_trajectory_processed"),
    TRAINER_IDLE("Idle share of the trainer", "fully_async/trainer/idle_ratio"),
    ROLLOUT_IDLE("Idle share of the rollout", "fully_async/rollouter/idle_ratio"),
    QUEUE("Samples in a queue", "fully_async/monitor/queue/*"),
    PARTIAL_ROLLOUTS("Share of partial rollouts", "fully_async/partial/partial_ratio"),
    ASYNCHRONY("Asynchronous training", "fully_async/*"),
    DURATION("Duration, in milliseconds", "duration_ms"),
    EPOCH("Epoch", "epoch");

    private static final List<String> GROUPS =
            List.of("train/", "training/", "trainer/", "trajectory/", "trace/", "rollout/", "misc/");
    private static final List<String> VALIDATION = List.of("val/", "validation/", "eval/", "evaluator/", "eval_");
    private static final List<String> MEANS = List.of("", "/mean", "/avg");
    private static final Map<String, UsualMetric> BY_NAME = new HashMap<>();
    private static final Map<Pattern, UsualMetric> BY_PATTERN = new LinkedHashMap<>();

    static {
        for (UsualMetric metric : values()) {
            for (String name : metric.names) {
                if (name.contains("*")) {
                    BY_PATTERN.put(pattern(name), metric);
                } else {
                    BY_NAME.put(name, metric);
                }
            }
        }
    }

    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // an immutable list
    private final List<String> names;

    UsualMetric(String label, String... names) {
        this.label = label;
        this.names = List.of(names);
    }

    private static Pattern pattern(String name) {
        return Pattern.compile(
                Stream.of(name.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".+")));
    }

    /** Returns what people call it. */
    public String label() {
        return label;
    }

    List<String> names() {
        return names;
    }

    /** Returns whether it is a reward that may be of training or, by its name, of validation. */
    private boolean isReward() {
        return this == REWARD
                || this == SCORE
                || this == PENALISED_REWARD
                || this == TRAINING_REWARD
                || this == MEAN_RETURN;
    }

    /**
     * Returns the number of that name: also with the name of a group before it ({@code train/kl}), with {@code /mean} or
     * {@code @sum} behind it or without, and rewards of validation ({@code eval/reward}).
     */
    public static Optional<UsualMetric> of(String name) {
        return Optional.ofNullable(find(name.endsWith("@sum") ? name.substring(0, name.lastIndexOf('@')) : name));
    }

    private static @Nullable UsualMetric find(String name) {
        UsualMetric listed = listed(name);
        if (listed != null) {
            return listed;
        }
        String validated = without(VALIDATION, name);
        if (!validated.isEmpty()) {
            UsualMetric metric = find(validated);
            return metric != null && metric.isReward() ? VALIDATION_REWARD : null;
        }
        String inner = without(GROUPS, name);
        return inner.isEmpty() ? null : find(inner);
    }

    private static @Nullable UsualMetric listed(String name) {
        UsualMetric named = BY_NAME.get(name);
        String bare = name.replaceFirst("/(mean|avg)$", "");
        for (String mean : MEANS) {
            named = named == null ? BY_NAME.get(bare + mean) : named;
        }
        for (Map.Entry<Pattern, UsualMetric> form : BY_PATTERN.entrySet()) {
            named = named == null && form.getKey().matcher(name).matches() ? form.getValue() : named;
        }
        return named;
    }

    /** The name without the first of these beginnings that it has; empty where it has none. */
    private static String without(List<String> beginnings, String name) {
        return beginnings.stream()
                .filter(name::startsWith)
                .findFirst()
                .map(beginning -> name.substring(beginning.length()))
                .orElse("");
    }

    /** Returns the number that people call so, in capitals or not. */
    public static Optional<UsualMetric> labelled(String label) {
        return Stream.of(values())
                .filter(metric -> metric.label.equalsIgnoreCase(label))
                .findFirst();
    }

    /** Returns what it is where an evaluator reports it: its rewards are those of validation. */
    public UsualMetric validated() {
        return isReward() ? VALIDATION_REWARD : this;
    }
}
