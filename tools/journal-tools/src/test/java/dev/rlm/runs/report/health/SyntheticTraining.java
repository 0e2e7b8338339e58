package dev.rlm.runs.report.health;

import dev.rlm.runs.health.HealthRule;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.Correlation;
import dev.rlm.sinks.event.RewardComponent;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.Usage;
import dev.rlm.sinks.jsonl.JsonlSink;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A training made up from a seed, with one fault or none: a policy that learns, whose runs and numbers vary by chance. Runs
 * that a fault changes have ids that begin with {@code faulty}. Odd seeds have a judge; the names of numbers are those of one
 * of three trainers.
 */
final class SyntheticTraining {
    static final int STEPS = 30;

    private static final int SAMPLES = 3;
    private static final int ATTEMPTS = 4;
    private static final int VALIDATED = 8; // runs, every third step
    private static final List<String> WORDS = List.of(
            "we", "add", "the", "first", "two", "numbers", "then", "take", "half", "of", "what", "is", "left", "now");
    private static final List<Map<String, String>> NAMES = List.of(
            Map.of(), // those of verl
            Map.of(
                    "actor/ppo_kl", "kl",
                    "actor/pg_clipfrac", "clip_ratio/region_mean",
                    "actor/grad_norm", "grad_norm",
                    "actor/entropy", "entropy",
                    "critic/rewards/mean", "reward",
                    "timing_s/step", "step_time",
                    "response_length/mean", "completions/mean_length",
                    "response_length/clip_ratio", "completions/clipped_ratio",
                    "val-core/math/reward/mean@1", "eval_reward"),
            Map.of(
                    "timing_s/step", "timing/s/step",
                    "timing_s/gen", "timing/s/rollout/agent_loop_latency/avg",
                    "response_length/mean", "trajectory/response_length_non_aborted/mean",
                    "response_length/clip_ratio", "trajectory/response_length/clip_ratio",
                    "val-core/math/reward/mean@1", "validation/data/reward/mean@1"));

    private final Path directory;
    private final @Nullable HealthRule fault;
    private final long seed;
    private final Random random;
    private final AtomicLong millis = new AtomicLong();
    private double wandering; // of the skill: steps are not independent
    private int cut;
    private double tokens;
    private double rewards;

    SyntheticTraining(Path directory, @Nullable HealthRule fault, long seed) {
        this.directory = directory;
        this.fault = fault;
        this.seed = seed;
        this.random = new Random(seed * 7_919);
    }

    private boolean is(HealthRule rule) {
        return fault == rule;
    }

    /** A fault that begins at some time of the training. */
    private boolean has(HealthRule rule, int step, double from) {
        return is(rule) && step >= from * STEPS;
    }

    private boolean chance(double share) {
        return random.nextDouble() < share;
    }

    private double about(double value, double deviation) {
        return value + deviation * random.nextGaussian();
    }

    private boolean isJudged() {
        return is(HealthRule.JUDGE_ABSENT)
                || is(HealthRule.JUDGE_DRIFT)
                || (seed % 2 == 1 && !is(HealthRule.GROUPS_WITHOUT_SIGNAL) && !is(HealthRule.CEILING));
    }

    /** Records all of it, its numbers too unless it is said otherwise. */
    void record(boolean withNumbers) {
        try (Sinks sinks = Sinks.builder()
                .add("jsonl", JsonlSink.builder().directory(directory).build())
                .clocks(
                        () -> Instant.parse("2026-03-01T10:20:30Z").plusMillis(millis.get()),
                        () -> Duration.ofMillis(millis.get()).toNanos())
                .build()) {
            for (int step = 0; step < STEPS; step++) {
                record(sinks, step, withNumbers);
            }
        }
    }

    private void record(Sinks sinks, int step, boolean withNumbers) {
        wandering = about(0.6 * wandering, 0.02);
        cut = 0;
        tokens = 0;
        rewards = 0;
        for (int sample = 0; sample < SAMPLES; sample++) {
            double difficulty = about(0, 0.05);
            boolean flat = has(HealthRule.GROUPS_WITHOUT_SIGNAL, step, 0.4) && chance(0.85);
            boolean all = chance(0.5);
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                train(sinks, step, sample, attempt, flat ? (all ? 1 : 0) : skill(step) + wandering + difficulty, flat);
            }
        }
        if (step % 3 == 0) {
            for (int i = 0; i < VALIDATED; i++) {
                validate(sinks, step, i);
            }
        }
        if (withNumbers) {
            sinks.metrics("trainer", numbers(step));
        }
        sinks.awaitRoom(Duration.ofSeconds(30));
    }

    /** Chance that a run in training is solved. */
    private double skill(int step) {
        double x = (double) step / STEPS;
        double learning = 0.3 + 0.4 * (1 - Math.exp(-2.5 * x));
        if (fault == null) {
            return learning;
        }
        return switch (fault) {
            case NO_CONVERGENCE -> 0.3;
            case OSCILLATION -> 0.5 + 0.45 * Math.sin(step * 2 * Math.PI / 5);
            case KL_EXPLOSION -> x < 0.5 ? learning : learning - (x - 0.5);
            case REWARD_HACKING -> 0.3 + 0.6 * x;
            case CEILING -> 0.4 + 3 * x;
            case DOMINANT_PART -> 0.6 - 0.5 * x;
            default -> learning;
        };
    }

    private double validated(int step) {
        double x = (double) step / STEPS;
        if (is(HealthRule.REWARD_HACKING)) {
            return 0.4 - 0.1 * x;
        }
        return has(HealthRule.VALIDATION_COLLAPSE, step, 0.5)
                ? Math.max(0.1, 0.6 - 1.5 * (x - 0.5))
                : skill(step) - 0.02;
    }

    private void train(Sinks sinks, int step, int sample, int attempt, double skill, boolean flat) {
        boolean faulty = isFaulty(step);
        String id = (faulty ? "faulty-" : "") + "step" + step + "-sample" + sample + "-" + attempt;
        double x = (double) step / STEPS;
        boolean solved = chance(skill);
        Correlation ids = Correlation.builder()
                .sample("sample" + sample)
                .trainStep((long) step)
                .split("train")
                .trajectoryIndex(attempt)
                .build();
        try (Run run = sinks.startRun(RunSpec.builder("shop")
                .model("policy")
                .runId(id)
                .correlation(ids)
                .build())) {
            try (Step action = run.startStep()) {
                call(action, step, sample, faulty);
                try (ToolCall tool = action.startToolCall("calculator")) {
                    millis.addAndGet((long) about(200, 20));
                    if (shows(HealthRule.TOOL_FAILING, faulty, 0.03)) {
                        tool.fail(2, "no connection");
                    } else {
                        tool.result("7");
                    }
                }
                action.complete("7");
            }
            double format = flat || is(HealthRule.CEILING) || chance(0.9) ? 0.2 : 0;
            double style = is(HealthRule.DOMINANT_PART) ? Math.max(0, about(0.1 + 3 * x, 0.1)) : 0;
            double reward = (solved ? 1 : 0) + format + style;
            List<RewardComponent> parts = new ArrayList<>();
            parts.add(new RewardComponent("correct", solved ? 1 : 0, 1, null));
            parts.add(new RewardComponent("format", format, 1, null));
            if (style > 0) {
                parts.add(new RewardComponent("style", style, 1, null));
            }
            run.reward("tests", Reward.of(reward).components(parts).build());
            rewards += reward;
            judge(run, solved, x, faulty);
            run.complete(solved ? "7" : "8");
        }
    }

    /** Returns whether a fault of single runs shows itself in this one. */
    private boolean isFaulty(int step) {
        return (has(HealthRule.GARBLED_OUTPUT, step, 0.6) && chance(0.4))
                || (is(HealthRule.TRUNCATION) && chance(0.5 * step / STEPS))
                || (has(HealthRule.JUDGE_ABSENT, step, 0.6) && chance(0.25))
                || (has(HealthRule.TOOL_FAILING, step, 0.5) && chance(0.7))
                || (has(HealthRule.RETRIES, step, 0.5) && chance(0.5))
                || has(HealthRule.ENTROPY_COLLAPSE, step, 0.4);
    }

    /** Returns whether something goes wrong in a run: in healthy trainings too, now and then. */
    private boolean shows(HealthRule rule, boolean faulty, double usually) {
        return is(rule) ? faulty : chance(usually);
    }

    private void call(Step action, int step, int sample, boolean faulty) {
        double x = (double) step / STEPS;
        double longer = is(HealthRule.REWARD_HACKING) ? 2.5 : 0.15;
        long output = Math.round(200 * (1 + longer * x) * Math.exp(about(0, 0.2)));
        boolean limit = shows(HealthRule.TRUNCATION, faulty, 0.005);
        try (ModelCall call = action.startModelCall("p", "policy")) {
            millis.addAndGet((long) about(has(HealthRule.SLOW_TRAINING, step, 0.6) ? 9_000 : 3_000, 200));
            call.message("user", "how many are left?")
                    .usage(new Usage(50L, output, null, null))
                    .finishReason(limit ? "length" : "stop")
                    .reply(reply(step, sample, faulty));
            if (shows(HealthRule.RETRIES, faulty, 0.02)) {
                call.retries(1);
            }
        }
        cut += limit ? 1 : 0;
        tokens += output;
    }

    private String reply(int step, int sample, boolean faulty) {
        if (faulty && is(HealthRule.GARBLED_OUTPUT)) {
            return random.ints(60, 0, 6)
                    .mapToObj(script ->
                            "" + (char) ("a\u0430\u05d0\u0e01\u4e2d\u0905".charAt(script) + random.nextInt(20)))
                    .collect(Collectors.joining());
        } else if (faulty && is(HealthRule.ENTROPY_COLLAPSE)) {
            return "the answer to the question of sample " + sample + " is the number seven";
        }
        return random.ints(20 + step % 5, 0, WORDS.size()).mapToObj(WORDS::get).collect(Collectors.joining(" "));
    }

    private void judge(Run run, boolean solved, double x, boolean faulty) {
        if (!isJudged()) {
            return;
        } else if (faulty && is(HealthRule.JUDGE_ABSENT)) {
            run.rewardAbsent("judge", "no answer");
            return;
        }
        double drift = is(HealthRule.JUDGE_DRIFT) ? 0.5 * x : 0;
        double value = Math.max(0, Math.min(1, about((solved ? 0.5 : 0.2) + drift, 0.08)));
        run.reward("judge", Reward.of(value).kind(RewardGiven.Kind.MODEL).build());
    }

    private void validate(Sinks sinks, int step, int number) {
        Correlation ids = Correlation.builder()
                .sample("validation" + number)
                .trainStep((long) step)
                .split("validation")
                .build();
        try (Run run = sinks.startRun(RunSpec.builder("shop")
                .model("policy")
                .runId("validation" + step + "-" + number)
                .correlation(ids)
                .build())) {
            millis.addAndGet(3_000);
            run.reward(chance(validated(step)) ? 1 : 0);
            run.complete("7");
        }
    }

    private Map<String, Double> numbers(int step) {
        double x = (double) step / STEPS;
        boolean explodes = has(HealthRule.KL_EXPLOSION, step, 0.4);
        boolean swings = is(HealthRule.OSCILLATION);
        boolean stands = is(HealthRule.NO_CONVERGENCE);
        boolean slow = has(HealthRule.SLOW_TRAINING, step, 0.6);
        double clipped = swings ? 0.09 : explodes ? 0.005 + 0.3 * (x - 0.4) : 0.005;
        double entropy = 0.8 * Math.exp((is(HealthRule.ENTROPY_COLLAPSE) ? -9 : -1) * x);
        double gradient = stands ? 1e-4 : swings && step % 4 == 3 ? 8 : 0.5;
        Map<String, Double> numbers = new LinkedHashMap<>();
        numbers.put("actor/ppo_kl", stands ? 1e-6 : Math.max(0, about(explodes ? 0.02 + 2 * (x - 0.4) : 0.02, 0.004)));
        numbers.put("actor/pg_clipfrac", Math.max(0, about(clipped, 0.001)));
        numbers.put("actor/grad_norm", gradient * Math.exp(about(0, 0.25)) * (chance(0.01) ? 6 : 1));
        numbers.put("actor/entropy", Math.max(0, about(entropy, is(HealthRule.ENTROPY_COLLAPSE) ? 1e-3 : 0.02)));
        numbers.put("critic/rewards/mean", rewards / (SAMPLES * ATTEMPTS));
        numbers.put("timing_s/gen", about(slow ? 110 : 40, 2));
        numbers.put("timing_s/update_actor", about(15, 1));
        numbers.put("timing_s/step", about((slow ? 130 : 60) * (1 + 0.2 * x), 3) * (chance(0.03) ? 2.5 : 1));
        numbers.put("response_length/mean", tokens / (SAMPLES * ATTEMPTS));
        numbers.put("response_length/clip_ratio", (double) cut / (SAMPLES * ATTEMPTS));
        if (step % 3 == 0) {
            numbers.put("val-core/math/reward/mean@1", about(validated(step), 0.015));
        }
        Map<String, String> names = NAMES.get((int) (seed % NAMES.size()));
        Map<String, Double> named = new LinkedHashMap<>();
        named.put("global_step", (double) step);
        numbers.forEach((name, value) -> named.put(names.getOrDefault(name, name), value));
        return named;
    }
}
